// The agent: a durable process. Its state is three persisted facts (life, activity, holds); everything
// else that a screen calls "status" is derived from them in `domain/agent-state/label.ts`.
import { z } from "zod";
import { Permit, Policy } from "./approval.ts";
import { Actor, AgentId, AgentType, EventId, Handle, ProjectSlug, SubscriptionName } from "./ids.ts";
import { IssueNumber } from "./issue.ts";
import { StageName } from "./preset.ts";
import { BranchName } from "./project-config.ts";
import { RefusalCode } from "./refusal-schema.ts";
import { Session } from "./session.ts";
import { Reason, Text } from "./text.ts";
import { Allowance, BudgetRequest, Spent } from "./usage.ts";
import { Workspace, WorkspaceKind } from "./workspace.ts";
import { Lease, LeaseStep, WorkspacePlan } from "./workspace-step.ts";

export const lifeStates = ["provisioning", "live", "ended"] as const;
export const activities = ["idle", "preparing", "running", "settling"] as const;
export const holdKinds = ["user", "interrupt", "crash", "limit", "budget", "error", "dirty", "recovery"] as const;
export const labels = ["init", "idle", "checkout", "running", "done", "paused", "error", "dead", "deleted"] as const;
export const endReasons = ["killed", "deleted", "provision_failed"] as const;

export type Label = (typeof labels)[number];
export const HoldKind = z.enum(holdKinds);
export type HoldKind = z.infer<typeof HoldKind>;

/** A reason why no turn starts by itself. */
export const Hold = z.strictObject({
	kind: HoldKind,
	reason: z.string(),
	by: Actor,
	at: z.int(),
	/** when it ends by itself, if it does */
	until: z.int().exactOptional(),
	/** of `recovery`: the step that the daemon did not live to see the end of */
	step: LeaseStep.exactOptional(),
});
export type Hold = z.infer<typeof Hold>;

/** Whose context an agent inherited, and up to which event. 0 means that there was nothing to inherit. */
export const Lineage = z.strictObject({ agent: AgentId, forkPoint: z.union([z.literal(0), EventId]) });
export type Lineage = z.infer<typeof Lineage>;

/** An agent's row: what its events add up to. Times are epoch milliseconds inside, ISO strings on the wire. */
export const AgentState = z.strictObject({
	id: AgentId,
	handle: Handle,
	name: Handle.nullable(),
	project: ProjectSlug.nullable(),
	type: z.string(),
	model: z.string().nullable(),
	/** the program of an agent of type acp, and its arguments */
	command: z.string().nullable(),
	/** where its program keeps the conversation, if it does */
	session: Session.nullable(),
	/** the one whose slots it uses; null for whichever fits its type */
	subscription: SubscriptionName.nullable(),
	/** a person resumed it although its subscription cools down until then */
	limitWaivedUntil: z.int().nullable(),
	/** who answers when it asks for permission */
	policy: Policy,
	/** what it need not ask again */
	permits: z.array(Permit),
	life: z.enum(lifeStates),
	activity: z.enum(activities),
	holds: z.array(Hold),
	lineage: Lineage.nullable(),
	/** null for agent 0 only */
	supervisor: AgentId.nullable(),
	/** where it works; null if it has no place of its own, or not yet */
	workspace: Workspace.nullable(),
	/** how its workspace will be made; null once it exists */
	plan: WorkspacePlan.nullable(),
	/** the git step that is running in its workspace */
	lease: Lease.nullable(),
	/** the commit that its branch was last seen on */
	seenCommit: z.string().nullable(),
	/** the event that holds its settings (system prompt, pinned files); shared with its forks until one changes them */
	settings: EventId.nullable(),
	/** the one that is open */
	turn: z
		.strictObject({
			...{ id: EventId, prompt: EventId, startedAt: z.int(), silentSince: z.int().nullable() },
			/** whose slot it has, or gave back while it waits */
			subscription: SubscriptionName.nullable(),
		})
		.nullable(),
	/** when its latest turn started, and how long its last ones took */
	turnStartedAt: z.int().nullable(),
	turnsTookMs: z.array(z.int()),
	/** the event with which its latest turn ended */
	turnEndedIn: EventId.nullable(),
	/** what it works on, and the branch that it goes home to afterwards */
	issue: z.strictObject({ id: EventId, number: IssueNumber, stage: StageName, home: z.string().nullable() }).nullable(),
	totalTasksCompleted: z.int(),
	/** what its turns have used in all, as far as its programs told */
	spent: Spent,
	/** what they may use */
	budget: Allowance.nullable(),
	lastError: z.strictObject({ code: RefusalCode, step: z.string(), at: z.int() }).nullable(),
	createdAt: z.int(),
	createdBy: Actor,
	lastActiveAt: z.int(),
	endedAt: z.int().nullable(),
	endedBy: Actor.nullable(),
	endReason: z.enum(endReasons).nullable(),
	/** why, in the words of whoever ended it */
	endNote: z.string().nullable(),
	reapedAt: z.int().nullable(),
	workspaceRemovedAt: z.int().nullable(),
	removedBy: Actor.nullable(),
	removedNote: z.string().nullable(),
});
export type AgentState = z.infer<typeof AgentState>;

