import { expect, test } from "vitest";
import { limitFromText, limitOf, messageOfError } from "./usage-limit.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const failed = (message: string, data?: unknown) => Object.assign(new Error(message), { code: -32603, data });

test("our own programs tell a usage limit in the error's data, with or without the time at which it ends", () => {
	const met = (data: unknown) => limitOf(failed("no more", data), { now, fromText: false });
	expect(met({ limit: { resetAt: "2026-01-01T00:00:00Z" } })).toEqual({ limit: { until: now } });
	expect(met({ limit: { resetAt: 12.5 } })).toEqual({ limit: { until: 12 } });
	expect(met({ limit: { resetAt: "soon" } })).toEqual({ limit: { until: null } });
	expect(met({ limit: {} })).toEqual({ limit: { until: null } });
	for (const data of [undefined, null, "limit", { limit: null }, { other: 1 }]) expect(met(data)).toEqual({});
	expect(limitOf("limit", { now, fromText: false })).toEqual({});
	expect(limitOf(failed("429 Too Many Requests"), { now, fromText: false })).toEqual({});
});

test("vendors' programs report a usage limit as an error kind or in the message", () => {
	const met = (message: string, data?: unknown) => limitOf(failed(message, data), { now, fromText: true });
	expect(met("Internal error: API Error: Request rejected (429)", { errorKind: "rate_limit" })).toEqual({
		limit: { until: null },
	});
	expect(met("Claude AI usage limit reached|1767229200")).toEqual({ limit: { until: 1_767_229_200_000 } });
	expect(met("RESOURCE_EXHAUSTED: your quota resets at 2026-01-02T03:04:05Z")).toEqual({
		limit: { until: Date.parse("2026-01-02T03:04:05Z") },
	});
	const plan = { message: "You’ve hit your usage limit. Try again in 3 hours.", codexErrorInfo: "usageLimitExceeded" };
	expect(met("Internal error", plan)).toEqual({ limit: { until: now + 3 * 3_600_000 } });
	expect(messageOfError(failed("Internal error", plan))).toBe(plan.message);
	expect(met("the file has 4290 lines", plan)).toEqual({});
	expect(met("Internal error", { message: "no such file" })).toEqual({});
	expect(met("the file has 4290 lines")).toEqual({});
});

test.each([
	["You've hit your usage limit. Try again in 2 days 3 hours 4 minutes.", (2 * 24 + 3) * 3600 + 4 * 60],
	["Rate limit reached. Please try again in 1.5s.", 1.5],
	["429 Too Many Requests, retry after 30 seconds", 30],
	["exceeded retry limit, last status: 429 Too Many Requests", null],
])("%s", (words, seconds) => {
	expect(limitFromText(words, now)).toEqual({ limit: { until: seconds === null ? null : now + seconds * 1000 } });
});

test("a time without a date is the next such time, a date is that day, and the limit lasts to the end of that minute", () => {
	const noon = new Date(2026, 0, 1, 12).getTime();
	const until = (time: string) =>
		limitFromText(`You’ve hit your usage limit. Visit a page or try again at ${time}.`, noon).limit?.until;
	expect(until("5:20 PM")).toBe(new Date(2026, 0, 1, 17, 21).getTime());
	expect(until("5:20 AM")).toBe(new Date(2026, 0, 1, 5, 21).getTime() + 86_400_000);
	expect(until("12:00 PM")).toBe(noon + 60_000);
	expect(until("Jan 3rd, 2026 2:40 PM")).toBe(new Date(2026, 0, 3, 14, 41).getTime());
	expect(until("Foo 3rd, 2026 2:40 PM")).toBeNull();
});

test("an impossible reset time means a limit with an unknown end", () => {
	for (const resetAt of [1e30, Number.POSITIVE_INFINITY, -1e300, "someday", null, {}]) {
		expect(limitOf(failed("limit", { limit: { resetAt } }), { now, fromText: false }), String(resetAt)).toEqual({
			limit: { until: null },
		});
	}
	expect(limitFromText(`usage limit: try again in ${"9".repeat(400)} days`, now)).toEqual({ limit: { until: null } });
	expect(limitFromText("usage limit: try again in 99999999999999999999 days", now)).toEqual({ limit: { until: null } });
});
