// Receipts of whole requests, beside those of single commands (`execute.ts`).
//
//   begin    before a step outside the store: flushed, because after a crash only this receipt leads back to the step
//   answered the data of the answer: survives the end of this process, and costs no flush, since the effect is durable
//   refused  a refusal that no command recorded
import type { Actor, IdempotencyKey } from "#contract/ids.ts";
import type { Receipt, StartedStep, StoredReceipt } from "#contract/receipt.ts";
import type { Refusal } from "#contract/refusal.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { nextTick } from "./dispatch.ts";

/** A request under a key, and what was begun for it before a crash. */
export interface ResumableRequest {
	actor: Actor;
	key: IdempotencyKey;
	fingerprint: string;
	begun: StartedStep | null;
}

type Named = Omit<ResumableRequest, "begun">;

/** A longer answer is computed again from its command's events. */
const answerLengthMax = 256 * 1024;

export class Receipts {
	readonly #store: Store;
	readonly #clock: Clock;
	/** receipts that are written together in the next tick of the event loop */
	#waiting: StoredReceipt[] = [];
	#writing: Promise<void> | null = null;

	constructor({ store, clock }: { store: Store; clock: Clock }) {
		this.#store = store;
		this.#clock = clock;
	}

	async find(actor: Actor, key: IdempotencyKey): Promise<Receipt | undefined> {
		return await this.#store.reads.receipt(actor, key);
	}

	async begin(named: Named, begun: StartedStep): Promise<void> {
		await this.#store.keepReceipts([this.#row(named, { outcome: { begun } })], { durable: true });
	}

	async answered(named: Named, data: unknown): Promise<void> {
		if (JSON.stringify(data).length <= answerLengthMax)
			await this.#soon(this.#row(named, { outcome: { subject: {} }, answer: data }));
	}

	async refused(named: Named, refused: Refusal): Promise<void> {
		await this.#soon(this.#row(named, { outcome: { refused } }));
	}

	#row({ actor, key, fingerprint }: Named, rest: Pick<StoredReceipt, "outcome" | "answer">): StoredReceipt {
		return { actor, key, fingerprint, at: monotonicNow(this.#clock), ...rest };
	}

	/** Callers that are answered in the same tick of the event loop share one message to the store. */
	async #soon(receipt: StoredReceipt): Promise<void> {
		this.#waiting.push(receipt);
		this.#writing ??= nextTick().then(async () => {
			this.#writing = null;
			await this.#store.keepReceipts(this.#waiting.splice(0), { durable: false });
		});
		await this.#writing;
	}
}
