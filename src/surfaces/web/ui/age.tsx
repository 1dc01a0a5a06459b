// Times: how long ago, with the exact moment behind it.
import { ageOf } from "#views/age.ts";
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
