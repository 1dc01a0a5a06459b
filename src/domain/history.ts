// From events to context: what an agent's model sees.
//
// Nothing is ever copied. An agent's context is made of ranges of its ancestors' threads and its own (the store
// walks them), and this function plays their items forwards. It is the only one that does, for live use, forks,
// restarts, the API and the screens alike, so that they cannot disagree.
//
//   root   ─ m1 ─ m2 ─ m3 ─ m4          fork point of the child: m3
//                       └─ m6 ─ m7      child: m1 m2 m3 m6 m7
//
// A rewind hides what lies between a mark and itself. Its mark was visible when it was said, so whatever an earlier
// rewind hid stays hidden, and the part of a context up to any visible item is the context as it was at that item.
import type { AgentState, Lineage } from "#contract/agent.ts";
import type { Actor } from "#contract/ids.ts";
import { type ContextMark, type ContextRewind, rewindTarget } from "#contract/item.ts";
import { refuse } from "#contract/refusal.ts";
import { refusedNow } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";

/** As much of an item as the rules below look at. */
export interface HistoryItem {
	id: number;
	kind: string;
	text: string | null;
	data: unknown;
	/** who let it happen, where that is known */
	actor?: Actor;
}

/** The items of an agent's ranges, oldest first → the items of its context. */
export function contextOf<I extends HistoryItem>(items: Iterable<I>): I[] {
	const context: I[] = [];
	for (const item of items) {
		if (item.kind === "clear") context.length = 0;
		else if (item.kind === "rewind") cutAfter(context, rewindTarget(item));
		else context.push(item);
	}
	return context;
}

function cutAfter(context: HistoryItem[], mark: number | null): void {
	if (mark === null) return;
	while ((context.at(-1)?.id ?? 0) > mark) context.pop();
}

/** The last item of a context, from the newest item of the agent's own thread alone. 0 if the context is empty. */
export function lastOfContext(newest: HistoryItem | undefined, lineage: Lineage | null): Lineage["forkPoint"] {
	if (newest === undefined) return lineage?.forkPoint ?? 0;
	if (newest.kind === "clear") return 0;
	if (newest.kind === "rewind") return rewindTarget(newest) ?? 0;
	return newest.id;
}

/** Whether an item of the ranges is still in the context; `controls` are the marks and rewinds of those ranges. */
export function isVisible(item: HistoryItem, controls: readonly HistoryItem[]): boolean {
	if (item.kind === "clear" || item.kind === "rewind") return false;
	return !controls.some(
		(control) => control.kind === "rewind" && item.id < control.id && item.id > (rewindTarget(control) ?? item.id),
	);
}

export function decideClear(agent: AgentState): Decision {
	return refusedNow(agent, "say") ?? [{ kind: "clear", agent: agent.id }];
}

export function decideMark(agent: AgentState, { name }: ContextMark): Decision {
	return refusedNow(agent, "say") ?? [{ kind: "mark", agent: agent.id, text: name ?? null }];
}

/** Back to the latest mark that can still be seen, of this name if one is given. */
export function decideRewind(agent: AgentState, { name }: ContextRewind, controls: readonly HistoryItem[]): Decision {
	const refusal = refusedNow(agent, "say");
	if (refusal) return refusal;
	const marks = controls.filter((item) => item.kind === "mark" && isVisible(item, controls));
	const mark = marks.findLast((item) => name === undefined || item.text === name);
	if (mark === undefined) {
		return refuse(
			"MARK_NOT_FOUND",
			name === undefined ? "This context has no mark." : `This context has no mark ${JSON.stringify(name)}.`,
			{
				details: { agent: agent.id, marks: marks.flatMap((item) => item.text ?? []) },
				suggestions: [`brood log ${agent.handle} --context`],
			},
		);
	}
	return [{ kind: "rewind", agent: agent.id, text: mark.text, data: { to: mark.id } }];
}
