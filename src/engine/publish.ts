// Bounded fan-out of committed events. A reader that falls too far behind is cut and told where to resume;
// it is never thinned out silently and never slows the others down.
import type { Event } from "#contract/event.ts";
import type { Limits } from "#contract/limits.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

export class Publisher {
	readonly #limits: Limits;
	readonly #subscriptions = new Set<Subscription>();

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	get watchers(): number {
		return this.#subscriptions.size;
	}

	/** Everything published from now on. The daemon's own reactors do not count against the watchers' limit. */
	subscribe(who: "watcher" | "reactor"): Subscription | Refusal {
		if (who === "watcher" && this.watchers >= this.#limits.watchersMax) {
			return refuse("QUEUE_FULL", `${this.#limits.watchersMax} watchers are connected; no more are accepted.`);
		}
		const subscription: Subscription = new Subscription(this.#limits.backlogEventsMax, () => this.#subscriptions.delete(subscription));
		this.#subscriptions.add(subscription);
		return subscription;
	}

	publish(events: readonly Event[]): void {
		if (events.length === 0) return;
		for (const subscription of this.#subscriptions) subscription.push(events);
	}
}

export class Subscription implements Disposable {
	readonly #backlogMax: number;
	readonly #onEnd: () => void;
	#backlog: Event[] = [];
	#state: "open" | "cut" | "closed" = "open";
	#wake: PromiseWithResolvers<void> | null = null;
	#lastRead = 0;

	constructor(backlogMax: number, onEnd: () => void) {
		this.#backlogMax = backlogMax;
		this.#onEnd = onEnd;
	}

	/** The events that came since the last call, waiting for the first; null when the subscription is over. */
	async next(): Promise<readonly Event[] | null> {
		while (this.#state === "open" && this.#backlog.length === 0) {
			this.#wake = Promise.withResolvers();
			await this.#wake.promise;
		}
		if (this.#state !== "open") return null;
		const events = this.#backlog;
		this.#backlog = [];
		this.#lastRead = events.at(-1)?.id ?? this.#lastRead;
		return events;
	}

	/** For a reader that was cut: the last event it was given; the journal has everything after it. */
	get cutAfter(): number | null {
		return this.#state === "cut" ? this.#lastRead : null;
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
