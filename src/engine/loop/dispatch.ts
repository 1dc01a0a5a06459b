// Every command is dispatched here, from people, agents and the daemon itself.
//
// Group commit: commands that arrive while a batch is being written become the next batch. A store with a thread of its
// own gets that batch in advance, so that it never waits between two commits. Nothing is answered or published before
// its COMMIT has returned; after a COMMIT of unknown outcome (`broken`) the store accepts nothing more.
//
// A batch whose outcome is unknown is answered when the store can tell, however long that takes: whoever dispatches has
// to know. What waits behind it is refused after ten seconds: of that nothing has happened. A caller outside who is
// still there by then is told that nobody knows (`server/answer.ts`); a retry with the same key gets the answer.
import type { Envelope } from "#contract/command.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { admit, type Stamps } from "../commands/admit.ts";
import type { NodeSuspension } from "../nodes/suspension.ts";
import { monotonicNow } from "../ports/clock.ts";
import type { CommandRequest, Outcome } from "../ports/dispatch.ts";
import { type Store, StoreFault } from "../ports/store.ts";
import type { Tail } from "./tail.ts";

/** The limits of one batch; they keep transactions short for the callers that wait. */
const batchCommandsMax = 256;
const batchBytesMax = 4 * 1024 * 1024;

/** Fewer commands than this are not split into two batches. */
const splitMin = 16;

/** how long a command waits for a batch that the store does not answer, and how often that is looked at */
const stuckMs = 10_000;
const lookMs = 1000;

interface WaitingCommand {
	envelope: Envelope;
	settle: PromiseWithResolvers<Outcome>;
	since: number;
}

export interface DispatchParts extends Stamps {
	store: Store;
	tail: Tail;
	suspension: NodeSuspension;
}

export class Dispatcher {
	readonly #parts: DispatchParts;
	#waiting: WaitingCommand[] = [];
	/** batches that the store has not answered yet, oldest first */
	readonly #writing = new Map<Promise<void>, { batch: readonly WaitingCommand[]; since: number }>();
	#scheduled = false;
	/** when the store was last given a batch, or answered one */
	#lastSign = 0;
	/** when the batch was given to the store since which none was written; null if it writes */
	#writesNothingSince: number | null = null;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#bytesWaiting = 0;
	#closed = false;

	constructor(parts: DispatchParts) {
		this.#parts = parts;
	}

