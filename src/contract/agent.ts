// The agent: a durable process. Its state is three persisted fields (life, activity, holds), and whether it was
// deleted. The label that screens show is derived from them in `domain/agent-state/label.ts`.
import { z } from "zod";
import { Permit, Policy } from "./approval.ts";
import { event } from "./define.ts";
import { Actor, AgentId, EventId, Handle, ProjectSlug, SubscriptionName } from "./ids.ts";
import { IssueNumber } from "./issue.ts";
import { NodeId } from "./node.ts";
import { StageName } from "./preset.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Session } from "./session.ts";
import { Text } from "./text.ts";
import { AgentBudget, Spent } from "./usage.ts";
import { Workspace } from "./workspace.ts";
import { LeaseState, LeaseStep, WorkspacePlan } from "./workspace-step.ts";

export const lifeStates = ["provisioning", "live", "ended"] as const;
export const activities = ["idle", "preparing", "running", "settling"] as const;
export const holdKinds = ["user", "interrupt", "crash", "limit", "budget", "error", "drift", "recovery"] as const;
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
	/** of `recovery`: the step that was running when the daemon died */
	step: LeaseStep.exactOptional(),
});
export type Hold = z.infer<typeof Hold>;

/** Whose context an agent inherited, and up to which event; 0 if there was nothing to inherit. */
export const Lineage = z.strictObject({ agent: AgentId, forkPoint: z.union([z.literal(0), EventId]) });
export type Lineage = z.infer<typeof Lineage>;

/** A git bundle of a snapshot and of the agent's branch, in the store's blobs. */
export const Bundle = z.strictObject({ blob: z.string(), snapshot: z.string(), commit: z.string(), bytes: z.int() });
export type Bundle = z.infer<typeof Bundle>;

export const FormerWorkspace = z.strictObject({
	node: NodeId,
	workspace: Workspace,
	leftAt: z.int(),
	trash: z.string().nullable(),
});
export type FormerWorkspace = z.infer<typeof FormerWorkspace>;

/** An agent's row: what its events add up to. Times are milliseconds since 1970 inside, ISO strings on the wire. */
export const AgentState = z.strictObject({
	id: AgentId,
	/** what people and agents call it */
	handle: Handle,
	/** the handle that was asked for; null if it was generated */
	name: Handle.nullable(),
	project: ProjectSlug.nullable(),
	type: z.string(),
	model: z.string().nullable(),
	/** of an agent of type acp: its program and arguments */
	program: z.string().nullable(),
	/** where its program keeps the conversation itself */
	session: Session.nullable(),
	/** whose slots it uses; null for any subscription of its type */
	subscription: SubscriptionName.nullable(),
	/** a person resumed it during a cool-down that ends then */
	limitWaivedUntil: z.int().nullable(),
	/** who answers its approvals */
	policy: Policy,
	permits: z.array(Permit),
	life: z.enum(lifeStates),
	activity: z.enum(activities),
	holds: z.array(Hold),
	lineage: Lineage.nullable(),
	/** null for agent 0 only */
	supervisor: AgentId.nullable(),
	/** where its processes and files are; null in a store that never had more than one node */
	node: NodeId.nullable(),
	/** null if it has none, or none yet */
	workspace: Workspace.nullable(),
	/** its snapshots where every node can read them: each needs those before it */
	bundles: z.array(Bundle).default([]),
	/** why its last snapshot is not among them */
	notUploaded: z.strictObject({ since: z.int(), reason: z.string() }).nullable().default(null),
	/** its files at nodes that it was moved away from; `trash`: where they were put, null until then */
	former: z.array(FormerWorkspace).default([]),
	/** how its workspace will be made; null once it exists */
	workspacePlan: WorkspacePlan.nullable(),
	/** of its workspace: the git step that is running there */
	lease: LeaseState.nullable(),
	/** the last known head of its branch */
	seenCommit: z.string().nullable(),
	/** the event with its settings (system prompt, pinned files); shared with its forks until one changes them */
	settings: EventId.nullable(),
	/** the open turn */
	turn: z
		.strictObject({
			...{ id: EventId, prompt: EventId, startedAt: z.int(), silentSince: z.int().nullable() },
			/** whose slot it has, or had before it began to wait */
			subscription: SubscriptionName.nullable(),
		})
		.nullable(),
	/** of its latest turn */
	turnStartedAt: z.int().nullable(),
	turnsTookMs: z.array(z.int()),
	/** the event that ended its latest turn */
	turnEndedIn: EventId.nullable(),
	/** the issue that it works on, and the branch and base to return to afterwards, where the issue's are others */
	issue: z
		.strictObject({
			...{ id: EventId, number: IssueNumber, stage: StageName, homeBranch: z.string().nullable() },
			homeBase: z.string().exactOptional(),
		})
		.nullable(),
	totalTasksCompleted: z.int(),
	/** the usage of all its turns, as reported by its programs */
	spent: Spent,
	budget: AgentBudget.nullable(),
	lastError: z.strictObject({ code: RefusalCodeSchema, step: z.string(), at: z.int() }).nullable(),
	createdAt: z.int(),
	createdBy: Actor,
	lastActiveAt: z.int(),
	endedAt: z.int().nullable(),
	endedBy: Actor.nullable(),
	endReason: z.enum(endReasons).nullable(),
	endNote: z.string().nullable(),
	reapedAt: z.int().nullable(),
	workspaceRemovedAt: z.int().nullable(),
	deletedBy: Actor.nullable(),
	deletedNote: z.string().nullable(),
});
export type AgentState = z.infer<typeof AgentState>;

