// The driver, which runs turns in agents' processes.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalRequest } from "#contract/approval.ts";
import type { AgentId } from "#contract/ids.ts";
import type { SessionCapability } from "#contract/session.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { PartialOf, TurnItem } from "#contract/turn.ts";
import type { LeftProcess } from "#contract/workspace.ts";

/** A process for each agent, kept between its turns. */
export interface Driver extends AsyncDisposable {
	/**
	 * Gives a prompt to the process that was started for this turn, and resolves when the turn is over, also if the
	 * process fails. Aborting asks the process to stop; after two seconds the driver ends it.
	 */
	run(
		turn: { agent: AgentState; turn: number; text: string },
		watch: TurnWatch,
		signal: AbortSignal,
	): Promise<TurnResult>;
	/**
	 * Starts the agent's process, if it is not up, with the credentials of this subscription. It gets no prompt yet. It
	 * belongs to this turn until that has run or is dismissed; a process that belongs to another turn is waited for, and
	 * never touched.
	 */
	startProcess(agent: AgentState, turn: number, signal: AbortSignal, request: ProcessRequest): Promise<StartedProcess>;
	/** The turn will not be run. Its process is kept for the next one. */
	dismiss(agent: AgentId, turn: number): void;
	/** Whether its program keeps the conversation itself, so that missing items have to be sent to it. */
	keepsSession(agent: AgentState): boolean;
	/** The files in its folder that its program would run by itself; null if there are none. */
	autorunFiles(agent: AgentState): Promise<{ files: readonly string[]; fingerprint: string } | null>;
	/**
	 * Freezes all of the agent's processes during `work`, for two seconds at most; `lasted` says whether they still are
	 * frozen.
	 */
	frozen<T>(agent: AgentId, work: (lasted: () => boolean) => Promise<T>): Promise<T>;
	/**
	 * Freezes all processes of this node until `thawAll`; to be repeated, because new ones may appear.
	 */
	freezeAll(): void;
	thawAll(): void;
	/** Kills all processes of this node with SIGKILL, also those that are frozen. */
	killAll(): Promise<void>;
	/**
	 * The processes that its tools left running, as far as known: all but its program and what ran before its first turn.
	 */
	processesLeft(agent: AgentId): readonly LeftProcess[];
	/** Ends the agent's whole process tree and resolves when nothing of it is left. */
	end(agent: AgentId): Promise<void>;
	/** Ends what an earlier daemon of this home left behind; answers how many processes that were. */
	sweep(): Promise<number>;
}

export interface ProcessRequest {
	subscription: SubscriptionState | null;
	/** its own session, and whether a new process may resume it; if not, only a process that has it open continues it */
	own: { sessionId: string; resumable: boolean } | null;
	/** a session of which it may take a copy */
	copyOf: string | null;
	/** the cost of that session when it was last reported */
	costBefore: number;
	/** where the program supports one */
	systemPrompt: string | null;
	/** the program's own options by name */
	options: Readonly<Record<string, string>>;
}

export const newSession = { own: null, copyOf: null, costBefore: 0, systemPrompt: null, options: {} } as const;

/** Up, with a session where the program has any; or the reason why it is not. */
export type StartedProcess = { up: true; session: OpenSession | null } | { up: false; end: TurnResult };

export interface OpenSession {
	sessionId: string;
	folder: string;
	capabilities: readonly SessionCapability[];
	programVersion: string | null;
	/** `kept` is the one that the process has open since an earlier turn */
	how: "new" | "resumed" | "forked" | "kept";
	/** the system prompt was given when it was opened */
	instructed: boolean;
}

export interface TurnWatch {
	/** Must not reject. The driver waits for it, which slows down a flood of items. */
	items(items: readonly TurnItem[]): Promise<void>;
	/** a piece of an unfinished item; live only */
	delta(delta: { part: string; kind: string; text: string }): void;
	/** the output of an unfinished tool call or message */
	partial(partial: PartialText): void;
	/**
	 * The process asks for an approval; answers with the chosen option, or null if nobody will say. `changed` is aborted
	 * when the process would do something else now than what was asked: then nobody can allow that any more.
	 */
	ask(question: ApprovalRequest, changed?: AbortSignal): Promise<ApprovalChoice | null>;
	/** the process has sent something */
	noteOutput(): void;
	/** usage was reported: the budget may end the turn */
	used(): Promise<void>;
}

export interface PartialText {
	of: PartialOf;
	/** called when it is written or sent; most calls end before that */
	output(): string;
	/** what a tool prints, which is shown while it runs; not what an edit is going to change */
	isPrinted: boolean;
}

export interface ApprovalChoice {
	option: string;
	/** in the words of the person who answered, or why the policy did */
	reason: string | null;
}

export interface TurnResult {
	state: "completed" | "interrupted" | "failed";
	reason: string | null;
	text: string | null;
	/** the last items: recorded together with the end */
	last?: readonly TurnItem[];
	/** it would fail again: the agent is held until a person acts */
	holdsAgent?: boolean;
	/** the step that failed, if it was not the process */
	step?: string;
	/** a usage limit was reached; `until` is its end, if known */
	limit?: { until: number | null };
}
