// The store. Adapters implement the ports in this folder, and may import nothing else of the engine.
//
// The port is thick and private: its operations are exactly what the engine and the server read and write, and it may
// change whenever they do. Decisions run where the rows are (for SQLite that is the store's own thread), so a store is
// given `RunBatch` and calls it inside its transaction.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Envelope } from "#contract/command.ts";
import type { Event, EventKind } from "#contract/event.ts";
import type { Actor, AgentId, Handle, IdempotencyKey, ProjectSlug } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeEpoch, NodeId } from "#contract/node.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { Receipt, StoredReceipt } from "#contract/receipt.ts";
import type { SubscriptionState, TurnLease } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { CommandResult } from "./dispatch.ts";
import type { ErrandWrites, StoreErrands } from "./store-errands.ts";
import type { IssueReads, IssueWrites } from "./store-issues.ts";
import type { ListReads, LookupReads } from "./store-lists.ts";
import type { MirrorReads } from "./store-mirror.ts";
import type { Beats, NodeReads, NodeWrites } from "./store-nodes.ts";
import type { SearchIndex, SearchReads } from "./store-search.ts";

/**
 * A part of one agent's thread. `after` is exclusive, `upTo` inclusive; only the agent itself, the leaf, has no upper
 * end.
 */
export interface Range {
	agent: AgentId;
	after: number;
	upTo: number | null;
}

/** Not `whole` if an ancestor is missing or occurs twice: then there is no context, not a shorter one. */
export interface Ranges {
	ranges: Range[];
	whole: boolean;
}

export interface QueueEnds {
	length: number;
	first: number | null;
	last: number | null;
	lastFront: number | null;
}

/** The prompt that an agent would run next, without its text. */
export interface QueueHead extends Pick<PromptState, "priority" | "manual" | "source"> {
	prompt: number;
	/** when it became due */
	since: number;
}

export interface EventRange {
	after: number;
	limit: number;
	/** inclusive; none if absent */
	upTo?: number;
	agent?: AgentId;
	/** only of this project: of its agents, its issues and itself */
	project?: ProjectSlug;
	/** only events of these kinds, or of these nouns: `turn` stands for `turn.started` and all the others */
	kinds?: readonly string[];
	/** items only of these agents; of others only those that change rows */
	itemsOf?: readonly AgentId[];
	/** items only if they are about the conversation itself */
	plainItems?: false;
	/** only those from this moment on */
	since?: number;
}

