// Requests that have not been answered yet. They go on while the person does something else, and can be given up.
import type { State } from "./model.ts";
import type { SlashAnswer } from "./slash.ts";

interface Parts {
	answered(answer: SlashAnswer): void;
	/** `typed` is what the person had written */
	refused(error: unknown, typed: string): void;
	/** what is shown about those that wait */
	waiting(all: State["waiting"]): void;
}

export class Asking {
	readonly #parts: Parts;
	readonly #open = new Map<number, { text: string; cancelled: AbortController }>();
	#last = 0;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** `text` is shown until the answer comes; empty for what answers at once. */
	run(text: string, ask: (signal: AbortSignal) => Promise<SlashAnswer>, typed = ""): void {
		const id = ++this.#last;
		const cancelled = new AbortController();
		this.#open.set(id, { text, cancelled });
		this.#show();
		ask(cancelled.signal)
			.then((answer) => {
				if (!cancelled.signal.aborted) this.#parts.answered(answer);
			})
			.catch((error: unknown) => {
				if (!cancelled.signal.aborted) this.#parts.refused(error, typed);
			})
			.finally(() => {
				this.#open.delete(id);
				this.#show();
			});
	}

	/** A fork that waits for its moment is given up; anything else may still be done, and its answer is not waited for. */
	cancel(): void {
		for (const { cancelled } of this.#open.values()) cancelled.abort();
		this.#open.clear();
		this.#show();
	}

	#show(): void {
		const shown = [...this.#open].filter(([, { text }]) => text !== "");
		this.#parts.waiting(shown.map(([id, { text }]) => ({ id, text })));
	}
}
