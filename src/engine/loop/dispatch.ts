// Every command is dispatched here, from people, agents and the daemon itself.
//
// Group commit: commands that arrive while a batch is being written become the next batch. A store with a thread of its
// own gets that batch in advance, so that it never waits between two commits. Nothing is answered or published before
// its COMMIT has returned; after a COMMIT of unknown outcome (`broken`) the store accepts nothing more.
import type { Envelope } from "#contract/command.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { admit, type Stamps } from "../commands/admit.ts";
import type { NodeSuspension } from "../nodes/suspension.ts";
import type { CommandRequest, Outcome } from "../ports/dispatch.ts";
import { type Store, StoreFault } from "../ports/store.ts";
import type { Tail } from "./tail.ts";

/** The limits of one batch; they keep transactions short for the callers that wait. */
const batchCommandsMax = 256;
const batchBytesMax = 4 * 1024 * 1024;

/** Fewer commands than this are not split into two batches. */
const splitMin = 16;

interface WaitingCommand {
	envelope: Envelope;
	settle: PromiseWithResolvers<Outcome>;
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
	readonly #writing = new Set<Promise<void>>();
	#scheduled = false;
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
		this.#waiting.push({ envelope, settle });
		this.#bytesWaiting += envelope.bytes;
		this.#schedule();
		return await settle.promise;
	}

	/** Refuses further commands, and resolves when all accepted ones have been answered. */
	async close(): Promise<void> {
		this.#closed = true;
		while (this.#waiting.length > 0 || this.#writing.size > 0) {
			await Promise.all(this.#writing);
			await nextTick();
		}
	}

	/** Callers that were just answered often send again in the same tick of the event loop: they join the batch. */
	#schedule(): void {
		if (this.#scheduled || this.#waiting.length === 0 || this.#writing.size >= this.#parts.store.batchesMax) return;
		this.#scheduled = true;
		void nextTick().then(() => {
			this.#scheduled = false;
			const batch = this.#write(this.#takeBatch()).finally(() => {
				this.#writing.delete(batch);
				this.#schedule();
			});
			this.#writing.add(batch);
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
