import { expect, test } from "vitest";
import { refuse } from "#contract/refusal.ts";
import { Refused } from "./client.ts";

test("a refusal with a code of another version is one for good, and no fault of the client", () => {
	const unknown = JSON.parse('{"code":"FROM_TOMORROW","message":"Not yet.","details":{},"suggestions":[]}');
	const all = [unknown, refuse("NO_SLOT", "No slot is free."), refuse("NOT_FOUND", "There is none.")];
	expect(all.map((each) => new Refused(each).isForGood)).toEqual([true, false, true]);
});
