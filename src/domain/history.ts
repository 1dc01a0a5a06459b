// From history to context: what an agent's model sees.
//
// Fork by reference. A child begins with its parent's whole conversation, and forks are meant to be made by the dozen,
// of agents with conversations of any length. So nothing is copied: a fork writes a few events, whatever it inherits.
//
// What always holds
//   - An item is written once, in the thread of the agent that said it, and never changed.
//   - `lineage` has two fields: the agent that the child was forked from, and the fork point (the last item that it
//     inherits). Both are set in the event that makes the child and are never changed.
//   - A context is made of ranges: of each ancestor's thread what is up to the fork point, and the agent's own thread
//     to its end. The store walks from the agent to the last `clear` or the root and reads the ranges in order; the
//     function below plays their items forwards, for live use. The API reads its pages by the same ranges and spans
//     that are hidden, and forks look up the last visible item in them; tests hold all of them equal.
//
//   root   ─ m1 ─ m2 ─ m3 ─ m4          fork point of the child: m3
//                       └─ m6 ─ m7      child: m1 m2 m3 m6 m7
//
//   - What the parent says, clears or rewinds after the fork point does not reach the child: its id is larger, and
//     ids are in the order of commits. For the same reason no lock is needed between a fork and what its parent does.
//   - A call whose result is missing would be refused by every model. So a person's fork waits for open calls
//     (`decideSpawn`); in an agent's own fork, and with `at`, the child gets a synthetic result for each.
//   - An upper end only gets lower on the way up: a grandchild forked from a point that lies before its
//     parent's own fork point inherits nothing of what came after it.
//   - An ancestor is older than its child. A walk that finds a younger one, or none, has no context to tell: it says
//     so (`HISTORY_BROKEN`) and never answers with a shorter one.
//
// A rewind hides what lies between a mark and itself. Its mark was visible when it was said, so whatever an earlier
// rewind hid stays hidden, and the part of a context up to any visible item is the context as it was at that item. That
// is why a fork can be made from any visible item, also from one that was said long ago.
//
// Ended and deleted agents keep their threads: nothing leaves the journal.
//
// Why not another way
//   - copying the items: a fork would cost what the conversation weighs, and fifty children fifty times that
//   - a tree of messages with a parent each: one read per message instead of one per ancestor
import type { AgentState, Lineage } from "#contract/agent.ts";
import { fullName } from "#contract/full-name.ts";
import type { Actor } from "#contract/ids.ts";
import { type ContextMark, type ContextRewind, type ItemAppend, rewindTarget } from "#contract/item.ts";
import type { IdSpan } from "#contract/page.ts";
import { refuse } from "#contract/refusal.ts";
import { refusedNow } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";

/** As much of an item as the rules below look at. */
export interface HistoryItem {
	id: number;
	kind: string;
	text: string | null;
	data: unknown;
	/** who caused it, where that is known */
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
	return !rewoundSpans(controls).some(({ after, before }) => item.id > after && item.id < before);
}

/** The spans of ids that rewinds have hidden. */
export const rewoundSpans = (controls: readonly HistoryItem[]): IdSpan[] =>
	controls.flatMap((control) => {
		const mark = control.kind === "rewind" ? rewindTarget(control) : null;
		return mark === null ? [] : { after: mark, before: control.id };
	});

export function decideAppend(agent: AgentState, { kind, text, data }: ItemAppend): Decision {
	return refusedNow(agent, "change") ?? [{ kind, agent: agent.id, text, data }];
}

export function decideClear(agent: AgentState): Decision {
	return refusedNow(agent, "rewind") ?? [{ kind: "clear", agent: agent.id }];
}

export function decideMark(agent: AgentState, { name }: ContextMark): Decision {
	return refusedNow(agent, "change") ?? [{ kind: "mark", agent: agent.id, text: name ?? null }];
}

/** Back to the latest mark that can still be seen, of this name if one is given. */
export function decideRewind(agent: AgentState, { name }: ContextRewind, controls: readonly HistoryItem[]): Decision {
	const refusal = refusedNow(agent, "rewind");
	if (refusal) return refusal;
	const marks = controls.filter((item) => item.kind === "mark" && isVisible(item, controls));
	const mark = marks.findLast((item) => name === undefined || item.text === name);
	if (mark === undefined) {
		return refuse(
			"MARK_NOT_FOUND",
			name === undefined ? "This context has no mark." : `This context has no mark ${JSON.stringify(name)}.`,
			{
				details: { agent: agent.id, marks: marks.flatMap((item) => item.text ?? []) },
				suggestions: [`brood log ${fullName(agent)} --context`],
			},
		);
	}
	return [{ kind: "rewind", agent: agent.id, text: mark.text, data: { to: mark.id } }];
}
