// The end of the journal as it grows, on whichever node: every event is published once, in order and without gaps.
//
// Ids have no gaps, and their order is the order of commits. So what this node commits is published as it is if it
// follows what was published last; if not, other nodes were in between, and the journal is read from there. What other
// nodes commit is looked for when they say so, which is a hint, and every second, which is what counts. A store that
// nobody else writes to has no news, and its commits always follow each other.
import type { Event } from "#contract/event.ts";
import { caught, type Log } from "../ports/log.ts";
import type { CommitNotifications, Reads } from "../ports/store.ts";
import type { Publisher } from "./publish.ts";

const pageEvents = 1000;
/** after a read of more events than this, the next one waits a little */
const floodEvents = 20;
const floodMs = 50;

export interface TailParts {
	publisher: Publisher;
	reads: Pick<Reads, "events">;
	news: Pick<CommitNotifications, "follow" | "tell"> | null;
	log: Log;
}

export class Tail implements AsyncDisposable {
	readonly #parts: TailParts;
	/** the last event that was published; null before the start, when nobody reads */
	#last: number | null = null;
	#reading: Promise<void> | null = null;
	#again = false;
	#following: AsyncDisposable | null = null;

	constructor(parts: TailParts) {
		this.#parts = parts;
	}

	/** Begins behind the journal's last event. */
	start(after: number): void {
		const { publisher, news } = this.#parts;
		this.#last = after;
		publisher.startAfter(after);
		this.#following = news?.follow(() => this.#look()) ?? null;
	}

	/** Publishes what this node has committed, or reads what came before it. */
	committed(events: readonly Event[]): void {
		const [first, last] = [events[0], events.at(-1)];
		if (first === undefined || last === undefined) return;
		if (this.#last === null || first.id === this.#last + 1) this.#publish(events);
		else this.#look();
		this.#parts.news?.tell(last.id);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#following?.[Symbol.asyncDispose]();
		await this.#reading;
	}

	#look(): void {
		this.#again = true;
		this.#reading ??= this.#read()
			.catch(caught(this.#parts.log, "tail", "The journal could not be read; it is tried again"))
			.finally(() => {
				this.#reading = null;
			});
	}

	async #read(): Promise<void> {
		const { reads } = this.#parts;
		while (this.#again) {
			this.#again = false;
			const found = await reads.events({ after: this.#last ?? 0, limit: pageEvents });
			// own commits may have been published meanwhile
			this.#publish(found.filter(({ id }) => id > (this.#last ?? 0)));
			if (found.length === pageEvents) this.#again = true;
			// while others write much, what they wrote is read in larger pieces: each read costs the database something
			else if (found.length > floodEvents) await pause(floodMs);
		}
	}

	#publish(events: readonly Event[]): void {
		this.#last = events.at(-1)?.id ?? this.#last;
		this.#parts.publisher.publish(events);
	}
}

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
