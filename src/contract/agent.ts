// The agent: a durable process. Its state is three persisted facts (life, activity, holds); everything
// else that a screen calls "status" is derived from them in `domain/agent-state/label.ts`.
import { z } from "zod";
import { Permit, Policy } from "./approval.ts";
import { event } from "./define.ts";
import { Actor, AgentId, EventId, Handle, ProjectSlug, SubscriptionName } from "./ids.ts";
import { IssueNumber } from "./issue.ts";
import { StageName } from "./preset.ts";
import { RefusalCode } from "./refusal-schema.ts";
import { Session } from "./session.ts";
import { Text } from "./text.ts";
import { Allowance, Spent } from "./usage.ts";
import { Workspace } from "./workspace.ts";
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

export const AgentEvent = z.discriminatedUnion("kind", [
	event("agent.spawned", {
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
	event("agent.budgeted", { budget: Allowance.nullable() }),
	z.object({
		kind: z.literal("agent.provisioned"),
		data: z.object({ workspace: Workspace, head: z.string().nullable() }).nullish(),
	}),
	/** an issue is its own now; nothing starts before its workspace is on the issue's branch */
	event("agent.assigned", { id: EventId, number: IssueNumber, stage: StageName }),
	/** with the branch that its workspace is on now, if it has one */
	event("agent.readied", { branch: z.string().nullable() }),
	/** it is done with the issue and goes home */
	z.object({ kind: z.literal("agent.settling") }),
	event("agent.released", { done: z.boolean() }),
	event("agent.failed", { code: RefusalCode, step: z.string() }),
	event("agent.held", {
		hold: HoldKind,
		reason: z.string(),
		until: z.int().exactOptional(),
		step: LeaseStep.exactOptional(),
	}),
	event("agent.unheld", { holds: z.array(HoldKind), reason: z.string().exactOptional() }),
	event("agent.supervised", { supervisor: AgentId }),
	event("agent.ended", { reason: z.enum(endReasons), note: z.string().exactOptional() }),
	/** its workspace, if it had one, is gone */
	z.object({ kind: z.literal("agent.removed"), data: z.object({ note: z.string() }).nullish() }),
	z.object({ kind: z.literal("agent.reaped") }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
