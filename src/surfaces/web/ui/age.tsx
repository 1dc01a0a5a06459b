// Times: how long ago, with the exact moment behind it.
import { ageOf } from "#views/age.ts";
import { localNow } from "../store/connection.ts";
import { useNow } from "../store/hooks.ts";

export function Age({ at, suffix = "" }: { at: string; suffix?: string }) {
	const now = useNow(1000);
	return (
		<time className="age" dateTime={at} title={new Date(at).toLocaleString()}>
			{ageOf(at, now)}
			{suffix}
		</time>
	);
}

export const clockOf = (at: string): string =>
	new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** A text with the times in it as this browser writes them: the daemon's are in UTC, for programs. */
export const withLocalTimes = (text: string): string =>
	text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, momentOf);

/** The time of day, with the day if that is another one. */
export function momentOf(at: string): string {
	const day = new Date(at);
	if (day.toDateString() === new Date(localNow()).toDateString()) return clockOf(at);
	return `${day.toLocaleDateString([], { day: "numeric", month: "short" })}, ${clockOf(at)}`;
}
