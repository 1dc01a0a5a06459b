// What was sent and not answered: it may have arrived. The same text to the same agent goes under the same idempotency
// key, so that it happens once.
import { Refused } from "#client/client.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Saved } from "#contract/terminal-file.ts";
import type { RequestOrigin, SendRequest } from "./open-requests.ts";

export const mayHaveArrived = "It may have arrived. Sent again unchanged, it is the same request and happens once.";

export class Unanswered {
	readonly #saved: Saved;

	constructor(saved: Saved) {
		this.#saved = saved;
	}

	/** Whether the text may have arrived; then its key is kept. */
	keep({ agent, typed, key }: RequestOrigin, error?: unknown): boolean {
		const isUnknown = key !== undefined && typed !== "" && (error === undefined || isUnanswered(error));
		if (isUnknown) this.#saved.unanswered[agent] = { text: typed, key };
		return isUnknown;
	}

	/** The key of the same text; null for another one. Whoever has sent something else means the next one anew. */
	take(agent: AgentId, text: string): string | null {
		const before = this.#saved.unanswered[agent];
		delete this.#saved.unanswered[agent];
		return before?.text === text ? before.key : null;
	}
}

/** A request that is sent for the second time says so. Its prompt may have left the queue long ago. */
export const sentAgain =
	(send: SendRequest): SendRequest =>
	async (...given) => {
		const { queued, ...answer } = await send(...given);
		const text = "Sent again as the same request: it happens once.";
		return queued === undefined ? { text, ...answer } : { ...answer, text };
	};

/** Nobody said what became of the request. */
export const isUnanswered = (error: unknown): boolean =>
	!(error instanceof Refused) || error.refusal.details["unanswered"] === true;
