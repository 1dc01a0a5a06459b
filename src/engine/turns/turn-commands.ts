// The commands about an open turn: that its prompt is handed over, given back, what its process said, and its end. Each
// is repeated until the store accepts it; only a broken store ends that.
import type { CommandInput, CommandWithout } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, system } from "#contract/ids.ts";
import type { TurnItem, TurnState } from "#contract/turn.ts";
import { stopReason } from "#domain/turn-end.ts";
import { isRetryable, retryWhile } from "../loop/retry.ts";
import type { Dispatch, Outcome } from "../ports/dispatch.ts";
import type { TurnResult } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import type { TurnRecorder } from "./turn-recorder.ts";

export class TurnCommands {
	readonly #dispatch: Dispatch;
	readonly #reads: Reads;
	readonly #neverAborted = new AbortController().signal;

	constructor({ dispatch, reads }: { dispatch: Dispatch; reads: Reads }) {
		this.#dispatch = dispatch;
		this.#reads = reads;
	}

	/**
	 * Null if it is refused, because the turn is over or claimed, or if it ended the turn, because there was nothing left
	 * to say.
	 */
	async handOver(turn: TurnState): Promise<Pick<Event, "text" | "data"> | null> {
		const handed = await this.say(turn, { type: "turn.hand" });
		return ("done" in handed ? handed.events.find((event) => event.kind === "user") : null) ?? null;
	}

	/**
	 * The process never got the prompt: it returns to the head of the queue, and a process that will not start holds the
	 * agent.
	 */
	async giveBack(
		turn: TurnState,
		{ reason, broken, step = "process" }: TurnResult,
		signal: AbortSignal,
	): Promise<null> {
		const failed = broken === true && !signal.aborted ? { failed: { code: "PROCESS_FAILED" as const, step } } : {};
		const why = signal.aborted ? "shutdown" : (reason?.slice(0, 1000) ?? "its process did not start");
		await this.say(turn, { type: "turn.release", reason: why, ...failed });
		return null;
	}

	async stopped(turn: TurnState): Promise<TurnResult> {
		const now = await this.#reads.turn(turn.id);
		return { state: "interrupted", reason: stopReason(now ?? turn), text: null };
	}

	async end(
		turn: TurnState,
		{ state, reason, text, limit }: TurnResult,
		items: readonly TurnItem[] = [],
		recorder: TurnRecorder | null = null,
	): Promise<void> {
		const bare = { type: "turn.end" as const, state, reason: reason?.slice(0, 2000) ?? null };
		// a program may name a time that is none
		const until = limit !== undefined && Number.isSafeInteger(limit.until) ? limit.until : null;
		const end = { ...bare, text: text && brief(text), ...(limit && { limit: { until } }) };
		if (!unkept(await this.say(turn, { ...end, items: [...items] }))) return;
		// one of the items cannot be kept: each is tried by itself; and a turn ends, whatever cannot be kept of its end
		if (items.length > 0) await recorder?.items(items);
		if (unkept(await this.say(turn, end))) await this.say(turn, bare);
	}

	async say(turn: { id: number; agent: AgentId }, command: CommandWithout<"agent" | "turn">): Promise<Outcome> {
		return await this.untilKept({ ...command, agent: turn.agent, turn: turn.id });
	}

	async once(command: CommandInput): Promise<Outcome> {
		return await this.#dispatch({ actor: system, key: null, command });
	}

	async untilKept(command: CommandInput): Promise<Outcome> {
		const outcome = await retryWhile(
			() => this.#dispatch({ actor: system, key: null, command }),
			(results) => isRetryable(results) && !isOverLimit(results),
			this.#neverAborted,
		);
		if (outcome === null) throw new Error("a retry without a deadline was aborted");
		return outcome;
	}
}

/** Too many questions are open: to wait would be one more that does. */
const isOverLimit = (outcome: Outcome): boolean =>
	"refused" in outcome && outcome.refused.details["limitName"] !== undefined;

/** The final item repeats the last words; if these are long, their beginning is enough. */
const brief = (text: string): string =>
	text.length <= finalLengthMax ? text : `${text.slice(0, finalLengthMax).toWellFormed()}\n[cut]`;
const finalLengthMax = 64 * 1024;

const unkept = (outcome: Outcome): boolean => "refused" in outcome && outcome.refused.code !== "TURN_NOT_OPEN";

export const failure = (error: unknown): TurnResult => ({
	state: "failed",
	reason: error instanceof Error ? error.message : String(error),
	text: null,
});
