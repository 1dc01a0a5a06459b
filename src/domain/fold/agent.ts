// What events do to an agent's row. Rules are in the decisions, not here.
import type { AgentState, Hold } from "#contract/agent.ts";
import { type AgentId, system } from "#contract/ids.ts";
import { nothingSpent } from "#contract/usage.ts";
import { withSpent } from "../usage.ts";
import type { Changes, EventOf } from "./change.ts";
import { usedIn } from "./used.ts";

/** how many turns `availableAt` is estimated from */
const turnsTookMax = 9;

const own = (event: { agent: AgentId }): AgentId[] => [event.agent];

/** The row of the agent that the event belongs to. */
const on = <E extends { agent: AgentId }>(change: (row: AgentState, event: E) => AgentState) => ({ keys: own, change });

export const agentChanges = {
	"agent.spawned": { keys: own, make: spawned },
	"agent.configured": on((row, { id, data }) => {
		const { type = row.type, model, policy = row.policy, subscription = row.subscription } = data;
		return { ...row, type, model, policy, subscription, settings: id };
	}),
	"agent.renamed": on((row, { data }) => ({ ...row, handle: data.handle })),
	"agent.budgeted": on((row, { data }) => ({ ...row, budget: data.budget })),
	"agent.provisioned": on((row, { data }) => {
		const { workspace = row.workspace, head = null } = data ?? {};
		return { ...row, life: "live", workspacePlan: null, workspace, seenCommit: head };
	}),
	"agent.assigned": on((row, { data: { issueId: id, ...assigned }, at }) => ({
		...row,
		activity: "preparing",
		issue: { id, ...assigned, homeBranch: null },
		lastActiveAt: at,
	})),
	"agent.prepared": on((row, { data }) => ({ ...onBranch(row, data), activity: "idle" })),
	"agent.settling": on((row) => ({ ...row, activity: "settling" })),
	"agent.returned": on((row, { data }) => ({
		...{ ...onBranch(row, homeOf(row)), activity: "idle", issue: null },
		totalTasksCompleted: row.totalTasksCompleted + (data.work ? 1 : 0),
	})),
	"agent.failed": on((row, { data, at }) => ({ ...row, lastError: { ...data, at } })),
	"agent.held": on((row, event) => ({
		...row,
		...(event.data.hold === "limit" && { limitWaivedUntil: null }),
		holds: withHold(row.holds, held(event)),
	})),
	"agent.unheld": on((row, event) => ({
		...row,
		...waived(row, event),
		holds: row.holds.filter(({ kind }) => !event.data.holds.includes(kind)),
	})),
	// its program's conversation stays behind; the next turn begins with the journal's
	"agent.moved": on(moved),
	"agent.uploaded": on((row, { data: { bundle, whole } }) => ({
		...row,
		bundles: whole ? [bundle] : [...row.bundles, bundle],
		notUploaded: null,
	})),
	"agent.notUploaded": on((row, { data, at }) => ({
		...row,
		notUploaded: { since: row.notUploaded?.since ?? at, reason: data.reason },
		...(data.dropped && { bundles: [] }),
	})),
	"agent.trashed": on((row, { data }) => ({
		...row,
		former: row.former.map((each) =>
			each.node === data.node && each.trash === null ? { ...each, trash: data.trash ?? "" } : each,
		),
	})),
	"agent.supervised": on((row, { data }) => ({ ...row, supervisor: data.supervisor })),
	"agent.ended": on((row, { data, at, actor }) => ({
		...{ ...row, life: "ended", activity: "idle", holds: [] },
		...{ endReason: data.reason, endNote: data.note ?? null, endedAt: at, endedBy: actor },
	})),
	"agent.deleted": on((row, { data, at, actor }) => ({
		...row,
		workspaceRemovedAt: at,
		deletedBy: actor,
		deletedNote: data?.note ?? null,
		lease: null,
	})),
	"agent.reaped": on((row, { at }) => ({ ...row, reapedAt: at })),

	"turn.started": on((row, { id, data, at }) => {
		const { prompt, subscription = null } = data;
		const turn = { id, prompt, startedAt: at, silentSince: null, subscription };
		return { ...row, activity: "running", turn, turnStartedAt: at, lastActiveAt: at };
	}),
	"turn.silent": on((row, { data }) => ({ ...row, turn: row.turn && { ...row.turn, silentSince: data.since } })),
	"turn.responsive": on((row) => ({ ...row, turn: row.turn && { ...row.turn, silentSince: null } })),
	"turn.settling": on((row) => ({ ...row, activity: "settling" })),
	"turn.ended": on((row, { id, at }) => {
		const took = row.turn === null ? [] : [at - row.turn.startedAt];
		return {
			...row,
			activity: "idle",
			turn: null,
			turnsTookMs: [...row.turnsTookMs, ...took].slice(-turnsTookMax),
			turnEndedIn: id,
			lastActiveAt: at,
		};
	}),
	usage: {
		keys: (event) => (usedIn(event) === null ? [] : [event.agent]),
		change: (row, event) => ({ ...row, spent: withSpent(row.spent, usedIn(event)?.usage ?? {}) }),
	},

	"approval.answered": {
		keys: ({ agent, data }) => (data.permit === undefined ? [] : [agent]),
		change: (row, { data }) => ({
			...row,
			permits: data.permit === undefined ? row.permits : [...row.permits, data.permit],
		}),
	},
	"workspace.leased": on((row, { data, at }) => ({ ...row, lease: { ...data, at } })),
	"workspace.freed": on((row) => ({ ...row, lease: null })),
	"workspace.committed": on((row, { data }) => ({ ...row, seenCommit: data.commit })),
	"workspace.updated": on((row, { data }) => ({ ...row, seenCommit: data.head })),
	"session.opened": on((row, { id, data }) => ({ ...row, session: { ...data, openedIn: id } })),
} satisfies Changes<"agent">;

