// Times: how long ago, with the exact moment behind it.
import { ageOf } from "#views/age.ts";
import { momentOf as momentAt, withLocalTimes as withTimesAt } from "#views/local-times.ts";
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

/** A text with the times in it as this browser's clock shows them. */
export const withLocalTimes = (text: string): string => withTimesAt(text, localNow());

export const momentOf = (at: string): string => momentAt(at, localNow());
