// Requests that have not been answered yet. They go on while the person does something else, and can be given up.
import type { AgentId } from "#contract/ids.ts";
import type { State } from "./model.ts";
import type { SlashAnswer } from "./slash.ts";

/** Where a request was made, and what the person had written for it. */
export interface RequestOrigin {
	agent: AgentId;
	typed: string;
	/** what is said if the request is cancelled */
	cancelled?: string | undefined;
	/** its idempotency key, if the same text sent again is the same request */
	key?: string | undefined;
}

/** `awaits` says which agents it waits for. */
export type SendRequest = (signal: AbortSignal, awaits: (agents: readonly AgentId[]) => void) => Promise<SlashAnswer>;

interface Parts {
	answered(answer: SlashAnswer): void;
	refused(error: unknown, origin: RequestOrigin): void;
	/** a request that may still be done is not waited for any more */
	givenUp(origin: RequestOrigin): void;
	/** what is shown about those that wait */
	waiting(all: State["waiting"]): void;
}

interface OpenRequest {
	text: string;
	origin: RequestOrigin;
	cancelled: AbortController;
	awaited: readonly AgentId[];
}

/** a text that is on its way for so long is said to be */
const lateMs = 1000;

export class OpenRequests {
	readonly #parts: Parts;
	readonly #open = new Map<number, OpenRequest>();
	#last = 0;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** `text` is shown until the answer comes; empty for what answers at once. */
	run(text: string, send: SendRequest, origin: RequestOrigin): void {
		const id = ++this.#last;
		const cancelled = new AbortController();
		const open: OpenRequest = { text, origin, cancelled, awaited: [] };
		this.#open.set(id, open);
		this.#show();
		const late = setTimeout(() => {
			if (text !== "" || origin.typed === "" || cancelled.signal.aborted) return;
			open.text = "Sending …";
			this.#show();
		}, lateMs).unref();
		send(cancelled.signal, (agents) => {
			open.awaited = agents;
			this.#show();
		})
			.then((answer) => {
				if (!cancelled.signal.aborted) this.#parts.answered(answer);
			})
			.catch((error: unknown) => {
				if (!cancelled.signal.aborted) this.#parts.refused(error, origin);
			})
			.finally(() => {
				clearTimeout(late);
				this.#open.delete(id);
				this.#show();
			});
	}

	/**
	 * A fork that waits for its moment is given up, and so is a wait; anything else may still be done, and its answer is
	 * not waited for. Returns what to say of those that were shown.
	 */
	cancel(agent: AgentId): string {
		const said = new Set<string>();
		for (const [id, { text, origin, cancelled }] of this.#open) {
			if (origin.agent !== agent) continue;
			cancelled.abort();
			this.#open.delete(id);
			if (origin.cancelled === undefined) this.#parts.givenUp(origin);
			if (text !== "") said.add(origin.cancelled ?? "Given up; it may still be done.");
		}
		this.#show();
		return [...said].join(" ");
	}

	/** The person leaves: none of them is answered any more. Returns where what was written for them belongs. */
	leave(): RequestOrigin[] {
		const origins = [...this.#open.values()].map(({ origin }) => origin);
		for (const origin of origins) if (origin.cancelled === undefined) this.#parts.givenUp(origin);
		for (const { cancelled } of this.#open.values()) cancelled.abort();
		this.#open.clear();
		return origins;
	}

	#show(): void {
		const shown = [...this.#open].filter(([, { text }]) => text !== "");
		this.#parts.waiting(shown.map(([id, { text, origin, awaited }]) => ({ id, text, agent: origin.agent, awaited })));
	}
}