	/** Answers when the command is durable, or refused. Rejects with a `StoreFault` if the store failed. */
	async dispatch(request: CommandRequest): Promise<Outcome> {
		const envelope = admit(request, this.#parts);
		if (isRefusal(envelope)) return { refused: envelope, replayed: false };
		this.#parts.suspension.check(envelope.command);
		if (this.#closed) throw new StoreFault("unavailable", "The daemon is stopping: nothing was changed.");
		const { commandsWaitingMax, bytesWaitingMax } = this.#parts.limits;
		if (this.#waiting.length >= commandsWaitingMax || this.#bytesWaiting > bytesWaitingMax) {
			return {
				refused: refuse("QUEUE_FULL", `${this.#waiting.length} commands are waiting for the store; try again.`),
				replayed: false,
			};
		}
		const settle = Promise.withResolvers<Outcome>();
		this.#waiting.push({ envelope, settle, since: monotonicNow(this.#parts.clock) });
		this.#bytesWaiting += envelope.bytes;
		this.#schedule();
		this.#timer ??= setTimeout(() => this.#refuseStuck(), lookMs);
		return await settle.promise;
	}

	/** For how long nothing was written although there was something to write; 0 if the store writes or is idle. */
	get writesNothingMs(): number {
		const now = monotonicNow(this.#parts.clock);
		const isIdle = this.#writing.size === 0 && now - this.#lastSign >= stuckMs;
		return this.#writesNothingSince === null || isIdle ? 0 : now - this.#writesNothingSince;
	}

	/** Whether a command of this caller and key is in a batch that the store has not answered for too long. */
	isUnanswered({ actor, key }: Pick<CommandRequest, "actor" | "key">): boolean {
		const now = monotonicNow(this.#parts.clock);
		return [...this.#writing.values()].some(
			({ batch, since }) =>
				now - since >= stuckMs && batch.some(({ envelope }) => envelope.actor === actor && envelope.key === key),
		);
	}

	/** Refuses further commands, and resolves when all accepted ones have been answered. */
	async close(): Promise<void> {
		this.#closed = true;
		while (this.#waiting.length > 0 || this.#writing.size > 0) {
			await Promise.all(this.#writing.keys());
			await nextTick();
		}
		clearTimeout(this.#timer);
	}

	/** Refuses what waits behind a batch that the store does not answer. */
	#refuseStuck(): void {
		const now = monotonicNow(this.#parts.clock);
		const isStuck = this.#writing.size > 0 && now - this.#lastSign >= stuckMs;
		const fresh = this.#waiting.findIndex(({ since }) => !isStuck || now - since < stuckMs);
		for (const { envelope, settle } of this.#waiting.splice(0, fresh < 0 ? this.#waiting.length : fresh)) {
			this.#bytesWaiting -= envelope.bytes;
			settle.reject(new StoreFault("unavailable", "The store does not answer. Nothing was changed."));
		}
		this.#timer = this.#waiting.length === 0 ? undefined : setTimeout(() => this.#refuseStuck(), lookMs);
	}

	/** Callers that were just answered often send again in the same tick of the event loop: they join the batch. */
	#schedule(): void {
		if (this.#scheduled || this.#waiting.length === 0 || this.#writing.size >= this.#parts.store.batchesMax) return;
		this.#scheduled = true;
		void nextTick().then(() => {
			this.#scheduled = false;
			const since = monotonicNow(this.#parts.clock);
			this.#lastSign = since;
			this.#writesNothingSince ??= since;
			const batch = this.#takeBatch();
			const written = this.#write(batch).finally(() => {
				this.#lastSign = monotonicNow(this.#parts.clock);
				this.#writing.delete(written);
				this.#schedule();
			});
			this.#writing.set(written, { batch, since });
			this.#schedule();
		});
	}

	#takeBatch(): WaitingCommand[] {
		let bytes = 0;
		const fits = this.#waiting.findIndex(({ envelope }, at) => {
			bytes += envelope.bytes;
			return at > 0 && (at >= batchCommandsMax || bytes > batchBytesMax);
		});
		const batch = this.#waiting.splice(0, Math.min(fits < 0 ? this.#waiting.length : fits, this.#share()));
		for (const { envelope } of batch) this.#bytesWaiting -= envelope.bytes;
		return batch;
	}

	/** A store that takes two batches gets many commands in two halves: it writes one while the other is answered. */
	#share(): number {
		const { length } = this.#waiting;
		const split = this.#parts.store.batchesMax > 1 && this.#writing.size === 0 && length >= splitMin;
		return split ? Math.ceil(length / 2) : length;
	}

	/** The store ended the batch before these: they come first in the next one. */
	#putBack(rest: readonly WaitingCommand[]): void {
		this.#waiting.unshift(...rest);
		for (const { envelope } of rest) this.#bytesWaiting += envelope.bytes;
	}

	async #write(batch: readonly WaitingCommand[]): Promise<void> {
		const { store, tail } = this.#parts;
		try {
			const results = await store.commit(batch.map(({ envelope }) => envelope));
			this.#writesNothingSince = this.#writing.size > 1 ? monotonicNow(this.#parts.clock) : null;
			tail.committed(results.flatMap((outcome) => ("done" in outcome && !outcome.replayed ? outcome.events : [])));
			for (const [at, outcome] of results.entries()) {
				const settle = batch[at]?.settle;
				if ("bug" in outcome)
					settle?.reject(new StoreFault("rejected", `The store could not carry out the command: ${outcome.bug}.`));
				else settle?.resolve(outcome);
			}
			this.#putBack(batch.slice(results.length));
		} catch (fault) {
			for (const { settle } of batch) settle.reject(fault);
		}
	}
}

/** What else arrives in this tick of the event loop is there when it resolves. */
export const nextTick = (): Promise<void> => new Promise((resume) => setImmediate(resume));