const Model = z.string().regex(/^[\x21-\x7e]{1,100}$/, "a model name has 1 to 100 visible ASCII characters");
const ProgramLine = Text.min(1)
	.max(4000)
	.regex(/^[^\p{Cc}]+$/u, "a program and its arguments are on one line");

/** The one way to make an agent: `fork` inherits, `agent add` is fresh under agent 0. */
export const AgentSpawn = z.strictObject({
	type: z.literal("agent.spawn"),
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

const PinnedPath = Text.max(1024).regex(
	/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\p{Cc}]+$/u,
	"a pinned file is a path inside the workspace",
);

export const Settings = z.strictObject({
	systemPrompt: Text.nullable(),
	/** paths inside the workspace that every turn sees */
	pinned: z.array(PinnedPath).max(100),
	/** what its program is told to be set to, by the names that it has for it, such as `mode` */
	options: z.record(Text.min(1).max(100), Text.max(200)),
});
export type Settings = z.infer<typeof Settings>;
export const noSettings: Settings = { systemPrompt: null, pinned: [], options: {} };

/** What is not named stays as it is. Settings survive a clear. */
export const AgentConfigure = z.strictObject({
	type: z.literal("agent.configure"),
	agent: AgentId,
	model: Model.nullable().optional(),
	subscription: SubscriptionName.nullable().optional(),
	policy: Policy.optional(),
	budget: BudgetRequest.optional(),
	...Settings.partial().shape,
});
export type AgentConfigure = z.infer<typeof AgentConfigure>;

export const AgentKill = z.strictObject({
	type: z.literal("agent.kill"),
	agent: AgentId,
	cascade: z.boolean().default(false),
	reason: Reason.default(""),
});
export type AgentKill = z.infer<typeof AgentKill>;
/** Ends it for good. Without force only if nothing waits for it. */
export const AgentDelete = z.strictObject({
	type: z.literal("agent.delete"),
	agent: AgentId,
	force: z.boolean().default(false),
	reason: Reason.default(""),
});
export type AgentDelete = z.infer<typeof AgentDelete>;
export const AgentFail = z.strictObject({
	type: z.literal("agent.fail"),
	agent: AgentId,
	code: RefusalCode,
	step: z.string().max(100),
	reason: Reason,
});
export type AgentFail = z.infer<typeof AgentFail>;
export const AgentPause = z.strictObject({
	type: z.literal("agent.pause"),
	agent: AgentId,
	reason: Reason.default(""),
});
export type AgentPause = z.infer<typeof AgentPause>;

export const AgentResume = z.strictObject({
	type: z.literal("agent.resume"),
	agent: AgentId,
	reason: Reason.default(""),
});
export type AgentResume = z.infer<typeof AgentResume>;

/** Stops the open turn. The agent is held afterwards, unless `resume` says that it may go on with its queue. */
export const AgentInterrupt = z.strictObject({
	type: z.literal("agent.interrupt"),
	agent: AgentId,
	reason: Reason.default(""),
	resume: z.boolean().default(false),
});
export type AgentInterrupt = z.infer<typeof AgentInterrupt>;

/** Makes agent 0 where there is none; anywhere else it changes nothing. */
export const AgentInit = z.strictObject({ type: z.literal("agent.init"), agentType: AgentType.default("scripted") });
/** Said by the reactor that prepares agents: everything it needs is there. */
export const AgentProvisioned = z.strictObject({
	type: z.literal("agent.provisioned"),
	agent: AgentId,
	workspace: Workspace.optional(),
	head: z.string().nullable().default(null),
});
export const AgentRecover = z.strictObject({ type: z.literal("agent.recover"), agent: AgentId });
/** Said by the daemon to itself: whether its subscription cools down may have changed. */
export const AgentLimit = z.strictObject({ type: z.literal("agent.limit"), agent: AgentId });
export const AgentReap = z.strictObject({ type: z.literal("agent.reap"), agent: AgentId });

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

export const AgentEvent = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("agent.spawned"),
		data: z.object({
			handle: Handle,
			name: Handle.nullable(),
			project: ProjectSlug.nullable(),
			type: z.string(),
			model: z.string().nullable(),
			command: z.string().nullable().default(null),
			subscription: SubscriptionName.nullable().default(null),
			policy: Policy.default("ask"),
			lineage: Lineage.nullable(),
			supervisor: AgentId.nullable(),
			settings: EventId.nullable(),
			workspace: Workspace.nullable().default(null),
			plan: WorkspacePlan.nullable().default(null),
			budget: Allowance.nullable().default(null),
		}),
	}),
	/** the whole settings, so that one event is all there is to read */
	z.object({
		kind: z.literal("agent.configured"),
		data: Settings.extend({
			options: Settings.shape.options.exactOptional(),
			model: z.string().nullable(),
			policy: Policy.exactOptional(),
			subscription: SubscriptionName.nullable().exactOptional(),
		}),
	}),
	z.object({ kind: z.literal("agent.budgeted"), data: z.object({ budget: Allowance.nullable() }) }),
	z.object({
		kind: z.literal("agent.provisioned"),
		data: z.object({ workspace: Workspace, head: z.string().nullable() }).nullish(),
	}),
	/** an issue is its own now; nothing starts before its workspace is on the issue's branch */
	z.object({
		kind: z.literal("agent.assigned"),
		data: z.object({ id: EventId, number: IssueNumber, stage: StageName }),
	}),
	/** with the branch that its workspace is on now, if it has one */
	z.object({ kind: z.literal("agent.readied"), data: z.object({ branch: z.string().nullable() }) }),
	/** it is done with the issue and goes home */
	z.object({ kind: z.literal("agent.settling") }),
	z.object({ kind: z.literal("agent.released"), data: z.object({ done: z.boolean() }) }),
	z.object({ kind: z.literal("agent.failed"), data: z.object({ code: RefusalCode, step: z.string() }) }),
	z.object({
		kind: z.literal("agent.held"),
		data: z.object({
			hold: HoldKind,
			reason: z.string(),
			until: z.int().exactOptional(),
			step: LeaseStep.exactOptional(),
		}),
	}),
	z.object({
		kind: z.literal("agent.unheld"),
		data: z.object({ holds: z.array(HoldKind), reason: z.string().exactOptional() }),
	}),
	z.object({ kind: z.literal("agent.supervised"), data: z.object({ supervisor: AgentId }) }),
	z.object({
		kind: z.literal("agent.ended"),
		data: z.object({ reason: z.enum(endReasons), note: z.string().exactOptional() }),
	}),
	/** its workspace, if it had one, is gone */
	z.object({ kind: z.literal("agent.removed"), data: z.object({ note: z.string() }).nullish() }),
	z.object({ kind: z.literal("agent.reaped") }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
