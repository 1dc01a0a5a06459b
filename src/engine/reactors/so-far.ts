// What the open tool calls of one turn have put out so far, kept now and then, so that it outlives a daemon that is killed.
//
// It is not in the journal: there, a call's output is one item, written when the call is over. This is what that item is
// made of if nobody is left to write it.
import type { Partials } from "../ports.ts";

const flushMs = 2000;

export class SoFar implements Disposable {
	readonly #partials: Partials | null;
	readonly #turn: number;
	readonly #lengthMax: number;
	readonly #calls = new Map<string, () => string>();
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** whatever is done to the file is done after what was done before */
	#last: Promise<void> | null = null;

	constructor(partials: Partials | null, { turn, lengthMax }: { turn: number; lengthMax: number }) {
		this.#partials = partials;
		this.#turn = turn;
		this.#lengthMax = lengthMax;
	}

	/** A call that is over before the first flush never costs anything. */
	heard(call: string, output: () => string): void {
		if (this.#partials === null) return;
		this.#calls.set(call, output);
		this.#timer ??= setTimeout(() => this.#flush(), flushMs);
	}

	/** Its result is in the journal. */
	over(call: string): void {
		this.#calls.delete(call);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#calls.clear();
		if (this.#last !== null) this.#then((partials) => partials.drop(this.#turn));
	}

	#flush(): void {
		this.#timer = undefined;
		const calls = [...this.#calls].map(([call, output]) => ({ call, text: output().slice(0, this.#lengthMax).toWellFormed() }));
		if (calls.length > 0) this.#then((partials) => partials.keep(this.#turn, calls));
	}

	/** A disk that takes nothing costs the output of a crash, and nothing else. */
	#then(work: (partials: Partials) => Promise<void>): void {
		const partials = this.#partials;
		if (partials !== null) this.#last = (this.#last ?? Promise.resolve()).then(() => work(partials)).catch(() => {});
	}
}
