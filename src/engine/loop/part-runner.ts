// Long-lived things share one lifecycle: started in order, stopped in reverse, restarted with a limit.
//
// No part relies on another: each reads the rows. So a part that fails is restarted alone. After more than
// `restartsMax` failures within `periodMs` the part counts as degraded: it is started again every `retryMs`, and counts
// as healthy once it has stayed up for a whole period.
import { messageOf } from "#contract/message-of.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

export interface Running extends AsyncDisposable {
	/** settles when the part ends by itself, with its error if it failed; stopping it is idempotent */
	readonly ended: Promise<void>;
}

export interface Part {
	readonly name: string;
	start(): Promise<Running>;
}

/** How often a part may fail, and how it is tried again. */
export interface RestartPolicy {
	restartsMax: number;
	periodMs: number;
	retryMs: number;
	clock: Clock;
	log: Log;
}

/** A part that does not work now. */
export interface Degraded {
	name: string;
	since: number;
	reason: string;
}

interface KeptPart {
	readonly part: Part;
	running: Running | null;
	failures: number[];
	degraded: Degraded | null;
	/** for the next start, or for the end of a period without a failure */
	timer: ReturnType<typeof setTimeout> | undefined;
	/** starts and stops of the part, one after the other */
	work: Promise<void>;
}

export class PartRunner implements AsyncDisposable {
	readonly #kept: readonly KeptPart[];
	readonly #policy: RestartPolicy;
	#stopping = false;

	private constructor(parts: readonly Part[], policy: RestartPolicy) {
		this.#kept = parts.map((part) => ({
			part,
			running: null,
			failures: [],
			degraded: null,
			timer: undefined,
			work: Promise.resolve(),
		}));
		this.#policy = policy;
	}

	/** Starts all parts in order; if one cannot start, those before it are stopped again. */
	static async start(parts: readonly Part[], policy: RestartPolicy): Promise<PartRunner> {
		const runner = new PartRunner(parts, policy);
		try {
			for (const kept of runner.#kept) await runner.#start(kept);
		} catch (error) {
			await runner[Symbol.asyncDispose]();
			throw error;
		}
		return runner;
	}

	/** The parts that failed too often and are retried. */
	get degraded(): readonly Degraded[] {
		return this.#kept.flatMap(({ degraded }) => degraded ?? []);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopping = true;
		for (const kept of [...this.#kept].reverse()) {
			clearTimeout(kept.timer);
			await kept.work;
			await this.#stop(kept);
		}
	}

	async #start(kept: KeptPart): Promise<void> {
		const running = await kept.part.start();
		kept.running = running;
		const ended = (cause: unknown): void => {
			// not if the part was stopped or replaced
			if (!this.#stopping && kept.running === running) this.#failed(kept, cause);
		};
		running.ended.then(() => ended(new Error(`${kept.part.name} ended by itself`)), ended);
	}

	async #stop(kept: KeptPart): Promise<void> {
		const { running } = kept;
		kept.running = null;
		await running?.[Symbol.asyncDispose]();
	}

	#failed(kept: KeptPart, cause: unknown): void {
		const { restartsMax, periodMs, retryMs, clock, log } = this.#policy;
		const { name } = kept.part;
		const now = monotonicNow(clock);
		kept.failures = [...kept.failures.filter((then) => then > now - periodMs), now].slice(-restartsMax - 1);
		const tooOften = kept.degraded !== null || kept.failures.length > restartsMax;
		const reason = messageOf(cause);
		if (tooOften)
			log.error("parts", `${name} failed again; it is tried again in ${retryMs / 1000} s`, { part: name }, cause);
		else log.warn("parts", `${name} failed and is restarted`, { part: name }, cause);
		if (tooOften) kept.degraded = { name, since: kept.degraded?.since ?? now, reason };
		clearTimeout(kept.timer);
		kept.timer = setTimeout(() => this.#restart(kept), tooOften ? retryMs : 0);
	}

	#restart(kept: KeptPart): void {
		kept.work = kept.work.then(async () => {
			try {
				await this.#stop(kept);
				if (this.#stopping) return;
				await this.#start(kept);
			} catch (error) {
				if (!this.#stopping) this.#failed(kept, error);
				return;
			}
			if (kept.degraded !== null) kept.timer = setTimeout(() => this.#recovered(kept), this.#policy.periodMs);
		});
	}

	#recovered(kept: KeptPart): void {
		kept.degraded = null;
		this.#policy.log.info("parts", `${kept.part.name} works again`, { part: kept.part.name });
	}
}
