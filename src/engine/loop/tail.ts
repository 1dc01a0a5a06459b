// The end of the journal as it grows, on whichever node: every event is published once, in order and without gaps.
//
// Ids have no gaps, and their order is the order of commits. So what this node commits is published as it is if it
// follows what was published last; if not, other nodes were in between, and the journal is read from there. What other
// nodes commit is looked for when they say so, which is a hint, and every second, which is what counts. A store that
// nobody else writes to has no notifications, and its commits always follow each other.
//
// Most of a journal is what agents say. Where nobody follows conversations, other nodes' plain items are passed over as
// soon as their node says which they are, and are not read at all. So an idle node costs the others next to nothing.
import type { Event } from "#contract/event.ts";
import { isPlainItem } from "#contract/item-kinds.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import { caught, type Log } from "../ports/log.ts";
import type { CommitNotifications, EventSpan, LookReason, Reads } from "../ports/store.ts";
import type { Publisher } from "./publish.ts";
import { sleep } from "./retry.ts";

const pageEvents = 1000;
/** after a read of more events than this, the next one waits a little */
const floodEvents = 20;
const floodMs = 50;
/** while other nodes say so often enough what they add, the look every second would only read what they say next */
const freshMs = 500;

export interface TailParts {
	publisher: Publisher;
	reads: Pick<Reads, "events" | "lastEvent">;
	notifications: Pick<CommitNotifications, "follow" | "tell"> | null;
	clock: Clock;
	log: Log;
}

export class Tail implements AsyncDisposable {
	readonly #parts: TailParts;
	/** the last event that was published; null before the start, when nobody reads */
	#last: number | null = null;
	#reading: Promise<void> | null = null;
	#again = false;
	/** when a node last said what follows what was published */
	#followedAt = Number.NEGATIVE_INFINITY;
	#following: AsyncDisposable | null = null;

	constructor(parts: TailParts) {
		this.#parts = parts;
	}

	/** Begins after the journal's last event. */
	start(after: number): void {
		const { publisher, notifications } = this.#parts;
		this.#last = after;
		publisher.startAfter(after);
		this.#following = notifications?.follow((reason) => this.#look(reason)) ?? null;
	}

	/** Publishes what this node has committed, or reads what came before it. */
	committed(events: readonly Event[]): void {
		const [first, last] = [events[0], events.at(-1)];
		if (first === undefined || last === undefined) return;
		const plain = events.every(isPlainItem);
		const added = { first: first.id, last: last.id };
		if (this.#last === null || first.id === this.#last + 1) this.#publish(events);
		else this.#look(plain ? added : "events");
		this.#parts.notifications?.tell(added, plain);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#following?.[Symbol.asyncDispose]();
		await this.#reading;
	}

	#look(reason: LookReason): void {
		if (reason !== "events" && !this.#parts.publisher.wantsItems) {
			if (reason !== "time") {
				this.#passOver(reason);
				return;
			}
			if (monotonicNow(this.#parts.clock) - this.#followedAt < freshMs) return;
		}
		this.#again = true;
		this.#reading ??= this.#read()
			.catch(caught(this.#parts.log, "tail", "The journal could not be read; retrying"))
			.finally(() => {
				this.#reading = null;
			});
	}

	/** Plain items that nobody wants: at once if they follow what was published, else with what comes next. */
	#passOver({ first, last }: EventSpan): void {
		const follows = first <= (this.#last ?? 0) + 1;
		if (follows) this.#publish([], last);
		// if not, what is in between has to be read
		this.#followedAt = follows ? monotonicNow(this.#parts.clock) : Number.NEGATIVE_INFINITY;
	}

	async #read(): Promise<void> {
		while (this.#again) {
			this.#again = false;
			const after = this.#last ?? 0;
			const { found, upTo } = await this.#page(after);
			// own commits may have been published meanwhile
			const fresh = found.filter(({ id }) => id > (this.#last ?? 0));
			this.#publish(fresh, upTo);
			if (found.length === pageEvents) this.#again = true;
			// while others write much, what they wrote is read in larger pieces: each read costs the database something
			else if (upTo - after > floodEvents) await sleep(floodMs);
		}
	}

	/** The next events, and up to where they are all that is wanted here. */
	async #page(after: number): Promise<{ found: Event[]; upTo: number }> {
		const { reads, publisher } = this.#parts;
		if (!publisher.wantsItems) {
			const last = await reads.lastEvent();
			if (last <= after) return { found: [], upTo: after };
			const found = await reads.events({ after, upTo: last, plainItems: false, limit: pageEvents });
			// somebody who came meanwhile gets every item from here on
			if (!publisher.wantsItems) return { found, upTo: found.length < pageEvents ? last : (found.at(-1)?.id ?? after) };
		}
		const found = await reads.events({ after, limit: pageEvents });
		return { found, upTo: found.at(-1)?.id ?? after };
	}

	#publish(events: readonly Event[], upTo = events.at(-1)?.id ?? 0): void {
		this.#last = Math.max(this.#last ?? 0, upTo);
		this.#parts.publisher.publish(events, upTo);
	}
}
