// The agents below their supervisors, as rows: what is collapsed, filtered and found. The order never changes with the
// state of an agent.
import type { AgentId } from "#contract/ids.ts";
import type { TreeRow } from "#contract/overviews.ts";
import type { Agent } from "#contract/wire.ts";

export const treeFilters = ["living", "needs you", "all"] as const;
export type TreeFilter = (typeof treeFilters)[number];

export interface AgentTreeRow extends TreeRow {
	hasChildren: boolean;
	isOpen: boolean;
	/** agents that are collapsed away below it */
	collapsed: number;
	/** it is only shown because something below it is */
	isOnlyAbove: boolean;
}

export interface TreeView {
	filter: TreeFilter;
	/** the agents that need a person */
	needing: ReadonlySet<AgentId>;
	/** in the handle or the project; empty for all */
	text: string;
	/** opened or closed by a person; others are open, except where nothing below lives */
	opened: ReadonlyMap<AgentId, boolean>;
}

export function agentRows(tree: readonly TreeRow[], { filter, needing, text, opened }: TreeView): AgentTreeRow[] {
	const ends = subtreeEnds(tree);
	const wanted = tree.map(({ agent }) => isWanted(agent, { filter, needing }) && hasText(agent, text));
	const kept = keptWith(tree, wanted);
	const living = keptWith(
		tree,
		tree.map(({ agent }) => agent.life !== "ended"),
	);
	const [keptBefore, livingBefore] = [countsBefore(kept), countsBefore(living)];
	const rows: AgentTreeRow[] = [];
	for (let at = 0; at < tree.length; ) {
		const [row, end] = [tree[at], ends[at] ?? at + 1];
		if (row === undefined) break;
		if (kept[at] !== true) {
			at = end;
			continue;
		}
		const below = between(keptBefore, at + 1, end);
		const isLivingBelow = between(livingBefore, at + 1, end) > 0;
		const isOpen = text !== "" || (opened.get(row.agent.id) ?? isLivingBelow);
		rows.push({
			...row,
			hasChildren: below > 0,
			isOpen: below > 0 && isOpen,
			collapsed: isOpen ? 0 : below,
			isOnlyAbove: wanted[at] !== true,
		});
		at = isOpen ? at + 1 : end;
	}
	return rows;
}

const isWanted = ({ id, life }: Agent, { filter, needing }: Pick<TreeView, "filter" | "needing">): boolean =>
	filter === "all" || (filter === "living" ? life !== "ended" : needing.has(id));

const hasText = ({ handle, project }: Agent, text: string): boolean =>
	text === "" || `${project ?? ""}/${handle}`.toLowerCase().includes(text.toLowerCase());

/** For each row, the index after the last row below it. */
function subtreeEnds(tree: readonly TreeRow[]): number[] {
	const ends = new Array<number>(tree.length);
	const open: { at: number; depth: number }[] = [];
	for (const [at, { depth }] of tree.entries()) {
		for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
			ends[last.at] = at;
			open.pop();
		}
		open.push({ at, depth });
	}
	for (const { at } of open) ends[at] = tree.length;
	return ends;
}

/** A row and everything above it. */
function keptWith(tree: readonly TreeRow[], wanted: readonly boolean[]): boolean[] {
	const kept = new Array<boolean>(tree.length).fill(false);
	const path: number[] = [];
	for (const [at, { depth }] of tree.entries()) {
		path.length = depth;
		path[depth] = at;
		// whatever is above a kept row is kept already
		for (let above = depth; wanted[at] === true && above >= 0 && kept[path[above] ?? 0] !== true; above--)
			kept[path[above] ?? 0] = true;
	}
	return kept;
}

/** Prefix sums: for each index the number of marks before it; the last entry is their total. */
function countsBefore(marks: readonly boolean[]): number[] {
	const counts = [0];
	for (const [at, mark] of marks.entries()) counts.push((counts[at] ?? 0) + (mark ? 1 : 0));
	return counts;
}

const between = (counts: readonly number[], from: number, to: number): number =>
	(counts[to] ?? 0) - (counts[from] ?? 0);

/** Why no turn runs says more than what was said last; a hold does not end the turn that runs. */
export const isHeldUp = ({ turn, holds, label, waitingFor }: Agent): boolean =>
	turn === null && (holds.length > 0 || (label === "idle" && waitingFor !== null));
