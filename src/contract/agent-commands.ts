// The commands that make, change and end agents.
import { z } from "zod";
import { Bundle, Settings } from "./agent.ts";
import { Policy } from "./approval.ts";
import { command } from "./define.ts";
import { AgentId, AgentType, EventId, Handle, ProjectSlug, SubscriptionName } from "./ids.ts";
import { NodeId } from "./node.ts";
import { BranchName } from "./project-config.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Reason, Text } from "./text.ts";
import { BudgetRequest } from "./usage.ts";
import { Workspace, WorkspaceKind } from "./workspace.ts";

const Model = z.string().regex(/^[\x21-\x7e]{1,100}$/, "a model name has 1 to 100 visible ASCII characters");
const ProgramLine = Text.min(1)
	.max(4000)
	.regex(/^[^\p{Cc}]+$/u, "a program and its arguments are on one line");

/** The one way to make an agent: `fork` inherits unless it is fresh, `agent add` is fresh under agent 0. */
export const AgentSpawn = command("agent.spawn", {
	parent: AgentId,
	context: z.enum(["inherit", "fresh"]),
	/** a workspace of its own, the parent's, or none; like the parent if absent */
	workspace: z.enum(["none", "share", "new"]).optional(),
	workspaceKind: WorkspaceKind.optional(),
	/** where it lives: with its parent or project if absent */
	node: NodeId.optional(),
	/** its program is not at the node that was asked */
	notHere: z.literal(true).optional(),
	/** the branch to start from; the parent's tree if absent */
	from: BranchName.optional(),
	/** the snapshot taken of the parent's tree at the fork */
	snapshot: z.string().max(100).optional(),
	/** the agent whose tree that is, if not the parent's: `at` may name an inherited item */
	snapshotOf: AgentId.optional(),
	name: Handle.optional(),
	/** part of the handle if there is no name */
	title: z.string().max(200).optional(),
	/** the last item of the parent's context that the child inherits; the latest one if absent */
	at: EventId.optional(),
	/** queued for the child in the same transaction */
	prompt: Text.min(1).optional(),
	project: ProjectSlug.optional(),
	agentType: AgentType.optional(),
	model: Model.optional(),
	/** of an agent of type acp: its program and arguments */
	program: ProgramLine.optional(),
	subscription: SubscriptionName.optional(),
	policy: Policy.optional(),
	/** if absent, half of what is left of the parent's budget */
	budget: BudgetRequest.optional(),
});
export type AgentSpawn = z.infer<typeof AgentSpawn>;

/** Absent fields stay as they are. Settings survive a clear. */
export const AgentConfigure = command("agent.configure", {
	agent: AgentId,
	/** only of agent 0, whose type no person chose */
	agentType: AgentType.optional(),
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
/** Ends an agent for good; without `force` only if its queue is empty. */
export const AgentDelete = command("agent.delete", {
	agent: AgentId,
	force: z.boolean().default(false),
	reason: Reason.default(""),
});
export type AgentDelete = z.infer<typeof AgentDelete>;
export const AgentFail = command("agent.fail", {
	agent: AgentId,
	code: RefusalCodeSchema,
	step: z.string().max(100),
	reason: Reason,
});
export type AgentFail = z.infer<typeof AgentFail>;
export const AgentPause = command("agent.pause", { agent: AgentId, reason: Reason.default("") });
export type AgentPause = z.infer<typeof AgentPause>;

export const AgentResume = command("agent.resume", { agent: AgentId, reason: Reason.default("") });
export type AgentResume = z.infer<typeof AgentResume>;

/** Stops the open turn. The agent is held afterwards; with `resume` it continues with its queue. */
export const AgentInterrupt = command("agent.interrupt", {
	agent: AgentId,
	reason: Reason.default(""),
	resume: z.boolean().default(false),
	/** end its processes at once, without the time to stop by themselves; also if the turn is being stopped already */
	force: z.boolean().default(false),
});
export type AgentInterrupt = z.infer<typeof AgentInterrupt>;

/** Creates agent 0 if there is none. */
export const AgentInit = command("agent.init", { agentType: AgentType.default("scripted") });
/** From the provisioning reactor: the agent is ready. */
export const AgentProvision = command("agent.provision", {
	agent: AgentId,
	workspace: Workspace.optional(),
	head: z.string().nullable().default(null),
});
export const AgentRecover = command("agent.recover", { agent: AgentId });
/** From the daemon: a cool-down of its subscription may have begun or ended. */
export const AgentCheckLimit = command("agent.checkLimit", { agent: AgentId });
export const AgentReap = command("agent.reap", { agent: AgentId });

/** From the agent's node: the processes of an agent whose end another node was asked for have ended. */
export const AgentReportProcessesEnded = command("agent.reportProcessesEnded", { agent: AgentId });
/** From the agent's node: a snapshot is where every node can read it, or why it is not. Any node reports `dropped`. */
export const AgentUpload = command("agent.upload", {
	agent: AgentId,
	bundle: Bundle.optional(),
	/** it needs none of the bundles before it */
	whole: z.boolean().default(false),
	reason: Reason.default(""),
	/** it was deleted, and so were its bundles */
	dropped: z.literal(true).optional(),
});
export type AgentUpload = z.infer<typeof AgentUpload>;
/**
 * To the node that is asked, which has made the workspace. `from`: where it was when that began; nothing of it may have
 * changed since.
 */
export const AgentMove = command("agent.move", {
	agent: AgentId,
	from: z.strictObject({
		node: NodeId,
		epoch: z.int(),
		turnEndedIn: z.int().nullable(),
		snapshot: z.string().nullable(),
	}),
	workspace: Workspace.optional(),
	head: z.string().nullable().default(null),
});
export type AgentMove = z.infer<typeof AgentMove>;
/** From a former node: the files that were there are in its trash. */
export const AgentTrash = command("agent.trash", { agent: AgentId, node: NodeId, trash: z.string().nullable() });
export type AgentTrash = z.infer<typeof AgentTrash>;

export const agentCommands = [
	AgentInit,
	AgentSpawn,
	AgentProvision,
	AgentFail,
	AgentPause,
	AgentResume,
	AgentRecover,
	AgentCheckLimit,
	AgentConfigure,
	AgentInterrupt,
	AgentKill,
	AgentDelete,
	AgentReap,
	AgentReportProcessesEnded,
	AgentUpload,
	AgentMove,
	AgentTrash,
] as const;
