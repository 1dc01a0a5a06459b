// Times as people write them: an ISO time, or a distance from now.
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