/** Reads of committed rows (outside of a batch) or of the batch's own (inside). */
export interface Reads extends IssueReads, ListReads, LookupReads, SearchReads, MirrorReads, NodeReads {
	agent(id: AgentId): Promise<AgentState | undefined>;
	agentByHandle(project: ProjectSlug | null, handle: Handle): Promise<AgentState | undefined>;
	/** all agents whose id begins with, or whose handle is, the reference or the part after its slash */
	agentsNamed(reference: string): Promise<AgentState[]>;
	/** oldest first; `living` stands for all that have not ended. Ended agents are never read, so they cost nothing. */
	agents(filter: { project?: ProjectSlug; life: "provisioning" | "live" | "living" }): Promise<AgentState[]>;
	/** of all agents that the project ever had, oldest first */
	agentIds(project: ProjectSlug): Promise<AgentId[]>;
	/** in whose workspace a git step runs, or ran when its daemon died; oldest first */
	agentsWithLeasedWorkspace(): Promise<AgentState[]>;
	/** see `hasStrayFiles`, oldest first */
	agentsWithStrayFiles(): Promise<AgentState[]>;
	/** the project's agents but those whose workspace was removed, oldest first */
	agentsWithFolders(project: ProjectSlug): Promise<AgentState[]>;
	/** those of them whose folder has this name */
	agentsInFolder(project: ProjectSlug, folder: string): Promise<AgentState[]>;
	/** living agents that have a hold, oldest first */
	heldAgents(): Promise<AgentState[]>;
	/** living agents that this one supervises, oldest first */
	children(supervisor: AgentId): Promise<AgentState[]>;
	/** all living agents below this one, every agent before its supervisor */
	descendants(supervisor: AgentId): Promise<AgentState[]>;
	/** the agents above this one, nearest first, agent 0 last */
	above(agent: AgentId): Promise<AgentId[]>;
	project(slug: ProjectSlug): Promise<ProjectState | undefined>;
	projects(): Promise<ProjectState[]>;
	/** by name, including removed ones */
	subscriptions(): Promise<SubscriptionState[]>;
	/** by name, including removed ones */
	persons(): Promise<PersonState[]>;
	/** of all running turns, oldest first */
	turnLeases(): Promise<TurnLease[]>;
	event(id: number): Promise<Event | undefined>;
	/** the last items of the agent's own thread, or the last before an event, oldest first */
	itemsBefore(agent: AgentId, before: number | null, limit: number): Promise<Event[]>;
	/** the newest item of the agent's own thread */
	newestItem(agent: AgentId): Promise<Event | undefined>;
	/**
	 * the newest event of exactly this kind that the agent has, up to an id; found from the end, however many there are
	 */
	newestOfKind(agent: AgentId, kind: EventKind, upTo: number): Promise<Event | undefined>;
	/** the parts of the journal that an agent's context is made of, the oldest first */
	ranges(agent: AgentId): Promise<Ranges>;
	/** all items of the agent's ranges, the oldest first */
	history(agent: AgentId): Promise<{ items: Event[]; whole: boolean }>;
	/** the marks and rewinds of the agent's ranges, the oldest first */
	controls(agent: AgentId): Promise<Event[]>;
	/** the agent's queue, the next one first, without the one that is being run */
	prompts(agent: AgentId): Promise<PromptState[]>;
	/** the same without their texts, which may be long */
	queueOrder(agent: AgentId): Promise<Pick<PromptState, "id" | "position" | "priority">[]>;
	/** the prompt of the queue that starts next: the first that is due */
	nextPrompt(agent: AgentId, now: number): Promise<PromptState | undefined>;
	/** those of the queue that something has put there, in no particular order */
	promptsFrom(agent: AgentId, source: PromptState["source"]): Promise<Pick<PromptState, "id" | "position">[]>;
	/** one that is queued, or that the open turn of its agent has taken */
	prompt(id: number): Promise<PromptState | undefined>;
	/** its position in its agent's queue, from 1; 0 if it is not queued */
	queuePosition(prompt: number): Promise<number>;
	/** the agents that have prompts that are due, oldest first, and the first of these prompts */
	queueHeads(now: number): Promise<{ agent: AgentState; head: QueueHead }[]>;
	/** when the next prompt becomes due, if one will */
	nextPromptAt(now: number): Promise<number | null>;
	/** how many agents have not ended */
	livingAgentCount(): Promise<number>;
	/** how many of them each node has; one without any is left out */
	livingAgentsByNode(): Promise<Map<NodeId | null, number>>;
	turn(id: number): Promise<TurnState | undefined>;
	/** the latest turn up to an event of each living agent that has one and ran at most so many since */
	turnsBefore(event: number, { sinceMax }: { sinceMax: number }): Promise<TurnState[]>;
	/** the last turns of an agent, oldest first */
	latestTurns(agent: AgentId, limit: number): Promise<TurnState[]>;
	/** when the last turn of each project was started; a project that never had one is left out */
	lastServed(): Promise<Map<ProjectSlug | null, number>>;
	/** the turns of all agents that are open, oldest first */
	openTurns(): Promise<TurnState[]>;
	/** the agents of those whose prompt was not handed over yet */
	agentsAboutToBegin(): Promise<AgentState[]>;
	/** the tool calls and results of a turn, oldest first, without their texts */
	callsOfTurn(agent: AgentId, turn: number): Promise<{ id: number; kind: string; data: unknown }[]>;
	approval(id: number): Promise<ApprovalState | undefined>;
	/** of one agent, or of all, oldest first */
	pendingApprovals(agent?: AgentId): Promise<ApprovalState[]>;
	wait(id: number): Promise<WaitState | undefined>;
	/** oldest first */
	openWaits(): Promise<WaitState[]>;
	mail(id: number): Promise<MailState | undefined>;
	/** the last of the agent's mail that was not deleted, oldest first */
	latestMails(agent: AgentId, limit: number): Promise<MailState[]>;
	/** what of the agent's mail has not been read */
	unreadMails(agent: AgentId): Promise<MailState[]>;
	/** the id of the last mail that was not deleted, 0 if there is none */
	lastMail(agent: AgentId): Promise<number>;
	/** how much of it has not been read */
	unreadMailCount(agent: AgentId): Promise<number>;
	/** how much of it no turn has seen, and how much of that is urgent */
	newMailCount(agent: AgentId): Promise<{ mails: number; urgent: number }>;
	/** the agents with mail that no turn has seen, oldest first */
	agentsWithNewMail(): Promise<AgentState[]>;
	/** the agents with urgent mail that no turn has seen */
	agentsWithUrgentMail(): Promise<AgentId[]>;
	/** its length and its positions; `lastFront` is the last position below zero, of prompts that were put in front */
	queueEnds(agent: AgentId): Promise<QueueEnds>;
	/** the newest event's id, 0 if there is none */
	lastEvent(): Promise<number>;
	/** reports of usage by their time, then by id: those after a moment and an id */
	usageReports(after: { at: number; id: number }, limit: number): Promise<Event[]>;
	/** in journal order; `after` is exclusive */
	events(range: EventRange): Promise<Event[]>;
	receipt(actor: Actor, key: IdempotencyKey): Promise<Receipt | undefined>;
}

/**
 * One batch's transaction. There is one writer at a time among all nodes: no row changes under it, and nothing in it is
 * visible outside before its COMMIT has returned.
 */
