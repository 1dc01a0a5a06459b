// What executes turns, as the engine sees it.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalRequest } from "#contract/approval.ts";
import type { AgentId } from "#contract/ids.ts";
import type { SessionPower } from "#contract/session.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { PartialOf, TurnItem } from "#contract/turn.ts";
import type { LeftProcess } from "#domain/health.ts";

export type { LeftProcess } from "#domain/health.ts";

/** A process for each agent, kept warm between its turns. */
export interface Driver extends AsyncDisposable {
	/**
	 * Gives a prompt to the process that was prepared for this turn, and resolves when the turn is over, whatever the
	 * process did. Aborting asks it to stop; whoever aborts ends the process if it does not.
	 */
	run(
		turn: { agent: AgentState; turn: number; text: string },
		watch: TurnWatch,
		signal: AbortSignal,
	): Promise<TurnResult>;
	/**
	 * Sees to it that the agent's process is up, with the credentials of this subscription. Nothing has been given to it
	 * yet. Once it is up it is this turn's, until that was run or dismissed; a process that another turn has is waited
	 * for, and never touched.
	 */
	prepare(agent: AgentState, turn: number, signal: AbortSignal, request: PrepareRequest): Promise<Prepared>;
	/** The turn will not be run. Its process is kept for the next one. */
	dismiss(agent: AgentId, turn: number): void;
	/** Whether its program keeps the conversation itself, and so has to be told what it does not know of it. */
	keepsSession(agent: AgentState): boolean;
	/** What its folder brings along that its program would run by itself; null if there is nothing of the kind. */
	autorunFiles(agent: AgentState): Promise<{ files: readonly string[]; fingerprint: string } | null>;
	/**
	 * Stops all of the agent's processes where they are, while the work is done; they go on after two seconds at the
	 * latest.
	 */
	frozen<T>(agent: AgentId, work: (lasted: () => boolean) => Promise<T>): Promise<T>;
	/**
	 * What its tools started and left running, as far as that can be told: all but its program and what was there before
	 * its first turn.
	 */
	leftovers(agent: AgentId): readonly LeftProcess[];
	/** Ends the agent's whole process tree and resolves when nothing of it is left. */
	end(agent: AgentId): Promise<void>;
	/** Ends what an earlier daemon of this home left behind; answers how many processes that were. */
	sweep(): Promise<number>;
}

export interface PrepareRequest {
	subscription: SubscriptionState | null;
	/** its own session, and whether it certainly is as the journal; if not, only a process that has it open may know */
	own: { session: string; resumable: boolean } | null;
	/** a session of which it may take a copy */
	copyOf: string | null;
	/** what either had cost when it was last told */
	costBefore: number;
	/** what its program is told before everything else, where it can be */
	systemPrompt: string | null;
	/** what it is set to, by the names that its program has for it */
	options: Readonly<Record<string, string>>;
}

export const newSession = { own: null, copyOf: null, costBefore: 0, systemPrompt: null, options: {} } as const;

/** Up, with a session where the program has any; or the reason why it is not. */
export type Prepared = { up: true; session: OpenSession | null } | { up: false; end: TurnResult };

export interface OpenSession {
	session: string;
	folder: string;
	powers: readonly SessionPower[];
	program: string | null;
	/** `kept` is the one that the process has open since an earlier turn */
	how: "new" | "resumed" | "forked" | "kept";
	/** the system prompt was given when it was opened */
	instructed: boolean;
}

export interface TurnWatch {
	/** Must not reject. The driver waits for it, so that a flood is slowed down and not piled up. */
	items(items: readonly TurnItem[]): Promise<void>;
	/** a piece of an item that is still being said; live only */
	delta(delta: { message: string; kind: string; text: string }): void;
	/** what a tool call or a message that is not over has put out; asked for only if it goes on for a while */
	partial(of: PartialOf, output: () => string): void;
	/**
	 * The process asks for permission; answers with the chosen option, or null if nobody will say. `changed` is aborted
	 * when the process would do something else now than what was asked: then nobody can allow that any more.
	 */
	ask(question: ApprovalRequest, changed?: AbortSignal): Promise<PermissionAnswer | null>;
	/** something was heard, whatever it was */
	heard(): void;
	/** what was used until now has been told: whether it goes on may depend on it */
	used(): Promise<void>;
}

export interface PermissionAnswer {
	option: string;
	/** in the words of whoever answered */
	reason: string | null;
}

export interface TurnResult {
	state: "completed" | "interrupted" | "failed";
	reason: string | null;
	text: string | null;
	/** what was heard last and has not been passed on: it goes into the journal together with the end */
	last?: readonly TurnItem[];
	/** the process cannot be started: nothing further should be tried by itself */
	broken?: boolean;
	/** what could not be done, if it was not the process */
	step?: string;
	/** a usage limit was met, which ends at that moment if it is known */
	limit?: { until: number | null };
}
