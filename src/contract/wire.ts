// The nouns on the wire, on which scripts rely. More fields may follow; times are ISO strings, `agent` and `node` are
// ids, names of them are in fields like `handle` and `nodeName`, `project` is a slug.
import { z } from "zod";
import { AgentState, Hold, labels } from "./agent.ts";
import { ApprovalState, Policy } from "./approval.ts";
import { ContainmentLevel } from "./config.ts";
import { Event } from "./event.ts";
import { Actor, AgentId, EventId, Handle, ProjectSlug } from "./ids.ts";
import { IssueNumber } from "./issue.ts";
import { MailState } from "./mail.ts";
import { NodeId } from "./node.ts";
import { PersonRole, PersonState } from "./person.ts";
import { StageName } from "./preset.ts";
import { PromptState } from "./prompt.ts";
import { RefusalCodeSchema } from "./refusal-schema.ts";
import { Hit } from "./search.ts";
import { Session } from "./session.ts";
import { Quiet, SubscriptionState } from "./subscription.ts";
import { phases, TurnState } from "./turn.ts";
import { Budget } from "./usage.ts";
import { WaitState } from "./wait.ts";
import { BranchStatus, HealthProblem, RemoteStatus } from "./workspace.ts";
import { LeaseStep } from "./workspace-step.ts";

export const Time = z.iso.datetime();

export const Agent = z.object({
	...AgentState.omit({
		...{ settings: true, permits: true, workspacePlan: true, seenCommit: true, limitWaivedUntil: true },
		...{ turnStartedAt: true, turnsTookMs: true, turnEndedIn: true, bundles: true, notUploaded: true, former: true },
	}).shape,
	session: Session.omit({ folder: true, openedIn: true }).nullable(),
	label: z.enum(labels),
	holds: z.array(z.object({ ...Hold.shape, at: Time, until: Time.exactOptional() })),
	/** the git step that is running in its workspace */
	lease: LeaseStep.nullable(),
	queueLength: z.int(),
	unreadMail: z.int(),
	/** why its next prompt does not start, or its turn does not continue, for people; null if nothing waits */
	waitingFor: z.string().nullable(),
	/** how many others come first */
	turnsAhead: z.int(),
	/** when its queue is expected to be done; null if it is idle, or unknown */
	availableAt: Time.nullable(),
	turn: z.object({ id: EventId, startedAt: Time, phase: z.enum(phases), silentSince: Time.nullable() }).nullable(),
	lastError: z.object({ code: RefusalCodeSchema, step: z.string(), at: Time }).nullable(),
	/** the number of the issue that it works on, and its stage */
	issue: IssueNumber.nullable(),
	stage: StageName.nullable(),
	/** whether it could be moved while its node is down: it has no files, or a snapshot of them is in the database */
	movable: z.boolean(),
	budget: Budget.nullable(),
	budgetLeft: Budget.nullable(),
	createdAt: Time,
	lastActiveAt: Time,
	endedAt: Time.nullable(),
	reapedAt: Time.nullable(),
	workspaceRemovedAt: Time.nullable(),
});
export type Agent = z.infer<typeof Agent>;

/** Whether an agent could start new work at once. */
export const Availability = z.object({
	...Agent.pick({ id: true, handle: true, project: true, type: true, model: true, label: true }).shape,
	available: z.boolean(),
	/** what keeps it; null if it is free */
	reason: z.string().nullable(),
	/** when it is expected to be free, if that is known */
	availableAt: Agent.shape.availableAt,
});
export type Availability = z.infer<typeof Availability>;

/** What an agent has done so far, for lists. */
export const Progress = z.object({
	agent: AgentId,
	/** the text of its last message, tool call or prompt, cut to 300 characters; `(from opus-1) …` if another wrote it */
	lastText: z.string().nullable(),
	/** beside its base, with what is not committed; null without a workspace, or where it could not be read in time */
	branchStatus: z
		.object({ ahead: z.int(), behind: z.int(), uncommitted: z.boolean(), added: z.int(), deleted: z.int() })
		.nullable(),
});
export type Progress = z.infer<typeof Progress>;

/** An event of the journal. */
export const WireEvent = z.object({ ...Event.shape, at: Time });
export type WireEvent = z.infer<typeof WireEvent>;

/** An event of a conversation: its kind has no dot. */
export const Item = WireEvent.describe("an event of a conversation: its kind has no dot");
export type Item = z.infer<typeof Item>;

/** An item that a search found, with the text around the hit. */
export const Found = z.object({ ...Hit.shape, handle: Handle, project: ProjectSlug.nullable(), at: Time });
export type Found = z.infer<typeof Found>;

export const Turn = z.object({
	...TurnState.omit({ handedAt: true, stoppingAt: true, stoppingFor: true, textEvent: true }).shape,
	startedAt: Time,
	endedAt: Time.nullable(),
});
export type Turn = z.infer<typeof Turn>;

/** Its position counts from 1, which is next. */
export const Prompt = z.object({
	...PromptState.omit({ textEvent: true, taken: true }).shape,
	notBefore: Time.nullable(),
	createdAt: Time,
	editedAt: Time.nullable(),
});
export type Prompt = z.infer<typeof Prompt>;

/** `handles` are those from agent 0 down to the agent that asks. */
export const Approval = z.object({
	...ApprovalState.shape,
	handles: z.array(Handle),
	askedAt: Time,
	answeredAt: Time.nullable(),
});
export type Approval = z.infer<typeof Approval>;

