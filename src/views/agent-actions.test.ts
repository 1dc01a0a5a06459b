import { expect, test } from "vitest";
import { type AgentState, activities, holdKinds } from "#contract/agent.ts";
import { human } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Workspace } from "#contract/workspace.ts";
import { leaseSteps } from "#contract/workspace-step.ts";
import { refusedNow } from "#domain/agent-state/transitions.ts";
import { decideLease } from "#domain/workspace.ts";
import { agent, live } from "#test/support/given.ts";
import { whyNoStep } from "./agent-actions.ts";
import { agentView } from "./wire.ts";

const workspace: Workspace = { kind: "worktree", path: "/a", branch: "brood/a", base: "main" };
const turn: AgentState["turn"] = { id: 7, prompt: 6, startedAt: 1, silentSince: null, subscription: null };

/** Agents in every state that a git step depends on. */
const states: AgentState[] = [
	live("a"),
	agent("a"),
	{ ...agent("a"), holds: [{ kind: "error", reason: "no space left", by: human, at: 1 }] },
	...[workspace, { ...workspace, kind: "main" } as const].flatMap((workspace): AgentState[] => [
		...activities.map((activity): AgentState => ({ ...live("a"), workspace, activity })),
		...holdKinds.map(
			(kind): AgentState => ({ ...live("a"), workspace, holds: [{ kind, reason: "", by: human, at: 1 }] }),
		),
		{ ...live("a"), workspace, activity: "running", turn },
		{ ...live("a"), workspace, lease: { step: "sync", at: 1 } },
		{ ...live("a"), workspace, life: "ended" },
		{ ...live("a"), workspace, life: "ended", workspaceRemovedAt: 2 },
	]),
];

test("a surface says of every git step in every state what the decision says", () => {
	const said = states.flatMap((state) =>
		leaseSteps.map((step) => whyNoStep(agentView(state, { queueLength: 0, unreadMail: 0, phase: "model" }), step)),
	);
	const decided = states.flatMap((state) =>
		leaseSteps.map((step) => {
			const decision = decideLease(state, { type: "workspace.lease", agent: state.id, step }, [], { actor: human });
			return isRefusal(decision) ? decision.message : null;
		}),
	);
	expect(said).toEqual(decided);
	const refused = said.filter((why) => why !== null);
	expect([refused.length > 50, said.length - refused.length > 50]).toEqual([true, true]);
	expect(new Set(refused)).toContain("a is running: commit has to wait for the end of its turn.");
});

test("a delete of a running agent has the same code with and without a workspace", () => {
	const running: AgentState = { ...live("a"), activity: "running", turn };
	const lease = { type: "workspace.lease", agent: running.id, step: "delete" } as const;
	const plain = refusedNow(running, "delete");
	const withWorkspace = decideLease({ ...running, workspace }, lease, [], { actor: human });
	for (const decision of [plain, withWorkspace]) expect(decision).toMatchObject({ code: "AGENT_INVALID_STATE" });
});
