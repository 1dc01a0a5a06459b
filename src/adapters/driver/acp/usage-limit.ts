// Recognises usage limits in errors. Our programs report them in the error's data; others in its text, or in a field of
// their own (`limits` of a vendor). Pure: an error in, the end of the limit out.
import { messageOf } from "#contract/message-of.ts";
import { allVendors } from "../vendors/vendors.ts";

export interface Limited {
	limit?: { until: number | null };
}

/** The limit in an error, if any. `now` turns "in two hours" into a time. */
export function limitOf(error: unknown, { now, fromText }: { now: number; fromText: boolean }): Limited {
	const data: unknown = Reflect.get(Object(error), "data");
	const own: unknown = Reflect.get(Object(data), "limit");
	if (typeof own === "object" && own !== null) return { limit: { until: moment(Reflect.get(own, "resetAt")) } };
	if (!fromText) return {};
	const text = messageOfError(error);
	// of any vendor: a custom program may be one of theirs
	const isLimit = allVendors.some(({ limits }) => limits?.isLimit?.(Object(error)) === true);
	return isLimit || mentionsLimit(text) ? { limit: { until: endIn(text, now) } } : {};
}

/** The message of an error. */
export function messageOfError(error: unknown): string {
	for (const { limits } of allVendors) {
		const text = limits?.textOf?.(Object(error)) ?? null;
		if (text !== null) return text;
	}
	return messageOf(error);
}

/** The limit in the text of a failed turn. */
export function limitFromText(text: string, now: number): Limited {
	return mentionsLimit(text) ? { limit: { until: endIn(text, now) } } : {};
}

const mentionsLimit = (text: string): boolean =>
	/\b429\b|too many requests|rate.?limit|usage limit|hit your limit|limit reached|(?:daily )?quota (?:exceeded|exhausted)|exhausted your (?:\w+ )?(?:quota|capacity)|exceeded your current quota|resource.?exhausted/i.test(
		text,
	);

function moment(value: unknown): number | null {
	const at = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : Number.NaN;
	return known(at);
}

/** Null for a number that is not a valid time. */
const known = (at: number): number | null => (Math.abs(at) <= latestMs ? Math.floor(at) : null);
const latestMs = 8.64e15;

/** A time in the text: seconds since 1970, an ISO time, a vendor's own form, or a duration from now. */
function endIn(text: string, now: number): number | null {
	const epoch = /(?:\||resets?(?:At)?\D{1,5})(1\d{9})\b/i.exec(text)?.[1];
	if (epoch !== undefined) return Number(epoch) * 1000;
	const iso = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text)?.[0];
	if (iso !== undefined) return moment(iso);
	for (const { limits } of allVendors) {
		const end = limits?.endIn?.(text, now) ?? null;
		if (end !== null) return known(end);
	}
	const span =
		/\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b[\s,and]*)+)/i.exec(
			text,
		)?.[1];
	if (span === undefined) return null;
	const parts = [...span.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi)];
	return known(
		now + parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit?.toLowerCase() ?? ""] ?? 0), 0),
	);
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
