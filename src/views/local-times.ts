// Times as the person's clock shows them: those of the daemon are in UTC, for programs.

/** A text with the times in it in the local time zone. */
export const withLocalTimes = (text: string, now: number): string =>
	text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => momentOf(at, now));

/** The time of day, with the day if that is another one, and the year if that is. */
export function momentOf(at: string, now: number): string {
	const moment = new Date(at);
	const clock = [moment.getHours(), moment.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
	const today = new Date(now);
	if (moment.toDateString() === today.toDateString()) return clock;
	const year = moment.getFullYear() === today.getFullYear() ? {} : { year: "numeric" as const };
	return `${moment.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year })}, ${clock}`;
}
