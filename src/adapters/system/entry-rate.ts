// Limits the entries of one source: a burst, then a few per minute. Dropped entries are counted and reported.
import type { Clock } from "#engine/ports/clock.ts";

const burst = 30;
const refillMs = 3000;
/** of more sources, the least recent are forgotten */
const sourcesMax = 1000;
const reportMs = 60_000;

interface Bucket {
	tokens: number;
	at: number;
	dropped: number;
}

export class EntryRate implements Disposable {
	readonly #clock: Clock;
	readonly #report: (source: string, count: number) => void;
	readonly #buckets = new Map<string, Bucket>();
	#timer: NodeJS.Timeout | undefined;

	constructor(clock: Clock, report: (source: string, count: number) => void) {
		this.#clock = clock;
		this.#report = report;
	}

	/** Whether the source may write one now. */
	take(source: string): boolean {
		const now = this.#clock.now();
		const bucket = this.#buckets.get(source) ?? { tokens: burst, at: now, dropped: 0 };
		// least recent first
		this.#buckets.delete(source);
		this.#buckets.set(source, bucket);
		if (this.#buckets.size > sourcesMax) this.#forgetFirst();
		// a clock that was set back changes nothing
		bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / refillMs);
		bucket.at = now;
		if (bucket.tokens < 1) {
			bucket.dropped++;
			this.#timer ??= setTimeout(() => this.#reportAll(), reportMs).unref();
			return false;
		}
		bucket.tokens--;
		this.#reportOf(source, bucket);
		return true;
	}

	[Symbol.dispose](): void {
		this.#reportAll();
	}

	#reportAll(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		for (const [source, bucket] of this.#buckets) this.#reportOf(source, bucket);
	}

	#reportOf(source: string, bucket: Bucket): void {
		const { dropped } = bucket;
		bucket.dropped = 0;
		if (dropped > 0) this.#report(source, dropped);
	}

	#forgetFirst(): void {
		for (const [source, bucket] of this.#buckets) {
			this.#reportOf(source, bucket);
			this.#buckets.delete(source);
			return;
		}
	}
}
