// What the open tool calls of one turn have put out so far, and what has been said of a message, kept now and then, so
// that it outlives a daemon that is killed.
//
// It is not in the journal: there, a call's output is one item, written when the call is over, and so is a message.
// This is what that item is made of if nobody is left to write it.
import type { Event } from "#contract/event.ts";
import type { PartialOf, PartialOutput, TurnItem } from "#contract/turn.ts";
import type { Partials } from "../ports/blobs.ts";
import { caught, type Log } from "../ports/log.ts";

const flushMs = 2000;
const message = "the message";
/** as much of a long text as its item has for certain */
const comparedLength = 8 * 1024;

export class PartialOutputFile implements Disposable {
	readonly #partials: Partials | null;
	readonly #turn: number;
	readonly #lengthMax: number;
	readonly #log: Log;
	readonly #open = new Map<string, { of: PartialOf; output: () => string }>();
	#timer: ReturnType<typeof setTimeout> | undefined;
	/** whatever is done to the file is done after what was done before */
	#last: Promise<void> | null = null;

	constructor(partials: Partials | null, { turn, lengthMax, log }: { turn: number; lengthMax: number; log: Log }) {
		this.#log = log;
		this.#partials = partials;
		this.#turn = turn;
		this.#lengthMax = lengthMax;
	}

	/** What is over before the first flush never costs anything. One message is said at a time. */
	heard(of: PartialOf, output: () => string): void {
		if (this.#partials === null) return;
		this.#open.set("call" in of ? `call ${of.call}` : message, { of, output });
		this.#timer ??= setTimeout(() => this.#flush(), flushMs);
	}

	/** It is in the journal. Of a message that began since, the next piece tells again. */
	over({ kind, data }: TurnItem): void {
		if (kind === "tool_result") this.#open.delete(`call ${Reflect.get(Object(data), "call")}`);
		else if (kind === "assistant" || kind === "thought") this.#open.delete(message);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
		this.#open.clear();
		if (this.#last !== null) this.#then((partials) => partials.drop(this.#turn));
	}

	#flush(): void {
		this.#timer = undefined;
		const open = [...this.#open.values()].map(({ of, output }) => ({
			...of,
			text: output().slice(0, this.#lengthMax).toWellFormed(),
		}));
		if (open.length > 0) this.#then((partials) => partials.keep(this.#turn, open));
	}

	/** A disk that takes nothing costs the output of a crash, and nothing else. */
	#then(work: (partials: Partials) => Promise<void>): void {
		const partials = this.#partials;
		if (partials !== null)
			this.#last = (this.#last ?? Promise.resolve())
				.then(() => work(partials))
				.catch(caught(this.#log, "turns", "What a turn has put out so far could not be kept", { turn: this.#turn }));
	}
}

/** Without the messages that are in the journal: they may have been written after the last flush. */
export const notRecorded = (partials: readonly PartialOutput[], items: readonly Event[]): PartialOutput[] =>
	partials.filter((each) => {
		const beginning = each.text.slice(0, comparedLength);
		return (
			"call" in each ||
			(beginning !== "" && !items.some(({ kind, text }) => kind === each.said && text?.startsWith(beginning) === true))
		);
	});
