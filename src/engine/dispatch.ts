// The way in for every command, a person's click and a driver's output alike.
//
// Group commit: while a batch is being written, whatever arrives waits and becomes the next one. A store with a
// thread of its own is given that next one in advance, so that it never waits for us between two commits. Nothing
// is answered or published before its COMMIT has returned; if a COMMIT fails, nothing is ever answered again.
import type { Envelope } from "#contract/command.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import { admit, type Request, type Stamps } from "./admit.ts";
import { type Outcome, type Store, StoreFault } from "./ports.ts";
import type { Publisher } from "./publish.ts";

/** A batch ends at whichever comes first; both keep one transaction short enough for the others to wait. */
const batchCommandsMax = 256;
const batchTextMax = 4 * 1024 * 1024;

/** Fewer than this are not worth a second commit. */
const crowdMin = 16;

interface Waiting {
	envelope: Envelope;
	settle: PromiseWithResolvers<Outcome>;
}

export interface DispatchParts extends Stamps {
	store: Store;
	publisher: Publisher;
}

export class Dispatcher {
	readonly #parts: DispatchParts;
	#waiting: Waiting[] = [];
	/** batches that the store has been given and has not answered, oldest first */
	readonly #writing = new Set<Promise<void>>();
	#scheduled = false;

	constructor(parts: DispatchParts) {
		this.#parts = parts;
	}

	/** Answers when the command is durable, or refused. Rejects with a `StoreFault` if the store failed. */
	async dispatch(request: Request): Promise<Outcome> {
		const envelope = admit(request, this.#parts);
		if (isRefusal(envelope)) return { refused: envelope, replayed: false };
		const { commandsWaitingMax } = this.#parts.limits;
		if (this.#waiting.length >= commandsWaitingMax) {
			return { refused: refuse("QUEUE_FULL", `${commandsWaitingMax} commands are waiting for the store; try again.`), replayed: false };
		}
		const settle = Promise.withResolvers<Outcome>();
		this.#waiting.push({ envelope, settle });
		this.#schedule();
		return await settle.promise;
	}

	/** Resolves when everything that was accepted so far has been answered. */
	async drain(): Promise<void> {
		while (this.#waiting.length > 0 || this.#writing.size > 0) {
			await Promise.all(this.#writing);
			await nextTurn();
		}
	}

	/** Callers that were just answered come back in this same turn of the event loop: let them all in first. */
	#schedule(): void {
		if (this.#scheduled || this.#waiting.length === 0 || this.#writing.size >= this.#parts.store.batchesMax) return;
		this.#scheduled = true;
		void nextTurn().then(() => {
			this.#scheduled = false;
			const batch = this.#write(this.#takeBatch()).finally(() => {
				this.#writing.delete(batch);
				this.#schedule();
			});
			this.#writing.add(batch);
			this.#schedule();
		});
	}

	#takeBatch(): Waiting[] {
		let text = 0;
		const fits = this.#waiting.findIndex(({ envelope }, at) => {
			text += textLength(envelope);
			return at > 0 && (at >= batchCommandsMax || text > batchTextMax);
		});
		return this.#waiting.splice(0, Math.min(fits < 0 ? this.#waiting.length : fits, this.#share()));
	}

	/** A store that can be given two batches gets a crowd in two halves: it writes one while we answer the other. */
	#share(): number {
		const { length } = this.#waiting;
		const crowd = this.#parts.store.batchesMax > 1 && this.#writing.size === 0 && length >= crowdMin;
		return crowd ? Math.ceil(length / 2) : length;
	}

	async #write(batch: readonly Waiting[]): Promise<void> {
		const { store, publisher } = this.#parts;
		try {
			const outcomes = await store.commit(batch.map(({ envelope }) => envelope));
			publisher.publish(outcomes.flatMap((outcome) => ("done" in outcome ? outcome.events : [])));
			for (const [at, { settle }] of batch.entries()) {
				const outcome = outcomes[at];
				if (outcome === undefined) settle.reject(new Error("the store answered fewer commands than it was given"));
				else settle.resolve(outcome);
			}
		} catch (fault) {
			// one command must not take its neighbours along: each gets a batch of its own
			const culprits = fault instanceof StoreFault && fault.kind === "rejected";
			if (culprits && batch.length > 1) for (const one of batch) await this.#write([one]);
			else for (const { settle } of batch) settle.reject(fault);
		}
	}
}

const nextTurn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

const textLength = ({ command }: Envelope): number => ("text" in command ? (command.text?.length ?? 0) : 0);
