// Quiet hours: no new turns start on a subscription or in a project, in the wall-clock time of the given time zone.
import type { Quiet } from "#contract/subscription.ts";

const minuteMs = 60_000;
const day = 24 * 60;

/** The end of the current quiet hours; null outside of them. They may span midnight. */
export function quietUntil(quiet: Quiet | null, now: number): number | null {
	if (quiet === null) return null;
	const minute = minuteOfDay(now, quiet.zone);
	const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)];
	const within = from < to ? minute >= from && minute < to : minute >= from || minute < to;
	if (!within) return null;
	const begun = Math.floor(now / minuteMs) * minuteMs;
	// when daylight saving time changes, this is an hour off; it is then computed again
	return begun + ((to - minute + day) % day) * minuteMs;
}

function minutesOf(time: string): number {
	const [hours = 0, minutes = 0] = time.split(":").map(Number);
	return hours * 60 + minutes;
}

function minuteOfDay(now: number, zone: string): number {
	return minutesOf(
		new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
			now,
		),
	);
}
