// Two times. `now` is wall-clock time: what people read; it jumps when the clock is set. `steady` is monotonic, also
// while the machine sleeps: for durations and deadlines.
//
// Both are milliseconds since 1970 and agree until the wall clock is set. The steady one goes on across a restart of
// the daemon (`persistMonotonicClock`), so that a deadline in the store means the same to the next daemon. After a
// start of the machine only the wall clock knows how long it was off; it is believed, unless it went back.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import type { Clock } from "#engine/ports/clock.ts";

/** A process's own clock stands still while the machine sleeps; this much difference to the machine's is sleep. */
const sleepMs = 500;
const lookMs = 1000;
/** A small difference to the wall clock is followed (NTP adjusts in small steps); more than this is a jump. */
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

	/** From this moment on it goes on from there. */
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

/** Goes on with the steady time of the last daemon, and writes down where it is. */
export function persistMonotonicClock(file: string): void {
	const boot = bootId();
	const kept = savedIn(file);
	if (kept !== null)
		monotonic.set(
			kept.boot === boot ? kept.monotonic + uptimeMs() - kept.uptimeMs : Math.max(Date.now(), kept.monotonic),
		);
	writeFileSync(`${file}.new`, JSON.stringify({ boot, uptimeMs: uptimeMs(), monotonic: monotonic.now() }), {
		mode: 0o600,
	});
	renameSync(`${file}.new`, file);
}

function savedIn(file: string): SavedClock | null {
	try {
		const { boot, uptimeMs: up, monotonic: then } = JSON.parse(readFileSync(file, "utf8"));
		return typeof boot === "string" && Number.isFinite(up) && Number.isFinite(then)
			? { boot, uptimeMs: up, monotonic: then }
			: null;
	} catch {
		return null;
	}
}

/** Another one after each start of the machine; unknown, it is never the same. */
function bootId(): string {
	try {
		return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
	} catch {
		return `unknown ${Date.now()}`;
	}
}