export const Wait = z.object({
	...WaitState.omit({ ready: true }).shape,
	deadline: Time.nullable(),
	openedAt: Time,
	endedAt: Time.nullable(),
	/** each target; `met` is false until the wait is over */
	seen: z.array(z.object({ agent: AgentId, handle: Handle, label: z.enum(labels), met: z.boolean() })),
});
export type Wait = z.infer<typeof Wait>;

export const Mail = z.object({ ...MailState.omit({ deletedAt: true }).shape, sentAt: Time, readAt: Time.nullable() });
export type Mail = z.infer<typeof Mail>;

export const Project = z.object({
	...{ slug: ProjectSlug, path: z.string(), url: z.string().nullable(), addedAt: Time },
	...{
		auto: z.boolean(),
		agentsMax: z.int(),
		context: z.enum(["clear", "keep"]),
		preset: z.string(),
		agentType: z.string().nullable(),
		policy: Policy.nullable(),
		onLimit: z.enum(["wait", "fallback", "stop"]),
		quiet: Quiet.nullable(),
	},
	/** its home node, where `path` is; null in a store that never had more than one node */
	node: NodeId.nullable(),
	/** why it does not work, and what to do; as of the last check */
	problem: HealthProblem.nullable(),
});
export type Project = z.infer<typeof Project>;

/** `used` counts the turns that hold a slot. */
export const Subscription = z.object({
	...SubscriptionState.omit({ removedAt: true }).shape,
	used: z.int(),
	coolingUntil: Time.nullable(),
	createdAt: Time,
	/** why its credentials cannot be used now, at the node that was asked; `credential` is what that node uses */
	problem: z.string().nullable(),
});
export type Subscription = z.infer<typeof Subscription>;

/** Somebody who has a token of their own. */
export const Person = z.object({
	...PersonState.omit({ tokenHash: true, removedAt: true }).shape,
	createdAt: Time,
	/** when the token was replaced last */
	rotatedAt: Time.nullable(),
});
export type Person = z.infer<typeof Person>;

/** Who is asking. `role` is null for an agent. */
export const Me = z.object({ actor: Actor, role: PersonRole.nullable() });

/** The state of a workspace after a sync, release, recover or restore. */
export const UpdateResult = z.object({
	branchStatus: BranchStatus,
	/** the branch or its files changed */
	updated: z.boolean(),
	/** taken first, if there was something to save */
	snapshot: z.string().nullable(),
	/** one sentence for the agent about what changed */
	text: z.string(),
	/** how base stands against the remote, if that was fetched; null without one */
	origin: RemoteStatus.nullable().optional(),
});
export type UpdateResult = z.infer<typeof UpdateResult>;

/** How an agent was brought up to date with base. */
export const Synced = z.object({ agent: AgentId, handle: z.string(), updated: z.boolean(), text: z.string() });
export type Synced = z.infer<typeof Synced>;

export const Snapshot = z.object({
	id: z.string(),
	commit: z.string(),
	agent: AgentId,
	at: Time,
	reason: z.string(),
	turn: EventId.nullable(),
	head: z.string().nullable(),
	/** what it could not hold */
	missing: z.array(z.object({ path: z.string(), reason: z.string() })),
	ignored: z.int(),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** Something that is no longer needed, or that Brood does not know well enough to free. */
export const Leftover = z.object({
	what: z.enum(["trash", "snapshot", "scratch", "clone", "borrow", "unknown", "ref", "objects"]),
	name: z.string(),
	bytes: z.int(),
	reason: z.string(),
	/** false for entries that are only listed, because their owner is unknown */
	freed: z.boolean(),
});
export type Leftover = z.infer<typeof Leftover>;

/** A vendor's agent: the version that this release supports, and the one that is installed. */
export const VendorAgent = z.object({
	type: z.string(),
	title: z.string(),
	package: z.string(),
	version: z.string(),
	installed: z.string().nullable(),
	/** a login was found; whether it is still valid only a turn can tell */
	loggedIn: z.boolean(),
	/** how to log in */
	login: z.string(),
	/** variables with keys that it accepts in place of a login, and what belongs to them; their names only */
	keys: z.array(z.string()),
	alongside: z.array(z.string()),
	/** the vendor's own program, which people log in with: its name, whether the daemon finds it, how to install it */
	loginProgram: z.object({ name: z.string(), found: z.boolean(), install: z.string() }),
});
export type VendorAgent = z.infer<typeof VendorAgent>;

/** A part that does not work, while the rest does. */
export const Problem = z.object({
	/** a part of the daemon, `database`, or `project <slug>` */
	what: z.string(),
	text: z.string(),
	/** what to do: a command, or a sentence */
	fix: z.string().nullable(),
});
export type Problem = z.infer<typeof Problem>;

export const Status = z.object({
	pid: z.int(),
	url: z.string(),
	/** where other machines connect; null if they cannot */
	remoteUrl: z.string().nullable(),
	version: z.string(),
	/** a client refuses a daemon with another one */
	contract: z.int(),
	home: z.string(),
	store: z.enum(["memory", "sqlite", "postgres"]),
	/** this daemon's name among those that share the database, and how many of them are up */
	nodeName: z.string().nullable(),
	nodes: z.int(),
	/** what keeps the agents' processes together */
	containment: ContainmentLevel,
	/** those alive, and the turns that run; null while the database does not answer */
	agents: z.int().nullable(),
	turns: z.int().nullable(),
	/** the newest event of the journal */
	lastEvent: z.int(),
	problems: z.array(Problem),
});
export type Status = z.infer<typeof Status>;
