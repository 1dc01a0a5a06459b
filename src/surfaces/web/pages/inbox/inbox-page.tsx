// Everything that needs a person: approvals first, oldest first; then the rest by kind. Every approval is shown whole.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Approval } from "#contract/wire.ts";
import { inboxCount } from "#views/overviews.ts";
import { isFree } from "../../shell/keyboard.ts";
import { draftNow } from "../../store/drafts.ts";
import { useNeeds, useSeen } from "../../store/hooks.ts";
import { ApprovalCard, reasonDraft, useAnswer } from "../../ui/approval-card.tsx";
import { OtherRows } from "../../ui/inbox-rows.tsx";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { useSteadyRows } from "../../ui/use-steady-rows.ts";
import { NotifySwitch } from "./notify-switch.tsx";
import { useFocusAfter } from "./use-focus-after.ts";

export function InboxPage() {
	const seen = useSeen();
	useNeeds({ boards: seen.projects.map(({ slug }) => slug) });
	const { approvals, ...rest } = seen.inbox;
	const chosen = useApprovalKeys();
	const { current, setCurrent } = chosen;
	const heading = useFocusAfter(approvals, chosen);
	const others = inboxCount(rest);
	const rows = useSteadyRows();
	if (!seen.isLoaded) return <Loading what="the inbox" isPage />;
	return (
		<>
			<header className="page-header">
				<h1 ref={heading} tabIndex={-1}>
					Inbox
				</h1>
				<span className="meta">
					{counted(approvals.length, "question")}, {others} more
				</span>
				<span className="spread" />
				<NotifySwitch />
				<span className="meta inbox-keys">
					<kbd>j</kbd> <kbd>k</kbd> choose, then <kbd>y</kbd> allow · <kbd>n</kbd> deny · <kbd>a</kbd> always
				</span>
			</header>
			<div ref={rows} className="inbox">
				{approvals.length + others === 0 && (
					<Empty title="Nothing needs you.">Questions, errors, reviews and usage limits appear here.</Empty>
				)}
				{approvals.map((approval) => (
					<Choosable
						key={approval.id}
						isCurrent={approval.id === current}
						onFocus={(isInside) => setCurrent(isInside ? approval.id : null)}
					>
						<ApprovalCard approval={approval} isCurrent={approval.id === current} />
					</Choosable>
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

/** Who types on after an answer, as for its reason, must not answer the next question by that. */
const typingMs = 500;
const isTyped = ({ key }: KeyboardEvent): boolean => key.length === 1 && key !== "j" && key !== "k";

/** The approval that has the focus: only this one is answered by keys. */
function useApprovalKeys(): { current: number | null; setCurrent(approval: number | null): void } {
	const { inbox } = useSeen();
	const { approvals } = inbox;
	const answer = useAnswer();
	const [current, setCurrent] = useState<number | null>(null);
	const typedAt = useRef(Number.NEGATIVE_INFINITY);
	useEffect(() => {
		const press = (event: KeyboardEvent): void => {
			const isWord = event.timeStamp - typedAt.current < typingMs;
			// also in a field: it may go while somebody types there
			if (isTyped(event) || !isFree(event)) typedAt.current = event.timeStamp;
			if (!isFree(event)) return;
			const at = approvals.findIndex(({ id }) => id === current);
			const approval = approvals[at];
			const given = approval === undefined ? undefined : answers[event.key]?.(approval);
			const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
			if (given === undefined && step === 0) return;
			event.preventDefault();
			// a key that is held down would also answer what nobody has read yet
			if (given !== undefined && (event.repeat || isWord)) return;
			// the next one gets the keys, wherever the answered one was
			const next = Math.max(0, at + (step === 0 ? 1 : step));
			setCurrent((approvals[next] ?? approval)?.id ?? null);
			if (approval !== undefined && given !== undefined) void answer(approval, given);
		};
		addEventListener("keydown", press, { capture: true });
		return () => removeEventListener("keydown", press, { capture: true });
	});
	return { current, setCurrent };
}

const answers: Readonly<Record<string, (approval: Approval) => Parameters<ReturnType<typeof useAnswer>>[1]>> = {
	y: () => ({ allow: true }),
	n: (approval) => ({ allow: false, reason: draftNow(reasonDraft(approval)) }),
	a: () => ({ allow: true, always: true }),
};

interface ChoosableProps {
	isCurrent: boolean;
	onFocus(isInside: boolean): void;
	children: ReactNode;
}

function Choosable({ isCurrent, onFocus, children }: ChoosableProps) {
	const element = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (isCurrent && element.current?.contains(document.activeElement) === false) element.current.focus();
	}, [isCurrent]);
	return (
		<div
			ref={element}
			role="group"
			className={isCurrent ? "inbox-item inbox-current" : "inbox-item"}
			tabIndex={-1}
			onFocus={() => onFocus(true)}
			onBlur={({ relatedTarget, currentTarget }) => {
				if (!currentTarget.contains(relatedTarget)) onFocus(false);
			}}
		>
			{children}
		</div>
	);
}
