import { expect, test } from "vitest";
import { detailsOf, summaryOf } from "./event-text.ts";

const moment = (at: string): string => at.slice(11, 16);
const until = Date.parse("2026-01-02T14:20:00Z");

test("data is fields with times in words, nested ones in parentheses, and without what is empty", () => {
	const data = { hold: { kind: "user", reason: "", until }, files: ["a", "b"], usage: {}, by: null, parts: [{ n: 1 }] };
	expect(summaryOf({ text: null, data }, moment)).toBe("hold (kind: user, until: 14:20), files: a b, parts (n: 1)");
	expect(summaryOf({ text: "", data: { position: 1, exact: false } }, moment)).toBe("position: 1, exact: false");
	expect([{}, null, []].map((empty) => summaryOf({ text: null, data: empty }, moment))).toEqual(["", "", ""]);
});

test("a summary is the text where there is one; the details are both", () => {
	const event = { text: "say later", data: { source: "queue" } };
	expect([summaryOf(event, moment), detailsOf(event, moment)]).toEqual(["say later", "say later source: queue"]);
});
