// Parses times: ISO, or relative to now.
import type { Quiet } from "#contract/subscription.ts";
import { UsageError } from "./print.ts";

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const distanceRule =
	/^(?:(?<w>\d{1,5})w)?(?:(?<d>\d{1,6})d)?(?:(?<h>\d{1,7})h)?(?:(?<m>\d{1,9})m)?(?:(?<s>\d{1,9})s)?$/;
/** Without a zone it is local time; a day alone means its local midnight. */
const isoRule = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** `others`: further words that the caller takes, for the refusal. */
export function timeOf(words: string, direction: "later" | "earlier", others = ""): string {
	const distance = distanceOf(words);
	const now = performance.timeOrigin + performance.now();
	const at = distance === null ? isoOf(words) : direction === "later" ? now + distance : Math.max(0, now - distance);
	if (Number.isNaN(at))
		throw new UsageError(
			`${JSON.stringify(words)} is not a time: use one like 2026-01-31T08:00:00Z, or 90s, 10m, 1h30m, 7d${others}.`,
		);
	return new Date(at).toISOString();
}

function distanceOf(words: string): number | null {
	const parts = distanceRule.exec(words)?.groups;
	if (parts === undefined || words === "") return null;
	return (["w", "d", "h", "m", "s"] as const).reduce((sum, unit) => sum + Number(parts[unit] ?? 0) * unitMs[unit], 0);
}

/** NaN for a day that does not exist: `Date` would turn the 31st of February into the 3rd of March. */
function isoOf(words: string): number {
	const [, day, clock = "00:00", zone = ""] = isoRule.exec(words) ?? [];
	if (
		day === undefined ||
		!new Date(`${day}T00:00Z`).getTime() ||
		!new Date(`${day}T00:00Z`).toISOString().startsWith(day)
	)
		return Number.NaN;
	return Date.parse(`${day}T${clock}${zone}`);
}

/** Quiet hours in the local time zone; null for the empty text, which removes them. */
export function hoursOf(words: string | undefined): Quiet | null | undefined {
	if (words === undefined || words === "") return words === "" ? null : undefined;
	const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(words) ?? [];
	if (from === undefined || to === undefined)
		throw new UsageError(`${JSON.stringify(words)} is not a range of hours: use one like 22:00-07:00.`);
	return { from, to, zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
