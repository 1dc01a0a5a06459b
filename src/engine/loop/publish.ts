// Bounded fan-out of committed events. A reader that falls too far behind is cut and told where to resume;
// it is never thinned out silently and never slows the others down.
import type { Event } from "#contract/event.ts";
import type { Limits } from "#contract/limits.ts";
import type { LiveMessage } from "#contract/stream.ts";

/** characters of deltas that may wait for a reader; more are dropped */
const liveLengthMax = 1024 * 1024;

export class Publisher {
	readonly #limits: Limits;
	/** with each whether it wants all items */
	readonly #readers = new Map<EventReader, () => boolean>();
	#lastPublished = 0;

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	/** The journal's last event at the start: a reader that is cut before its first event resumes after it. */
	startAfter(event: number): void {
		this.#lastPublished = Math.max(this.#lastPublished, event);
	}

	/**
	 * Everything published from now on. Other nodes' plain items may be missing whenever `items` says that they are not
	 * wanted.
	 */
	follow({ items = () => true }: { items?: () => boolean } = {}): EventReader {
		const reader: EventReader = new EventReader(this.#limits.backlogEventsMax, this.#lastPublished, () =>
			this.#readers.delete(reader),
		);
		this.#readers.set(reader, items);
		return reader;
	}

	/** Whether anybody wants all items now. */
	get wantsItems(): boolean {
		return this.#readers.values().some((wants) => wants());
	}

	/** Up to here everything was published that anybody wanted. */
	get lastPublished(): number {
		return this.#lastPublished;
	}

	/** Sends a piece of an unfinished item to live readers; it is dropped where a reader is behind. */
	live(message: LiveMessage): void {
		for (const reader of this.#readers.keys()) reader.pushLive(message);
	}

	/** `upTo` if plain items, which nobody wants, were left out. */
	publish(events: readonly Event[], upTo = events.at(-1)?.id ?? 0): void {
		this.#lastPublished = Math.max(this.#lastPublished, upTo);
		if (events.length === 0) return;
		for (const reader of this.#readers.keys()) reader.push(events);
	}
}

export class EventReader implements Disposable {
	readonly #backlogMax: number;
	readonly #onEnd: () => void;
	#backlog: Event[] = [];
	#state: "open" | "cut" | "closed" = "open";
	#wake: PromiseWithResolvers<void> | null = null;
	#lastRead: number;
	readonly #live: LiveMessage[] = [];
	#liveLength = 0;
	#nudged = false;
	#onLive: (() => void) | null = null;

	constructor(backlogMax: number, after: number, onEnd: () => void) {
		this.#backlogMax = backlogMax;
		this.#lastRead = after;
		this.#onEnd = onEnd;
	}

	/** Waits for events since the last call; empty if the reader was nudged, null when it was cut or closed. */
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

	/** Wakes the reader without events. */
	nudge(): void {
		this.#nudged = true;
		this.#wake?.resolve();
	}

	/** The deltas since the last call. They may be lost: the finished item has the whole text. */
	takeLive(): readonly LiveMessage[] {
		this.#liveLength = 0;
		return this.#live.splice(0);
	}

	/** Of a reader that was cut: the last event that it got; the journal has everything after it. */
	get cutAfter(): number | null {
		return this.#state === "cut" ? this.#lastRead : null;
	}

	pushLive(message: LiveMessage): void {
		if (this.#state !== "open" || this.#onLive === null || this.#liveLength > liveLengthMax) return;
		this.#live.push(message);
		this.#liveLength += ("delta" in message ? message.delta : message.soFar).text.length;
		this.#onLive();
	}

	/** From now on deltas are kept for this reader, and `call` is called for each. */
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
