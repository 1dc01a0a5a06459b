// The commands that make, change and end agents.
import { z } from "zod";
import { Settings } from "./agent.ts";
import { Policy } from "./approval.ts";
import { command } from "./define.ts";
import { AgentId, AgentType, EventId, Handle, ProjectSlug, SubscriptionName } from "./ids.ts";
import { BranchName } from "./project-config.ts";
import { RefusalCode } from "./refusal-schema.ts";
import { Reason, Text } from "./text.ts";
import { BudgetRequest } from "./usage.ts";
import { Workspace, WorkspaceKind } from "./workspace.ts";

const Model = z.string().regex(/^[\x21-\x7e]{1,100}$/, "a model name has 1 to 100 visible ASCII characters");
const ProgramLine = Text.min(1)
	.max(4000)
	.regex(/^[^\p{Cc}]+$/u, "a program and its arguments are on one line");

/** The one way to make an agent: `fork` inherits, `agent add` is fresh under agent 0. */
export const AgentSpawn = command("agent.spawn", {
	by: AgentId,
	context: z.enum(["inherit", "fresh"]),
	/** a place of its own, the parent's, or none; what the parent has, if absent */
	workspace: z.enum(["none", "share", "new"]).optional(),
	workspaceKind: WorkspaceKind.optional(),
	/** the branch that it starts from, if it does not start from its parent's tree */
	from: BranchName.optional(),
	/** of the parent's tree at the moment of the fork */
	snapshot: z.string().max(100).optional(),
	/** whose tree that is, if it is not the parent's: an item may be inherited */
	snapshotOf: AgentId.optional(),
	name: Handle.optional(),
	/** becomes part of the handle when there is no name */
	title: z.string().max(200).optional(),
	/** the last item of the parent's context that the child inherits; the latest one if absent */
	at: EventId.optional(),
	/** queued for the child in the same transaction */
	prompt: Text.min(1).optional(),
	project: ProjectSlug.optional(),
	agentType: AgentType.optional(),
	model: Model.optional(),
	/** for agents of type acp: the program, and its arguments */
	command: ProgramLine.optional(),
	subscription: SubscriptionName.optional(),
	policy: Policy.optional(),
	/** what it may use; half of what its parent has left, if that one has a budget and nothing is named */
	budget: BudgetRequest.optional(),
});
export type AgentSpawn = z.infer<typeof AgentSpawn>;

/** What is not named stays as it is. Settings survive a clear. */
export const AgentConfigure = command("agent.configure", {
	agent: AgentId,
	model: Model.nullable().optional(),
	subscription: SubscriptionName.nullable().optional(),
	policy: Policy.optional(),
	budget: BudgetRequest.optional(),
	...Settings.partial().shape,
});
export type AgentConfigure = z.infer<typeof AgentConfigure>;

export const AgentKill = command("agent.kill", {
	agent: AgentId,
	cascade: z.boolean().default(false),
	reason: Reason.default(""),
});
export type AgentKill = z.infer<typeof AgentKill>;
/** Ends it for good. Without force only if nothing waits for it. */
export const AgentDelete = command("agent.delete", {
	agent: AgentId,
	force: z.boolean().default(false),
	reason: Reason.default(""),
});
export type AgentDelete = z.infer<typeof AgentDelete>;
export const AgentFail = command("agent.fail", {
	agent: AgentId,
	code: RefusalCode,
	step: z.string().max(100),
	reason: Reason,
});
export type AgentFail = z.infer<typeof AgentFail>;
export const AgentPause = command("agent.pause", { agent: AgentId, reason: Reason.default("") });
export type AgentPause = z.infer<typeof AgentPause>;

export const AgentResume = command("agent.resume", { agent: AgentId, reason: Reason.default("") });
export type AgentResume = z.infer<typeof AgentResume>;

/** Stops the open turn. The agent is held afterwards, unless `resume` says that it may go on with its queue. */
export const AgentInterrupt = command("agent.interrupt", {
	agent: AgentId,
	reason: Reason.default(""),
	resume: z.boolean().default(false),
});
export type AgentInterrupt = z.infer<typeof AgentInterrupt>;

/** Makes agent 0 where there is none; anywhere else it changes nothing. */
export const AgentInit = command("agent.init", { agentType: AgentType.default("scripted") });
/** Said by the reactor that prepares agents: everything it needs is there. */
export const AgentProvisioned = command("agent.provisioned", {
	agent: AgentId,
	workspace: Workspace.optional(),
	head: z.string().nullable().default(null),
});
export const AgentRecover = command("agent.recover", { agent: AgentId });
/** Said by the daemon to itself: whether its subscription cools down may have changed. */
export const AgentLimit = command("agent.limit", { agent: AgentId });
export const AgentReap = command("agent.reap", { agent: AgentId });

export const agentCommands = [
	AgentInit,
	AgentSpawn,
	AgentProvisioned,
	AgentFail,
	AgentPause,
	AgentResume,
	AgentRecover,
	AgentLimit,
	AgentConfigure,
	AgentInterrupt,
	AgentKill,
	AgentDelete,
	AgentReap,
] as const;
