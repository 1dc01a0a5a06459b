// Times as people write them: an ISO time, or a distance from now.
import type { Quiet } from "#contract/subscription.ts";
import { Misused } from "./print.ts";

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function timeOf(words: string, direction: "later" | "earlier"): string {
	const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(words) ?? [];
	const now = performance.timeOrigin + performance.now();
	const distance = unit === "s" || unit === "m" || unit === "h" || unit === "d" ? Number(count) * unitMs[unit] : null;
	const at = distance === null ? Date.parse(words) : direction === "later" ? now + distance : now - distance;
	if (Number.isNaN(at)) throw new Misused(`${JSON.stringify(words)} is no time: use one like 2026-01-31T08:00:00Z, or 90s, 10m, 2h, 7d.`);
	return new Date(at).toISOString();
}

/** Hours of the day, by the clocks of whoever says it. */
export function hoursOf(words: string): Quiet {
	const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(words) ?? [];
	if (from === undefined || to === undefined) throw new Misused(`${JSON.stringify(words)} are no hours: use some like 22:00-07:00.`);
	return { from, to, zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
