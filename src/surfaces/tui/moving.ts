// Moving in the tree: who is above, the next child, and the next that needs a person.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { agentsThatNeedYou, treeOf } from "#views/overviews.ts";
import type { PickerFilter, Seen } from "./model.ts";
import { matching } from "./pi/text.ts";

type Tree = Pick<Seen, "tree" | "everywhere" | "agents" | "project">;

const otherTrees = new WeakMap<Seen["everywhere"], Map<ProjectSlug, Seen["tree"]>>();

/** The agents of an agent's project and agent 0. The project may be another one than that of the directory. */
export function treeAround({ tree, everywhere, agents, project }: Tree, of: AgentId): Seen["tree"] {
	const other = agents.get(of)?.project ?? null;
	if (project === null || other === null || other === project) return tree;
	const trees = otherTrees.get(everywhere) ?? new Map<ProjectSlug, Seen["tree"]>();
	otherTrees.set(everywhere, trees);
	const found = trees.get(other) ?? treeOf(agentsIn(everywhere).filter((agent) => isIn(agent, other)));
	trees.set(other, found);
	return found;
}

const agentsIn = (tree: Seen["tree"]): Agent[] => tree.map(({ agent }) => agent);

/** Agent 0 is in every project. */
export const isIn = (agent: Agent, project: ProjectSlug): boolean =>
	agent.project === project || agent.supervisor === null;

export const agentAbove = ({ agents }: Tree, of: AgentId): Agent | null => {
	const supervisor = agents.get(of)?.supervisor ?? null;
	return supervisor === null ? null : (agents.get(supervisor) ?? null);
};

/** In the order in which they were made. */
export const childrenOf = (seen: Tree, of: AgentId): Agent[] =>
	agentsIn(treeAround(seen, of)).filter(({ supervisor }) => supervisor === of);

/** The living child that was made last; a dead one only if none lives. */
export function childOf(seen: Tree, of: AgentId): Agent | null {
	const children = childrenOf(seen, of);
	return children.findLast(isLiving) ?? children.at(-1) ?? null;
}

/** The living agents below the same one, and itself. The dead are reached through the tree. */
function siblingsOf(seen: Tree, of: AgentId): Agent[] {
	const supervisor = seen.agents.get(of)?.supervisor ?? null;
	return agentsIn(treeAround(seen, of)).filter(
		(each) => each.supervisor === supervisor && (isLiving(each) || each.id === of),
	);
}

/** Null if there is no other one. */
export function siblingOf(seen: Tree, of: AgentId, by: 1 | -1): Agent | null {
	const all = siblingsOf(seen, of);
	const at = all.findIndex(({ id }) => id === of);
	const next = all[(at + by + all.length) % all.length];
	return next === undefined || next.id === of ? null : next;
}

export const isLiving = ({ life }: Pick<Agent, "life">): boolean => life !== "ended";

/** The living agent of the project that was active last; agent 0 if it has none. */
export function lastActive({ tree, project }: Pick<Seen, "tree" | "project">): Agent | null {
	const agents = agentsIn(tree);
	const living = agents.filter((agent) => isLiving(agent) && agent.project === project && agent.supervisor !== null);
	const [last] = living.toSorted((a, b) => (a.lastActiveAt < b.lastActiveAt ? 1 : -1));
	return last ?? agents[0] ?? null;
}

/** In the order of the tree. */
export function needingYou({ everywhere, inbox }: Pick<Seen, "everywhere" | "inbox">): Agent[] {
	const ids = agentsThatNeedYou(inbox);
	return agentsIn(everywhere).filter(({ id }) => ids.has(id));
}

/** The next one after the current agent, round and round. */
export function nextNeedingYou(seen: Seen, current: AgentId): Agent | null {
	const order = seen.everywhere.map(({ agent }) => agent.id);
	const here = order.indexOf(current);
	const needing = needingYou(seen);
	const after = needing.find(({ id }) => order.indexOf(id) > here);
	const next = after ?? needing[0] ?? null;
	return next?.id === current && needing.length === 1 ? null : next;
}

function wantedRows(seen: Seen, filter: PickerFilter, current: AgentId): Seen["tree"] {
	if (filter === "everywhere") return seen.everywhere;
	if (filter === "all") return treeAround(seen, current);
	if (filter === "living") return treeAround(seen, current).filter(({ agent }) => isLiving(agent));
	const needing = agentsThatNeedYou(seen.inbox);
	return seen.everywhere.filter(({ agent }) => needing.has(agent.id));
}

export interface PickerRow {
	agent: Agent;
	depth: number;
	/** agents below it that are not shown */
	hidden: number;
}

/** The rows of the tree picker. A search shows what it finds, best first, without its surroundings. */
export function pickerRows(
	seen: Seen,
	current: AgentId,
	{ filter, words, collapsed }: { filter: PickerFilter; words: string; collapsed: ReadonlySet<AgentId> },
): PickerRow[] {
	const wanted = wantedRows(seen, filter, current);
	if (words.trim() !== "")
		return matching(wanted, words, ({ agent }) => `${agent.handle} ${agent.project ?? ""}`).map(({ agent }) => ({
			...{ agent, depth: 0, hidden: 0 },
		}));
	const rows: PickerRow[] = [];
	/** the depth of the collapsed row whose rows are being left out */
	let under: { depth: number; row: PickerRow } | null = null;
	for (const { agent, depth } of wanted) {
		if (under !== null && depth > under.depth) {
			under.row.hidden++;
			continue;
		}
		const row = { agent, depth, hidden: 0 };
		under = collapsed.has(agent.id) ? { depth, row } : null;
		rows.push(row);
	}
	return rows;
}
