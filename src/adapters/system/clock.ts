// Two clocks. `now` is wall-clock time, for people; it jumps when the clock is set. `monotonic` never jumps and runs
// while the machine sleeps; it is for durations and deadlines.
//
// Both are milliseconds since 1970 and agree until the wall clock is set. The monotonic clock continues across a
// restart of the daemon (`persistMonotonicClock`), so that a deadline in the store stays valid. After a reboot only the
// wall clock knows how long the machine was off; it is trusted, unless it is before the monotonic time that the last
// daemon saved: at its stop, or at its start if it died.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import type { Clock } from "#engine/ports/clock.ts";
import { attempt } from "./errors.ts";

/** `performance.now` stops while the machine sleeps; a larger difference to the uptime is sleep. */
const sleepMs = 500;
const lookMs = 1000;
/** Smaller differences to the wall clock are followed (NTP adjusts in small steps); larger ones are jumps. */
const jumpMs = 500;

class MonotonicClock {
	#anchor = Date.now() - performance.now();
	#uptime = uptimeMs() - performance.now();
	#slept = 0;
	#lookedAt = performance.now();
	#latest = 0;

	now(): number {
		const ran = performance.now();
		if (ran - this.#lookedAt > lookMs) {
			this.#lookedAt = ran;
			const asleep = uptimeMs() - ran - this.#uptime;
			if (asleep - this.#slept > sleepMs) this.#slept = asleep;
		}
		const ahead = Date.now() - this.#time(ran);
		if (Math.abs(ahead) < jumpMs) this.#anchor += ahead;
		this.#latest = Math.max(this.#latest, Math.round(this.#time(ran)));
		return this.#latest;
	}

	#time(ran: number): number {
		return this.#anchor + ran + this.#slept;
	}

	/** Continues from this time. */
	set(now: number): void {
		this.#anchor += now - this.now();
		this.#latest = now;
	}
}

const uptimeMs = (): number => os.uptime() * 1000;
const monotonic = new MonotonicClock();

export const systemClock: Clock & { monotonic(): number } = { now: () => Date.now(), monotonic: () => monotonic.now() };

interface SavedClock {
	boot: string;
	uptimeMs: number;
	monotonic: number;
}

/** Continues the monotonic time of the last daemon, and saves it. */
export function persistMonotonicClock(file: string): void {
	const kept = savedIn(file);
	if (kept !== null)
		monotonic.set(
			kept.boot === bootId() ? kept.monotonic + uptimeMs() - kept.uptimeMs : Math.max(Date.now(), kept.monotonic),
		);
	saveMonotonicClock(file);
}

export function saveMonotonicClock(file: string): void {
	const saved: SavedClock = { boot: bootId(), uptimeMs: uptimeMs(), monotonic: monotonic.now() };
	writeFileSync(`${file}.new`, JSON.stringify(saved), { mode: 0o600 });
	renameSync(`${file}.new`, file);
}

function savedIn(file: string): SavedClock | null {
	const saved: Partial<SavedClock> = attempt(() => JSON.parse(readFileSync(file, "utf8")), null) ?? {};
	const { boot, uptimeMs: up, monotonic: then } = saved;
	return typeof boot === "string" && Number.isFinite(up) && Number.isFinite(then)
		? { boot, uptimeMs: Number(up), monotonic: Number(then) }
		: null;
}

/** Changes with each boot; where it cannot be read, with each call. */
const bootId = (): string =>
	attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), `unknown ${Date.now()}`);
