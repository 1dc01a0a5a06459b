// A request with an idempotency key is executed once. A retry with the same key and payload gets the first answer: from
// memory while the first request is running, from its receipt afterwards. A retry finishes a step that was begun and
// not ended.
import type { Actor, IdempotencyKey } from "#contract/ids.ts";
import type { Receipt } from "#contract/receipt.ts";
import { isRefusal, type Refusal, refusalCodes } from "#contract/refusal.ts";
import type { RouteName } from "#contract/routes.ts";
import { keyTaken } from "#engine/commands/execute.ts";
import type { Engine } from "#engine/engine.ts";
import { caught } from "#engine/ports/log.ts";
import { packedAnswer, unpackedAnswer } from "./stored-answers.ts";

export interface KeyedRequest {
	route: RouteName;
	actor: Actor;
	key: IdempotencyKey;
	fingerprint: string;
}

/** The part of the first attempt's receipt that handlers need. */
export type PriorReceipt = Pick<Receipt, "outcome"> | null;

interface Running {
	fingerprint: string;
	answer: Promise<object>;
}

export class Idempotency {
	readonly #engine: Pick<Engine, "receipts" | "reads" | "log">;
	readonly #running = new Map<string, Running>();

	constructor(engine: Pick<Engine, "receipts" | "reads" | "log">) {
		this.#engine = engine;
	}

	/** `work` gets the receipt of the first attempt, and the fingerprint for its commands' receipts. */
	async answer(
		request: KeyedRequest,
		work: (earlier: PriorReceipt, fingerprint: string) => Promise<object>,
	): Promise<object> {
		const name = `${request.actor} ${request.key}`;
		const running = this.#running.get(name);
		if (running !== undefined) return running.fingerprint === request.fingerprint ? await running.answer : keyTaken;
		const answer = this.#answer(request, work);
		this.#running.set(name, { fingerprint: request.fingerprint, answer });
		try {
			return await answer;
		} finally {
			this.#running.delete(name);
		}
	}

	/** The recorded answer, for a caller who may not request anything new; null if there is none. */
	async answered(request: KeyedRequest): Promise<object | null> {
		const receipt = await this.#engine.receipts.find(request.actor, request.key);
		return receipt?.fingerprint === request.fingerprint && receipt.answer !== undefined
			? await this.#recorded(request, receipt)
			: null;
	}

	async #answer(
		request: KeyedRequest,
		work: (earlier: PriorReceipt, fingerprint: string) => Promise<object>,
	): Promise<object> {
		const receipt = await this.#engine.receipts.find(request.actor, request.key);
		if (receipt !== undefined && receipt.fingerprint !== request.fingerprint) return keyTaken;
		if (receipt !== undefined && "refused" in receipt.outcome) return receipt.outcome.refused;
		if (receipt?.answer !== undefined) return await this.#recorded(request, receipt);
		const result = await work(receipt ?? null, request.fingerprint);
		// the commands have their own receipts, so the request succeeded even if its answer cannot be kept
		await this.#remember(request, result).catch(
			caught(this.#engine.log, "receipts", "The response could not be stored with its receipt"),
		);
		return result;
	}

	async #recorded({ route }: KeyedRequest, { answer }: Receipt): Promise<object> {
		return Object(await unpackedAnswer(route, answer, this.#engine.reads));
	}

	async #remember(request: KeyedRequest, result: object | Refusal): Promise<void> {
		if (!isRefusal(result)) await this.#engine.receipts.answered(request, packedAnswer(request.route, result));
		else if (!refusalCodes[result.code].retryable) await this.#engine.receipts.refused(request, result);
	}
}

/** Does not depend on the order of fields. */
export const fingerprintOf = (payload: unknown, digest: (text: string) => string): string =>
	digest(JSON.stringify(payload, inOrder));

function inOrder(_name: string, value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
