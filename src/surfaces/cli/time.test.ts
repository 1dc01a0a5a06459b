import { expect, test } from "vitest";
import { timeOf } from "./time.ts";

test.each([
	["90s", 90],
	["10m", 600],
	["1h30m", 5400],
	["7d", 7 * 86_400],
	["1w", 7 * 86_400],
	["0s", 0],
])("%s is a distance from now", (words, seconds) => {
	const apart = Date.parse(timeOf(words, "later")) - Date.parse(timeOf(words, "earlier"));
	// both read the clock, one just after the other
	expect(Math.abs(apart / 1000 - 2 * seconds)).toBeLessThan(10);
});

test.each([
	["2026-01-31T08:00:00Z", "2026-01-31T08:00:00.000Z"],
	["2026-01-31T08:00:00.250Z", "2026-01-31T08:00:00.250Z"],
	["2026-01-31T08:00+02:00", "2026-01-31T06:00:00.000Z"],
	["2026-01-31 08:00", new Date(2026, 0, 31, 8).toISOString()],
	["2026-01-31", new Date(2026, 0, 31).toISOString()],
])("%s is a time", (words, time) => {
	expect(timeOf(words, "later")).toBe(time);
});

test.each([
	"",
	"10",
	"5",
	"Nov 20",
	"tomorrow",
	"-5m",
	"1.5h",
	"10 m",
	"30m1h",
	"12:00",
	"2026-02-31",
	"2026-13-01",
	"99999-01-01",
	"999999999d",
])("%j is none", (words) => {
	expect(() => timeOf(words, "later")).toThrow("is not a time");
});
