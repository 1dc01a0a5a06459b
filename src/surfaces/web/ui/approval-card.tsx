// One question, whole: what would be done, where, by whom, and the answers.
import { useRef } from "react";
import { Link } from "wouter";
import type { Approval } from "#contract/wire.ts";
import { alwaysText, contentBesideCommand, filesText } from "#views/approval-text.ts";
import { changeDraft, useDraft } from "../store/drafts.ts";
import { useAct } from "../store/hooks.ts";
import { Age } from "./age.tsx";
import { Button } from "./button.tsx";
import { CodeBox } from "./code-box.tsx";
import { paths } from "./paths.ts";

interface ApprovalCardProps {
	approval: Approval;
	/** its keys are active */
	isCurrent: boolean;
}

export function useAnswer(): (
	approval: Approval,
	answer: { allow: boolean; always?: boolean; reason?: string },
) => Promise<unknown> {
	const act = useAct();
	return async (approval, answer) => {
		answeredHere.add(approval.id);
		const answered = await act("approvalAnswer", { params: { approval: String(approval.id) }, body: answer });
		if (answered === null) answeredHere.delete(approval.id);
		else changeDraft(reasonDraft(approval), () => "");
	};
}

const answeredHere = new Set<number>();

/** Whether it was answered on this page, and not by somebody else. */
export const isAnsweredHere = (approval: number): boolean => answeredHere.has(approval);

/** The draft that the reason for denying it is kept as. */
export const reasonDraft = ({ id }: Approval): string => `reason ${id}`;

export function ApprovalCard({ approval, isCurrent }: ApprovalCardProps) {
	const answer = useAnswer();
	const [reason, setReason] = useDraft(reasonDraft(approval));
	const name = approval.handles.at(-1) ?? "";
	const details = contentBesideCommand(approval);
	const card = useRef<HTMLElement>(null);
	const keys = (key: string) => (isCurrent ? { keys: key } : {});
	return (
		<article ref={card} className="approval" tabIndex={-1} aria-label={`${name} asks: ${approval.title}`}>
			<header className="bar">
				<span className="glyph tone-wait" aria-hidden="true">
					◆
				</span>
				<Link href={paths.agent(approval.agent)} className="approval-name">
					{approval.handles.join(" / ")}
				</Link>
				<span className="meta">
					asks{approval.tool !== "other" && ` (${approval.tool})`} <Age at={approval.askedAt} suffix=" ago" />
				</span>
			</header>
			{approval.title !== approval.command?.line && <p className="approval-title">{approval.title}</p>}
			{approval.command !== undefined && <Content text={approval.command.line} />}
			{details !== "" && <Content text={details} />}
			{approval.files.length > 0 && (
				<p className="meta">
					Files {filesText(approval)}: <span className="mono">{approval.files.join(", ")}</span>
				</p>
			)}
			<p className="meta">“Always” allows {alwaysText(approval)}.</p>
			<footer className="bar">
				<Button kind="primary" about={name} {...keys("y")} onClick={() => answer(approval, { allow: true })}>
					Allow
				</Button>
				<Button about={name} {...keys("n")} onClick={() => answer(approval, { allow: false, reason })}>
					Deny
				</Button>
				<Button about={name} {...keys("a")} onClick={() => answer(approval, { allow: true, always: true })}>
					Always allow this
				</Button>
				<input
					className="input approval-reason"
					aria-label={`Reason for denying ${name}`}
					placeholder="reason, if you deny"
					value={reason}
					onChange={(event) => setReason(event.target.value)}
					onKeyDown={({ key, nativeEvent }) => {
						if (key === "Escape" && !nativeEvent.isComposing) card.current?.focus();
						if (key === "Enter" && !nativeEvent.isComposing && !nativeEvent.repeat && reason.trim() !== "")
							void answer(approval, { allow: false, reason });
					}}
				/>
			</footer>
		</article>
	);
}

function Content({ text }: { text: string }) {
	return (
		<CodeBox label="What it would do" className="approval-content">
			{text}
		</CodeBox>
	);
}
