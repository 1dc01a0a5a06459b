// The commands about an open turn: handing its prompt over or back, its items, and its end. Each is repeated until the
// store accepts it; only a broken store ends that.
import type { CommandWithout } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import type { TurnItem, TurnState } from "#contract/turn.ts";
import { stopReason } from "#domain/turn-end.ts";
import { isRetryable, untilRecorded } from "../loop/retry.ts";
import { bySystem, type Dispatch, type Outcome } from "../ports/dispatch.ts";
import type { TurnResult } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import type { TurnRecorder } from "./turn-recorder.ts";

export class TurnCommands {
	readonly #dispatch: Dispatch;
	readonly #reads: Reads;

	constructor({ dispatch, reads }: { dispatch: Dispatch; reads: Reads }) {
		this.#dispatch = dispatch;
		this.#reads = reads;
	}

	/**
	 * Null if it is refused because the turn is over or was handed over, or if the turn ended because the mail that it
	 * was about had been read.
	 */
	async handOver(turn: TurnState): Promise<Pick<Event, "text" | "data"> | null> {
		const handed = await this.send(turn, { type: "turn.hand" });
		return ("done" in handed ? handed.events.find((event) => event.kind === "user") : null) ?? null;
	}

	/**
	 * The process never got the prompt, which goes back to the head of the queue. A process that cannot start holds the
	 * agent.
	 */
	async giveBack(
		turn: TurnState,
		{ reason, holdsAgent, step = "process" }: TurnResult,
		signal: AbortSignal,
	): Promise<null> {
		const failed = holdsAgent === true && !signal.aborted ? { failed: { code: "PROCESS_FAILED" as const, step } } : {};
		const why = signal.aborted ? "shutdown" : (reason?.slice(0, 1000) ?? "its process did not start");
		await this.send(turn, { type: "prompt.return", reason: why, ...failed });
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
		// a program may report an invalid time
		const until = limit !== undefined && Number.isSafeInteger(limit.until) ? limit.until : null;
		const end = { ...bare, text: text && brief(text), ...(limit && { limit: { until } }) };
		if (!isRejected(await this.send(turn, { ...end, items: [...items] }))) return;
		// an item cannot be recorded: each is tried alone, and the turn ends in any case
		if (items.length > 0) await recorder?.items(items);
		if (isRejected(await this.send(turn, end))) await this.send(turn, bare);
	}

	async send(turn: { id: number; agent: AgentId }, command: CommandWithout<"agent" | "turn">): Promise<Outcome> {
		const request = bySystem({ ...command, agent: turn.agent, turn: turn.id });
		const again = (result: Outcome): boolean => isRetryable(result) && !isOverLimit(result);
		const outcome = await untilRecorded(this.#dispatch, request, { again });
		if (outcome === null) throw new Error("a retry without a deadline was aborted");
		return outcome;
	}
}

/** Too many approvals are pending: a retry would only add to them. */
const isOverLimit = (outcome: Outcome): boolean =>
	"refused" in outcome && outcome.refused.details["limitName"] !== undefined;

/** The final item repeats the last message; the beginning of a long one is enough. */
const brief = (text: string): string =>
	text.length <= finalLengthMax ? text : `${text.slice(0, finalLengthMax).toWellFormed()}\n[truncated]`;
const finalLengthMax = 64 * 1024;

const isRejected = (outcome: Outcome): boolean => "refused" in outcome && outcome.refused.code !== "TURN_NOT_OPEN";

export const failure = (error: unknown): TurnResult => ({
	state: "failed",
	reason: messageOf(error),
	text: null,
});
