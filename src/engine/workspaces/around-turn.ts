// An agent's workspace around its turns: checked before a turn, kept after it.

import type { AgentState } from "#contract/agent.ts";
import { isRefusal } from "#contract/refusal.ts";
import { isDrift } from "#domain/health.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Checkout } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import { pushAfterTurn } from "./pushing.ts";
import { record, snapshot } from "./snapshot.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces | null;
}

export interface DriftParts {
	reads: Pick<Reads, "project">;
	dispatch: Dispatch;
	workspaces: Pick<Workspaces, "health"> | null;
}

/** commits of one turn that are linked to it */
const linkedMax = 20;

/**
 * Why no turn may start, or null. An agent whose workspace is not where or as it was is held; nothing is repaired.
 */
export async function drift(
	{ reads, dispatch, workspaces }: DriftParts,
	agent: AgentState,
	before: { turn?: number } = {},
): Promise<string | null> {
	const checkout = workspaces === null ? null : await checkoutOf(reads, agent);
	if (workspaces === null || checkout === null) return null;
	const { issues: problems } = await workspaces.health(checkout, { commit: agent.seenCommit });
	const found = problems.filter((problem) => isDrift(problem, agent)).map(({ text }) => text);
	if (found.length === 0) return null;
	const reason = found.join(" ").slice(0, 1000);
	const seen = { commit: agent.seenCommit, branch: checkout.workspace.branch };
	const when = before.turn === undefined ? { seen } : before;
	await dispatch(bySystem({ type: "workspace.drift", agent: agent.id, reason, ...when }));
	return reason;
}

/** Tells the agent of commits that others made in its tree since its last turn. */
export async function tellOfCommits(
	{ reads, dispatch, workspaces }: Parts,
	agent: AgentState,
	before: { turn: number },
): Promise<void> {
	const checkout = workspaces === null ? null : await checkoutOf(reads, agent);
	if (workspaces === null || checkout === null) return;
	const commits = await workspaces.commitsSince(checkout, agent.seenCommit);
	if (isRefusal(commits)) return;
	const others = commits.filter(({ byAgent }) => !byAgent);
	const head = commits.at(-1)?.commit;
	if (head === undefined) return;
	const lines = others.slice(-20).map(({ commit, author, subject }) => `${commit.slice(0, 10)} ${author}: ${subject}`);
	const text = ["Others have committed in your workspace since your last turn:", ...lines].join("\n").slice(0, 10_000);
	await dispatch(
		bySystem({
			type: "workspace.record",
			agent: agent.id,
			event: { kind: "workspace.updated", data: { head, step: "commit" } },
			...(others.length > 0 && { tell: text }),
			...before,
		}),
	);
}

/** Keeps what a turn left: a snapshot if anything changed, and a push where the project wants one. */
export async function snapshotAfterTurn(parts: Parts, agent: AgentState, turn: number): Promise<void> {
	const { reads, workspaces } = parts;
	const now = await reads.agent(agent.id);
	const checkout = workspaces === null || now === undefined ? null : await checkoutOf(reads, now);
	if (workspaces === null || checkout === null || now === undefined) return;
	await snapshot(parts, checkout, { reason: "end of turn", turn });
	// commits of the agent's own turn are expected, amended or not
	const branchStatus = await workspaces.branchStatus(checkout);
	if (!isRefusal(branchStatus) && branchStatus.head !== now.seenCommit) {
		await linkCommits(parts, checkout, { seen: now.seenCommit, turn });
		await record(parts, checkout, { kind: "workspace.updated", data: { head: branchStatus.head, step: "turn" } });
	}
	await pushAfterTurn({ ...parts, workspaces }, now);
}

/** Commits that the agent made with git itself belong to the turn like those that Brood made for it. */
async function linkCommits(
	parts: Parts,
	checkout: Checkout,
	{ seen, turn }: { seen: string | null; turn: number },
): Promise<void> {
	const commits = (await parts.workspaces?.commitsSince(checkout, seen)) ?? [];
	if (isRefusal(commits)) return;
	const { branch } = checkout.workspace;
	for (const { commit, files, filesTotal } of commits.filter(({ byAgent }) => byAgent).slice(-linkedMax))
		await record(parts, checkout, { kind: "workspace.committed", data: { commit, branch, files, filesTotal, turn } });
}