export interface Tx extends Reads, IssueWrites, NodeWrites, ErrandWrites {
	/** whether other nodes have waited long enough: the batch ends after the command that is being run */
	isOverdue(): boolean;
	/** whether an error fails the whole batch: a full disk, a lost connection, a conflict with another batch */
	failsBatch(error: unknown): boolean;
	savepoint(): Promise<void>;
	/** keeps what was done since the savepoint, or undoes it */
	release(): Promise<void>;
	rollback(): Promise<void>;
	putAgent(state: AgentState): Promise<void>;
	putProject(state: ProjectState): Promise<void>;
	putSubscription(state: SubscriptionState): Promise<void>;
	putPerson(state: PersonState): Promise<void>;
	putTurnLease(state: TurnLease): Promise<void>;
	/** does nothing if the turn has none */
	dropTurnLease(turn: number): Promise<void>;
	putPrompt(state: PromptState): Promise<void>;
	removePrompt(id: number): Promise<void>;
	putTurn(state: TurnState): Promise<void>;
	putApproval(state: ApprovalState): Promise<void>;
	putWait(state: WaitState): Promise<void>;
	putMail(state: MailState): Promise<void>;
	/** gives the events their ids, in order and in commit order across all writers */
	append(events: readonly Omit<Event, "id">[]): Promise<Event[]>;
	/** replaces the one that is there */
	putReceipt(receipt: StoredReceipt): Promise<void>;
}

/**
 * Runs a batch of commands inside a transaction that the store has begun and will commit; answers those that it ran,
 * the first of the batch.
 */
export type RunBatch = (tx: Tx, batch: readonly Envelope[]) => Promise<CommandResult[]>;

export interface Store extends AsyncDisposable, SearchIndex {
	readonly kind: "memory" | "sqlite" | "postgres";
	readonly reads: Reads;
	/** of other nodes' commits; null if nobody else writes to the store */
	readonly notifications: CommitNotifications | null;
	/** how many batches it takes before the first is answered; it commits them in that order */
	readonly batchesMax: number;
	/**
	 * Commits a batch as one transaction. If it answers fewer commands than it was given, the others were not begun, and
	 * belong into the next batch; at least one is answered. Rejects with a `StoreFault`: after `unavailable` and `full`
	 * nothing of the batch happened; after `broken` nobody knows, and the store accepts nothing more. After `fenced`
	 * nothing happened, and nothing of this process ever will: another node replaced this one.
	 */
	commit(batch: readonly Envelope[]): Promise<CommandResult[]>;
	/** Writes a consistent copy of everything that was committed to a file that does not exist yet; answers its size. */
	backup(file: string): Promise<number>;
	/**
	 * Writes receipts outside of a batch. `durable` ones are flushed like a commit. The others survive the end of this
	 * process, but perhaps not a power failure, and cost no flush: they only have the data of an answer.
	 */
	keepReceipts(receipts: readonly StoredReceipt[], options: { durable: boolean }): Promise<void>;
	/** deletes up to this many receipts that are older; answers how many */
	dropReceipts(before: number, atMost: number): Promise<number>;
	/** Frees the space of the store's log; costs nothing if it is empty. */
	trim(): Promise<void>;
	/** Every later batch is committed only while the node is in this epoch. Does nothing in a store with one node. */
	fence(as: NodeEpoch): void;
	/** null in a store with one node */
	readonly beats: Beats | null;
	readonly errands: StoreErrands;
	/** resolves when the store can no longer be trusted; the daemon has to exit and recover from disk */
	readonly broken: Promise<StoreFault>;
}

/** How the nodes of a store learn of each other's commits. */
export interface CommitNotifications {
	/** Calls `look` when there may be events of other nodes: at once where possible, and every second in any case. */
	follow(look: (reason: LookReason) => void): AsyncDisposable;
	/** Tells the other nodes which events were added without a gap, and whether all of them are plain items. */
	tell(added: EventSpan, plain: boolean): void;
	/** Calls `look`, while notifications are followed, when an errand may have been asked or answered: as for events. */
	onErrand(look: () => void): Disposable;
	/** Tells the other nodes that an errand was asked or answered. */
	tellErrand(): void;
}

/**
 * Another node has added events, or a second is over. A span: plain items without a gap, and nothing else as far as its
 * node knows.
 */
export type LookReason = EventSpan | "events" | "time";

/** From the first to the last id, both included. */
export interface EventSpan {
	first: number;
	last: number;
}

/** A fault of the store, and what it means for the caller. */
export class StoreFault extends Error {
	override readonly name = "StoreFault";
	readonly kind: "unavailable" | "denied" | "full" | "rejected" | "broken" | "fenced";
	constructor(kind: StoreFault["kind"], message: string, cause?: unknown) {
		super(message, { cause });
		this.kind = kind;
	}
}
