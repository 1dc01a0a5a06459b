// How many entries one source may write: many at once, then a few per minute. What is left out is counted and told.
import type { Clock } from "#engine/ports/clock.ts";

const atOnce = 30;
const refillMs = 3000;
/** sources that are kept in mind; of more, those that have been quiet longest are forgotten */
const sourcesMax = 1000;
const tellMs = 60_000;

interface Bucket {
	mounts: number;
	at: number;
	leftOut: number;
}

export class Quota implements Disposable {
	readonly #clock: Clock;
	readonly #tell: (source: string, count: number) => void;
	readonly #buckets = new Map<string, Bucket>();
	#timer: NodeJS.Timeout | undefined;

	constructor(clock: Clock, tell: (source: string, count: number) => void) {
		this.#clock = clock;
		this.#tell = tell;
	}

	/** Whether the source may write one now. */
	take(source: string): boolean {
		const now = this.#clock.now();
		const bucket = this.#buckets.get(source) ?? { mounts: atOnce, at: now, leftOut: 0 };
		// the one that wrote last comes last, so that the first is the one to forget
		this.#buckets.delete(source);
		this.#buckets.set(source, bucket);
		if (this.#buckets.size > sourcesMax) this.#forgetFirst();
		// a clock that was turned back fills nothing, and takes nothing away
		bucket.mounts = Math.min(atOnce, bucket.mounts + Math.max(0, now - bucket.at) / refillMs);
		bucket.at = now;
		if (bucket.mounts < 1) {
			bucket.leftOut++;
			this.#timer ??= setTimeout(() => this.#tellAll(), tellMs).unref();
			return false;
		}
		bucket.mounts--;
		this.#tellOf(source, bucket);
		return true;
	}

	[Symbol.dispose](): void {
		this.#tellAll();
	}

	#tellAll(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		for (const [source, bucket] of this.#buckets) this.#tellOf(source, bucket);
	}

	#tellOf(source: string, bucket: Bucket): void {
		const { leftOut } = bucket;
		bucket.leftOut = 0;
		if (leftOut > 0) this.#tell(source, leftOut);
	}

	#forgetFirst(): void {
		for (const [source, bucket] of this.#buckets) {
			this.#tellOf(source, bucket);
			this.#buckets.delete(source);
			return;
		}
	}
}
