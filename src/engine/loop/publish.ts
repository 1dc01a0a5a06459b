// Bounded fan-out of committed events. A reader that falls too far behind is cut and told where to resume;
// it is never thinned out silently and never slows the others down.
import type { Event } from "#contract/event.ts";
import type { Limits } from "#contract/limits.ts";
import type { Delta } from "#contract/stream.ts";

/** characters of pieces that may wait for a reader; more are dropped */
const liveLengthMax = 1024 * 1024;

export class Publisher {
	readonly #limits: Limits;
	readonly #readers = new Set<EventReader>();
	#lastPublished = 0;

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	/** What was there before anything was published: a reader that never got anything resumes behind it. */
	startAfter(event: number): void {
		this.#lastPublished = Math.max(this.#lastPublished, event);
	}

	/** Everything published from now on. */
	follow(): EventReader {
		const reader: EventReader = new EventReader(this.#limits.backlogEventsMax, this.#lastPublished, () =>
			this.#readers.delete(reader),
		);
		this.#readers.add(reader);
		return reader;
	}

	/** Pieces of what is still being said: for whoever watches now, and dropped where a reader is behind. */
	live(delta: Delta): void {
		for (const reader of this.#readers) reader.pushLive(delta);
	}

	publish(events: readonly Event[]): void {
		this.#lastPublished = events.at(-1)?.id ?? this.#lastPublished;
		if (events.length === 0) return;
		for (const reader of this.#readers) reader.push(events);
	}
}

export class EventReader implements Disposable {
	readonly #backlogMax: number;
	readonly #onEnd: () => void;
	#backlog: Event[] = [];
	#state: "open" | "cut" | "closed" = "open";
	#wake: PromiseWithResolvers<void> | null = null;
	#lastRead: number;
	readonly #live: Delta[] = [];
	#liveLength = 0;
	#nudged = false;
	#onLive: (() => void) | null = null;

	constructor(backlogMax: number, after: number, onEnd: () => void) {
		this.#backlogMax = backlogMax;
		this.#lastRead = after;
		this.#onEnd = onEnd;
	}

	/** The events that came since the last call, waiting for the first; none if it was nudged, null when it is over. */
	async next(): Promise<readonly Event[] | null> {
		while (this.#state === "open" && this.#backlog.length === 0 && !this.#nudged) {
			this.#wake = Promise.withResolvers();
			await this.#wake.promise;
		}
		this.#nudged = false;
		if (this.#state !== "open") return null;
		const events = this.#backlog;
		this.#backlog = [];
		this.#lastRead = events.at(-1)?.id ?? this.#lastRead;
		return events;
	}

	/** Whoever waits for the next events is to look at the clock instead. */
	nudge(): void {
		this.#nudged = true;
		this.#wake?.resolve();
	}

	/** The pieces that came since the last call; nothing depends on them, the closing item has the whole text. */
	takeLive(): readonly Delta[] {
		this.#liveLength = 0;
		return this.#live.splice(0);
	}

	/** For a reader that was cut: the last event it was given; the journal has everything after it. */
	get cutAfter(): number | null {
		return this.#state === "cut" ? this.#lastRead : null;
	}

	pushLive(delta: Delta): void {
		if (this.#state !== "open" || this.#onLive === null || this.#liveLength > liveLengthMax) return;
		this.#live.push(delta);
		this.#liveLength += delta.text.length;
		this.#onLive();
	}

	/**
	 * From now on pieces are kept for this reader, and it is called when one has come. Events are waited for with `next`.
	 */
	onLive(call: () => void): void {
		this.#onLive = call;
	}

	push(events: readonly Event[]): void {
		if (this.#state !== "open") return;
		if (this.#backlog.length + events.length > this.#backlogMax) this.#end("cut");
		else this.#backlog.push(...events);
		this.#wake?.resolve();
	}

	[Symbol.dispose](): void {
		if (this.#state === "open") this.#end("closed");
		this.#wake?.resolve();
	}

	#end(state: "cut" | "closed"): void {
		this.#state = state;
		this.#backlog = [];
		this.#onEnd();
	}
}
