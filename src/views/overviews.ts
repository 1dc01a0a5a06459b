// The inbox, the tree and the board, from what other views show.

import type { AgentId } from "#contract/ids.ts";
import { needsPerson } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import { boardDoneMax } from "#contract/mirror-request.ts";
import type { NodeState } from "#contract/node.ts";
import type { BoardColumn, Inbox, TreeRow } from "#contract/overviews.ts";
import type { Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Agent } from "#contract/wire.ts";
import { presetNamed } from "#domain/preset.ts";
import { isHumanAgentsTurn } from "./state-style.ts";
import { isoOrNull } from "./wire.ts";

interface Overview extends Pick<Inbox, "approvals"> {
	agents: readonly Agent[];
	issues: readonly Issue[];
	subscriptions: Inbox["limits"];
	nodes: Iterable<NodeState>;
}

export const inboxOf = ({ approvals, agents, issues, subscriptions, nodes }: Overview): Inbox => ({
	approvals,
	errors: agents.filter(({ label, life }) => label === "error" && life !== "ended"),
	humanAgents: agents.filter(isHumanAgentsTurn),
	reviews: issues.filter(needsPerson),
	limits: subscriptions.filter(({ coolingUntil }) => coolingUntil !== null),
	nodes: [...nodes].filter(isDown).map(({ id, name, fellAt }) => ({
		...{ name, fellAt: isoOrNull(fellAt) },
		agents: agents
			.filter((agent) => agent.node === id && agent.life !== "ended")
			.map(({ id: agent, handle, movable }) => ({ id: agent, handle, movable })),
	})),
});

export const inboxCount = (inbox: Partial<Inbox>): number =>
	Object.values(inbox).reduce((sum, { length }) => sum + length, 0);

/** The agents with a pending approval, an error or an open turn of a human. */
export const agentsThatNeedYou = ({
	approvals,
	errors,
	humanAgents,
}: Pick<Inbox, "approvals" | "errors" | "humanAgents">): Set<AgentId> =>
	new Set([...approvals.map(({ agent }) => agent), ...[...errors, ...humanAgents].map(({ id }) => id)]);

/** What a person can do about a node that stopped answering. */
export function fallenNodeHint({ name, agents }: Inbox["nodes"][number]): string {
	if (agents.length === 0) return `brood node remove ${name}`;
	const movable = agents.find((agent) => agent.movable);
	return movable === undefined
		? "start it again: its files are only there"
		: `brood agent move ${movable.handle} --to NODE`;
}

/** Whether it stopped answering and is not back. */
export const isDown = ({ state }: NodeState): boolean => state === "down";

/** Agents in the order of their supervisors; those of one supervisor in the order in which they are given. */
export function treeOf(agents: readonly Agent[]): TreeRow[] {
	const below = Map.groupBy(agents, ({ supervisor }) => supervisor);
	const known = new Set(agents.map(({ id }) => id));
	const roots = agents.filter(({ supervisor }) => supervisor === null || !known.has(supervisor));
	const rows: TreeRow[] = [];
	// the next one last; no recursion, because a tree may be as deep as it has agents
	const open = roots.map((agent): TreeRow => ({ depth: 0, agent })).toReversed();
	for (let row = open.pop(); row !== undefined; row = open.pop()) {
		rows.push(row);
		const depth = row.depth + 1;
		for (const agent of (below.get(row.agent.id) ?? []).toReversed()) open.push({ depth, agent });
	}
	return rows;
}

/**
 * The stages of the project's own workflow; stages that only workflows of open issues have come before its last one.
 */
export function boardOf(all: readonly Issue[], project: ProjectState): BoardColumn[] {
	const issues = withoutOldDone(all);
	const stagesOf = (name: string): readonly Stage[] => {
		const loaded = presetNamed(project, name);
		return "preset" in loaded ? loaded.preset.stages : [];
	};
	const own = stagesOf(project.preset);
	const by = Map.groupBy(issues, ({ stage }) => stage);
	const used = new Set(issues.filter(({ doneAt }) => doneAt === null).map(({ preset }) => preset));
	const others = new Map<string, Pick<Stage, "name" | "wipMax">>();
	const nameless = [...by.keys()].toSorted().map((name) => ({ name }));
	for (const stage of [...[...used].toSorted().flatMap(stagesOf), ...nameless])
		if (!own.some(({ name }) => name === stage.name) && !others.has(stage.name)) others.set(stage.name, stage);
	const stages = [...own.slice(0, -1), ...others.values(), ...own.slice(-1)];
	return stages.map(({ name, wipMax = null }, at) => ({
		...{ stage: name, wipMax, issues: by.get(name) ?? [] },
		more: at === stages.length - 1 && issues.length < all.length,
	}));
}

/** Done issues add up for as long as there is the project; a board shows those that were done last. */
export function withoutOldDone(issues: readonly Issue[]): readonly Issue[] {
	const done = issues
		.flatMap((issue) => (issue.doneAt === null ? [] : [{ issue, doneAt: issue.doneAt }]))
		.sort((a, b) => (a.doneAt < b.doneAt ? 1 : a.doneAt > b.doneAt ? -1 : b.issue.number - a.issue.number));
	const old = new Set(done.slice(boardDoneMax).map(({ issue }) => issue));
	return old.size === 0 ? issues : issues.filter((issue) => !old.has(issue));
}
