// One list of everything that needs a person, oldest first. Every approval is shown whole.

import { useEffect, useRef, useState } from "react";
import { counted } from "#contract/counted.ts";
import { inboxCount } from "#views/overviews.ts";
import { isFree } from "../../shell/keyboard.ts";
import { useNeeds, useSeen } from "../../store/hooks.ts";
import { ApprovalCard, useAnswer } from "../../ui/approval-card.tsx";
import { OtherRows } from "../../ui/inbox-rows.tsx";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { NotifySwitch } from "./notify-switch.tsx";

export function InboxPage() {
	const seen = useSeen();
	useNeeds({ boards: seen.projects.map(({ slug }) => slug) });
	const { approvals, ...rest } = seen.inbox;
	const current = useApprovalKeys();
	const others = inboxCount(rest);
	if (!seen.isLoaded) return <Loading what="the inbox" isPage />;
	return (
		<>
			<header className="page-header">
				<h1>Inbox</h1>
				<span className="meta">
					{counted(approvals.length, "question")}, {counted(others, "other item")}
				</span>
				<span className="spread" />
				<NotifySwitch />
				<span className="meta inbox-keys">
					<kbd>j</kbd> <kbd>k</kbd> move · <kbd>y</kbd> allow · <kbd>n</kbd> deny · <kbd>a</kbd> always
				</span>
			</header>
			<div className="inbox">
				{approvals.length + others === 0 && (
					<Empty title="Nothing needs your attention.">Questions, errors, reviews and usage limits appear here.</Empty>
				)}
				{approvals.map((approval, at) => (
					<Current key={approval.id} isCurrent={at === current}>
						<ApprovalCard approval={approval} isCurrent={at === current} />
					</Current>
				))}
				{others > 0 && (
					<ul className="rows panel">
						<OtherRows {...rest} />
					</ul>
				)}
			</div>
		</>
	);
}

/** The index of the approval that the keys are about. */
function useApprovalKeys(): number {
	const { inbox } = useSeen();
	const { approvals } = inbox;
	const answer = useAnswer();
	const [chosen, setChosen] = useState<number | null>(null);
	const at = Math.max(
		0,
		approvals.findIndex(({ id }) => id === chosen),
	);
	useEffect(() => {
		const press = (event: KeyboardEvent): void => {
			const approval = approvals[at];
			if (!isFree(event) || approval === undefined) return;
			const answers: Readonly<Record<string, { allow: boolean; always?: boolean }>> = {
				y: { allow: true },
				n: { allow: false },
				a: { allow: true, always: true },
			};
			const given = answers[event.key];
			const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
			if (given === undefined && step === 0) return;
			event.preventDefault();
			// the next one gets the keys, wherever the answered one was
			setChosen(approvals[at + (step === 0 ? 1 : step)]?.id ?? approval.id);
			if (given !== undefined) void answer(approval, given);
		};
		addEventListener("keydown", press, { capture: true });
		return () => removeEventListener("keydown", press, { capture: true });
	});
	return at;
}

function Current({ isCurrent, children }: { isCurrent: boolean; children: React.ReactNode }) {
	const element = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (isCurrent) element.current?.scrollIntoView({ block: "nearest" });
	}, [isCurrent]);
	return (
		<div ref={element} className={isCurrent ? "inbox-item inbox-current" : "inbox-item"}>
			{children}
		</div>
	);
}