/** Holds about files that stayed behind end. Its tree is that of a snapshot that was uploaded. */
const aboutFiles: readonly Hold["kind"][] = ["recovery", "drift"];

function moved(row: AgentState, { data, at }: EventOf<"agent.moved">): AgentState {
	const { node, workspace, head = null } = data;
	const there = { ...row, node, session: null };
	if (workspace === undefined) return there;
	const left = row.node === null || row.workspace === null ? [] : [{ node: row.node, workspace: row.workspace }];
	return {
		...there,
		...{ workspace, seenCommit: head, lease: null, notUploaded: null },
		holds: row.holds.filter(({ kind }) => !aboutFiles.includes(kind)),
		former: [...row.former, ...left.map((each) => ({ ...each, leftAt: at, trash: null }))],
	};
}

function spawned(event: EventOf<"agent.spawned">): AgentState {
	return {
		id: event.agent,
		...event.data,
		node: event.data.node ?? null,
		limitWaivedUntil: null,
		session: null,
		bundles: [],
		notUploaded: null,
		former: [],
		permits: [],
		lease: null,
		seenCommit: null,
		life: "provisioning",
		activity: "idle",
		holds: [],
		turn: null,
		turnStartedAt: null,
		turnsTookMs: [],
		turnEndedIn: null,
		issue: null,
		totalTasksCompleted: 0,
		spent: nothingSpent,
		lastError: null,
		createdAt: event.at,
		createdBy: event.actor,
		lastActiveAt: event.at,
		endedAt: null,
		endedBy: null,
		endReason: null,
		endNote: null,
		reapedAt: null,
		workspaceRemovedAt: null,
		deletedBy: null,
		deletedNote: null,
	};
}

interface Branch {
	branch: string | null;
	base?: string;
}

/** While it works on an issue, its workspace has the issue's branch and base; the issue has what it had before. */
function onBranch(row: AgentState, { branch, base }: Branch): AgentState {
	const { workspace, issue } = row;
	if (workspace === null) return row;
	const homeBase = issue?.homeBase ?? (base === undefined || base === workspace.base ? undefined : workspace.base);
	return {
		...row,
		workspace: { ...workspace, branch: branch ?? workspace.branch, base: base ?? workspace.base },
		issue: issue && {
			...issue,
			homeBranch: issue.homeBranch ?? (branch === null ? null : workspace.branch),
			...(homeBase !== undefined && { homeBase }),
		},
	};
}

const homeOf = ({ issue }: AgentState): Branch => ({
	branch: issue?.homeBranch ?? null,
	...(issue?.homeBase !== undefined && { base: issue.homeBase }),
});

function held({ data, actor, at }: EventOf<"agent.held">): Hold {
	const { hold: kind, reason, until, step } = data;
	return { kind, reason, by: actor, at, ...(until !== undefined && { until }), ...(step !== undefined && { step }) };
}

/** A person who resumes it before its limit ends waives the limit; the daemon does not. */
function waived(row: AgentState, { data, actor }: EventOf<"agent.unheld">): Partial<AgentState> {
	const limit = row.holds.find((hold) => hold.kind === "limit" && data.holds.includes("limit"));
	return actor === system || limit?.until === undefined ? {} : { limitWaivedUntil: limit.until };
}

/** At most one hold of each kind: the newest. */
const withHold = (holds: Hold[], hold: Hold): Hold[] => [...holds.filter((other) => other.kind !== hold.kind), hold];
