// The output of open tool calls and of an unfinished message, written every two seconds to a file, on PostgreSQL to a
// row, so that it survives a daemon that is killed.
//
// In the journal a call's output and a message are one item each, written at their end. After a crash, recovery makes
// these items from it.
import { looseData } from "#contract/loose-data.ts";
import type { PartialOf, PartialOutput, TurnItem } from "#contract/turn.ts";
import type { Partials } from "../ports/blobs.ts";
import { caught, type Log } from "../ports/log.ts";

const flushMs = 2000;
const message = "the message";

export class PartialOutputKeeper implements Disposable {
	readonly #partials: Partials | null;
	readonly #turn: number;
	readonly #lengthMax: number;
	readonly #log: Log;
	readonly #open = new Map<string, { of: PartialOf; output: () => string }>();
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** the last write; the next one follows it */
	#last: Promise<void> | null = null;

	constructor(partials: Partials | null, { turn, lengthMax, log }: { turn: number; lengthMax: number; log: Log }) {
		this.#log = log;
		this.#partials = partials;
		this.#turn = turn;
		this.#lengthMax = lengthMax;
	}

	/** Nothing is written for what ends before the first flush. There is one message at a time. */
	add(of: PartialOf, output: () => string): void {
		this.#open.set("call" in of ? `call ${of.call}` : message, { of, output });
		if (this.#partials !== null) this.#timer ??= setTimeout(() => this.#flush(), flushMs);
	}

	/** The item is in the journal. A message that began since is added again with its next piece. */
	over(item: TurnItem): void {
		const { kind } = item;
		if (kind === "tool_result") this.#open.delete(`call ${String(looseData(item.data).call)}`);
		else if (kind === "assistant" || kind === "thought") this.#open.delete(message);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#open.clear();
		if (this.#last !== null) this.#then((partials) => partials.drop(this.#turn));
	}

	/** What is open now. */
	get open(): PartialOutput[] {
		return [...this.#open.values()].map(({ of, output }) => ({
			...of,
			text: output().slice(0, this.#lengthMax).toWellFormed(),
		}));
	}

	#flush(): void {
		this.#timer = undefined;
		const { open } = this;
		if (open.length > 0) this.#then((partials) => partials.keep(this.#turn, open));
	}

	/** If the disk fails, only the output before a crash is lost. */
	#then(work: (partials: Partials) => Promise<void>): void {
		const partials = this.#partials;
		if (partials !== null)
			this.#last = (this.#last ?? Promise.resolve())
				.then(() => work(partials))
				.catch(
					caught(this.#log, "turns", "What a turn has produced so far could not be recorded", { turn: this.#turn }),
				);
	}
}
