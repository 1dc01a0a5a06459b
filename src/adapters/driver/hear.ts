// One turn of one process: the prompt goes in, what it says comes out as items, and how it ended as a value.
import type { TurnItem } from "#contract/turn.ts";
import type { TurnEnd, TurnWatch } from "#engine/ports.ts";
import type { Ears, Launched } from "./acp/launch.ts";
import { finish, limitOf, questionOf, silence, type Translated, translate } from "./acp/translate.ts";

/** More than this waiting to be written, and the process has to wait too. */
const waitingMax = 64;
const batchMax = 64;

export async function hearTurn(process: Launched, text: string, watch: TurnWatch, signal: AbortSignal): Promise<TurnEnd> {
	let state = silence;
	const outbox = new Outbox(watch);
	const take = ({ next, items, delta }: Translated): void => {
		state = next;
		outbox.put(items);
		if (delta !== null) watch.delta(delta);
	};
	const on: Ears = {
		update: (update) => {
			watch.heard();
			take(translate(state, update));
		},
		room: () => outbox.room(),
		// whoever is asked sees first what led to the question
		async ask(request) {
			await outbox.empty();
			return await watch.ask(questionOf(request));
		},
	};
	const end = await process.prompt(text, on).then(
		(reason): TurnEnd =>
			reason === "cancelled"
				? { state: "interrupted", reason: "cancelled", text: null }
				: { state: "completed", reason: reason === "end_turn" ? null : reason, text: null },
		(error: unknown): TurnEnd => ({
			state: signal.aborted ? "interrupted" : "failed",
			reason: reasonOf(error),
			text: null,
			...limitOf(error),
		}),
	);
	take(finish(state));
	await outbox.empty();
	return { ...end, text: end.state === "completed" ? state.lastWords : null };
}

/** Items on their way into the journal: in order, several at a time, and never too many. */
class Outbox {
	readonly #watch: TurnWatch;
	#waiting: TurnItem[] = [];
	#writing: Promise<void> | null = null;

	constructor(watch: TurnWatch) {
		this.#watch = watch;
	}

	put(items: readonly TurnItem[]): void {
		this.#waiting.push(...items);
		if (this.#waiting.length > 0) this.#writing ??= this.#write();
	}

	async room(): Promise<void> {
		while (this.#waiting.length > waitingMax && this.#writing !== null) await this.#writing;
	}

	async empty(): Promise<void> {
		while (this.#writing !== null) await this.#writing;
	}

	async #write(): Promise<void> {
		// what arrives in the same moment is written together
		await Promise.resolve();
		// a rejection can only mean that the store is broken: then nothing is kept any more, and the engine is about to end
		while (this.#waiting.length > 0) await this.#watch.items(this.#waiting.splice(0, batchMax)).catch(() => {});
		this.#writing = null;
	}
}

function reasonOf(error: unknown): string {
	const words = error instanceof Error ? error.message : String(error);
	return words === "ACP connection closed" ? "its process ended" : words;
}
