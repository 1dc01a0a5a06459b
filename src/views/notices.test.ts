// Which events notify a person.
import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { human } from "#contract/ids.ts";
import { noticeTriggerOf } from "./notices.ts";

const event = (kind: string, data: Event["data"]): Event => ({
	...{ id: 7, agent: null, turn: null, kind, text: null, data, at: 1, actor: human, command: "" },
});

test("an issue that waits for a review notifies, whether it was moved there or got to the gate of its stage", () => {
	const moved = event("issue.moved", { issueId: 3, stage: "IN_REVIEW", waiting: "approval" });
	const changed = event("issue.waitChanged", { issueId: 3, waiting: "approval" });
	expect([moved, changed].map((each) => noticeTriggerOf(each))).toEqual([
		{ kind: "review", event: moved, issue: 3 },
		{ kind: "review", event: changed, issue: 3 },
	]);
	expect(noticeTriggerOf(event("issue.waitChanged", { issueId: 3, waiting: "merge" }))).toBeNull();
	expect(noticeTriggerOf(event("issue.waitChanged", { issueId: 3, waiting: null }))).toBeNull();
});

test("a hold notifies if something went wrong, and not if somebody paused the agent", () => {
	const kinds = ["error", "crash", "drift", "recovery", "user", "interrupt", "limit", "budget"];
	const held = kinds.filter((hold) => noticeTriggerOf(event("agent.held", { hold, reason: "" })) !== null);
	expect(held).toEqual(["error", "crash", "drift", "recovery"]);
});
