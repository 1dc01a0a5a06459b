// The tool calls of one turn, as far as they have been told of. Bounded: a program that begins calls and never ends them has its
// oldest ones closed.
import type { TurnItem } from "#contract/turn.ts";

export interface Call {
	/** its own item was written; one that nothing is known of yet waits until something is */
	said: boolean;
	title: string;
	tool: string;
	/** whether the call's own item had its input already */
	told: boolean;
	input: TurnItem["data"] | undefined;
	/** what it has put out, as its program shows it */
	shown: string;
	/** what a command put out, where a program tells it piece by piece in a field of its own */
	printed: string;
	output: TurnItem["data"];
}

const openMax = 1000;
const lengthMax = 64 * 1024 * 1024;
/** ended calls whose late updates are known for what they are */
const overMax = 1000;

export class Calls {
	readonly #open = new Map<string, Call>();
	readonly #over = new Set<string>();
	#length = 0;

	get(id: string): Call | undefined {
		return this.#open.get(id);
	}

	isOver(id: string): boolean {
		return this.#over.has(id);
	}

	/** in the order in which they were begun */
	get open(): ReadonlyMap<string, Call> {
		return this.#open;
	}

	/** Answers with the calls that had to be closed to make room. */
	put(id: string, call: Call): [string, Call][] {
		this.#over.delete(id);
		this.#length += lengthOf(call) - lengthOf(this.#open.get(id));
		this.#open.set(id, call);
		const closed: [string, Call][] = [];
		for (const [oldest, each] of this.#open) {
			if (this.#open.size <= openMax && this.#length <= lengthMax) break;
			closed.push([oldest, each]);
			this.end(oldest);
		}
		return closed;
	}

	end(id: string): void {
		this.#length -= lengthOf(this.#open.get(id));
		this.#open.delete(id);
		this.#over.add(id);
		for (const oldest of this.#over) {
			if (this.#over.size <= overMax) break;
			this.#over.delete(oldest);
		}
	}
}

const lengthOf = (call: Call | undefined): number => (call === undefined ? 0 : call.shown.length + call.printed.length + call.title.length);