/** The name of its workspace's folder, empty if it has none; null once that was removed. */
export const workspaceFolderName = ({ workspace, workspaceRemovedAt }: AgentState): string | null =>
	workspaceRemovedAt === null ? (workspace?.path.split("/").at(-1) ?? "") : null;

/**
 * Whether its files still are where they should not be: at a node that it was moved away from, or, once deleted, in
 * bundles.
 */
export const hasStrayFiles = ({ former, workspaceRemovedAt, bundles }: AgentState): boolean =>
	former.some(({ trash }) => trash === null) || (workspaceRemovedAt !== null && bundles.length > 0);

const PinnedPath = Text.max(1024).regex(
	/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\p{Cc}]+$/u,
	"a pinned file is a path inside the workspace",
);

export const Settings = z.strictObject({
	systemPrompt: Text.nullable(),
	/** files of the workspace that it is shown (`llm`) or told to read (a vendor's agent) in every turn */
	pinned: z.array(PinnedPath).max(100),
	/** options of its program, by the program's own names, such as `mode` */
	options: z.record(Text.min(1).max(100), Text.max(200)),
});
export type Settings = z.infer<typeof Settings>;
export const noSettings: Settings = { systemPrompt: null, pinned: [], options: {} };

export const AgentEvent = z.discriminatedUnion("kind", [
	event("agent.spawned", {
		handle: Handle,
		name: Handle.nullable(),
		project: ProjectSlug.nullable(),
		type: z.string(),
		model: z.string().nullable(),
		program: z.string().nullable().default(null),
		subscription: SubscriptionName.nullable().default(null),
		policy: Policy.default("ask"),
		lineage: Lineage.nullable(),
		supervisor: AgentId.nullable(),
		settings: EventId.nullable(),
		workspace: Workspace.nullable().default(null),
		workspacePlan: WorkspacePlan.nullable().default(null),
		budget: AgentBudget.nullable().default(null),
		node: NodeId.exactOptional(),
	}),
	/**
	 * its processes and files are at another node from now on; `turn`: the open one of a human agent, which moves along
	 */
	event("agent.moved", {
		node: NodeId,
		turn: EventId.exactOptional(),
		/** made there from its last snapshot; it has none if absent */
		workspace: Workspace.exactOptional(),
		head: z.string().nullable().exactOptional(),
	}),
	/** `whole`: it needs none of those before it, which are deleted */
	event("agent.uploaded", { bundle: Bundle, whole: z.boolean() }),
	/** `dropped`: its bundles are gone as well */
	event("agent.notUploaded", { reason: z.string(), dropped: z.literal(true).exactOptional() }),
	/** the files of an agent that was moved away are in the trash of its former node; null if there were none */
	event("agent.trashed", { node: NodeId, trash: z.string().nullable() }),
	/** its processes have ended, after another node asked for its end */
	z.object({ kind: z.literal("agent.processesEnded") }),
	/** all settings, so that the latest event is the only one to read */
	z.object({
		kind: z.literal("agent.configured"),
		data: Settings.extend({
			options: Settings.shape.options.exactOptional(),
			/** if it changed */
			type: z.string().exactOptional(),
			model: z.string().nullable(),
			policy: Policy.exactOptional(),
			subscription: SubscriptionName.nullable().exactOptional(),
		}),
	}),
	/** an ended agent of a project that was removed gives its name to one of the project that was added since */
	event("agent.renamed", { handle: Handle }),
	event("agent.budgeted", { budget: AgentBudget.nullable() }),
	z.object({
		kind: z.literal("agent.provisioned"),
		data: z.object({ workspace: Workspace, head: z.string().nullable() }).nullish(),
	}),
	/** no turn starts before its workspace is on the issue's branch */
	event("agent.assigned", { issueId: EventId, number: IssueNumber, stage: StageName }),
	/** `branch`: the branch that its workspace is on now; `base`: the project's, which the issue is merged into */
	event("agent.prepared", { branch: z.string().nullable(), base: z.string().exactOptional() }),
	/** it is done with the issue; its workspace goes back to its home branch */
	z.object({ kind: z.literal("agent.settling") }),
	/** its workspace is on its home branch; `work`: its run on the issue ended with work, whatever became of the issue */
	event("agent.returned", { work: z.boolean() }),
	event("agent.failed", { code: RefusalCodeSchema, step: z.string() }),
	event("agent.held", {
		hold: HoldKind,
		reason: z.string(),
		until: z.int().exactOptional(),
		step: LeaseStep.exactOptional(),
	}),
	event("agent.unheld", { holds: z.array(HoldKind), reason: z.string().exactOptional() }),
	event("agent.supervised", { supervisor: AgentId }),
	/** `askedNode`: the node that was asked, if the agent's processes are at another one */
	event("agent.ended", {
		reason: z.enum(endReasons),
		note: z.string().exactOptional(),
		askedNode: NodeId.exactOptional(),
	}),
	/** the workspace that it had for itself is in the trash; an agent that lived has ended before */
	z.object({ kind: z.literal("agent.deleted"), data: z.object({ note: z.string() }).nullish() }),
	z.object({ kind: z.literal("agent.reaped") }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;

export const noAgent = (id: AgentId | undefined): Refusal =>
	refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });
