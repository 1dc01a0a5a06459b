import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { persistMonotonicClock, systemClock } from "./clock.ts";

const day = 24 * 3_600_000;
const file = (): string => path.join(mkdtempSync(path.join(os.tmpdir(), "brood-clock-")), "clock.json");
/** how far monotonic time is from wall-clock time; a millisecond less is no -0 */
const apart = (): number => Math.round((systemClock.monotonic() - systemClock.now()) / 1000) + 0;

test("monotonic time equals wall-clock time until that is set; it continues across daemons and never goes back after a reboot", () => {
	const location = file();
	persistMonotonicClock(location);
	expect(apart()).toBe(0);
	const kept = JSON.parse(readFileSync(location, "utf8"));
	// as if somebody had set the clock a day back while the last daemon ran
	writeFileSync(location, JSON.stringify({ ...kept, monotonic: kept.monotonic + day }));
	persistMonotonicClock(location);
	expect(apart()).toBe(day / 1000);
	expect(JSON.parse(readFileSync(location, "utf8")).monotonic - systemClock.now()).toBeGreaterThan(day - 1000);
	// and hours ahead
	writeFileSync(location, JSON.stringify({ ...kept, monotonic: kept.monotonic - day }));
	persistMonotonicClock(location);
	expect(apart()).toBe(-day / 1000);
	// the machine was off in between: the wall clock is believed, unless it went back
	writeFileSync(location, JSON.stringify({ ...kept, boot: "another", monotonic: kept.monotonic - day }));
	persistMonotonicClock(location);
	expect(apart()).toBe(0);
	writeFileSync(location, JSON.stringify({ ...kept, boot: "another", monotonic: kept.monotonic + day }));
	persistMonotonicClock(location);
	expect(apart()).toBe(day / 1000);
});

test("a damaged file is ignored", () => {
	const location = file();
	for (const words of ["", "{}", "null", '{"boot":1}']) {
		writeFileSync(location, words);
		persistMonotonicClock(location);
		expect(Number.isFinite(systemClock.monotonic())).toBe(true);
	}
	const [first, second] = [systemClock.monotonic(), systemClock.monotonic()];
	expect(second).toBeGreaterThanOrEqual(first);
});
