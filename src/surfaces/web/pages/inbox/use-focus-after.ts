// Where the focus goes when the question that has it goes: to the next one if it was answered on this page, and to the
// heading otherwise. Who still types a reason for a question that somebody else has answered must not answer the next.
import { type RefObject, useEffect, useRef } from "react";
import type { Approval } from "#contract/wire.ts";
import { isAnsweredHere } from "../../ui/approval-card.tsx";

interface Chosen {
	current: number | null;
	setCurrent(approval: number | null): void;
}

/** The answer is for the heading. */
export function useFocusAfter(
	approvals: readonly Approval[],
	{ current, setCurrent }: Chosen,
): RefObject<HTMLHeadingElement | null> {
	const heading = useRef<HTMLHeadingElement>(null);
	const shown = useRef<readonly number[]>([]);
	useEffect(() => {
		const [before, now] = [shown.current, approvals.map(({ id }) => id)];
		shown.current = now;
		if (current === null || !before.includes(current) || now.includes(current)) return;
		const at = before.indexOf(current);
		const others = [...before.slice(at + 1), ...before.slice(0, at).toReversed()];
		const next = isAnsweredHere(current) ? others.find((id) => now.includes(id)) : undefined;
		setCurrent(next ?? null);
		if (next === undefined && document.activeElement === document.body) heading.current?.focus();
	});
	return heading;
}
