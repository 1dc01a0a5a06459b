import { expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalAsk, ApprovalState, Policy } from "#contract/approval.ts";
import { human } from "#contract/ids.ts";
import { id, live } from "#test/support/given.ts";
import { decideAnswer, decideAsk } from "./approval.ts";

const agent = (policy: Policy = "ask") => ({ ...live("a"), policy, activity: "running" as const, turn: { id: 5, startedAt: 1, silentSince: null } });
const options = [
	{ id: "yes", name: "Yes", kind: "allow_once" as const },
	{ id: "yes-always", name: "Always", kind: "allow_always" as const },
	{ id: "no", name: "No", kind: "reject_once" as const },
];
const ask = (tool: string, turn = 5): ApprovalAsk => ({
	type: "approval.ask",
	agent: id("a"),
	turn,
	question: { title: "rm -r build", tool, call: "1", options },
});
const answer = (more: Partial<ApprovalAnswer> = {}): ApprovalAnswer => ({
	type: "approval.answer",
	agent: id("a"),
	approval: 9,
	allow: true,
	always: false,
	reason: "",
	...more,
});
const pending: ApprovalState = {
	...{ id: 9, agent: id("a"), turn: 5, title: "rm -r build", tool: "execute", call: "1", options },
	...{ state: "pending", askedAt: 1, answeredAt: null, answeredBy: null, option: null },
};

test.each([
	["ask", "edit", false],
	["ask", "execute", false],
	["auto-edit", "edit", true],
	["auto-edit", "read", true],
	["auto-edit", "execute", false],
	["auto-edit", "delete", false],
	["auto-edit", "fetch", false],
	["auto-edit", "other", false],
	["full", "edit", true],
	["full", "execute", true],
] as const)("policy %s, tool %s: settled without a person is %s", (policy, tool, settled) => {
	const { question, turn } = ask(tool);
	const answer = settled ? { answer: { option: "yes", allowed: true, why: `policy ${policy}` } } : {};
	expect(decideAsk(agent(policy), ask(tool))).toEqual([{ kind: "approval.asked", agent: id("a"), data: { ...question, turn, ...answer } }]);
});

test("what was allowed for good is not asked again, in the same words and for the same tool only", () => {
	const permitted = { ...agent(), permits: [{ tool: "execute", title: "rm -r build", allow: true }] };
	expect(decideAsk(permitted, ask("execute"))).toMatchObject([{ data: { answer: { option: "yes" } } }]);
	expect(decideAsk({ ...permitted, permits: [{ tool: "execute", title: "rm -r /", allow: true }] }, ask("execute"))).not.toMatchObject([
		{ data: { answer: {} } },
	]);
});

test("what was denied for good is denied again, whatever the policy", () => {
	const denied = { ...agent("full"), permits: [{ tool: "execute", title: "rm -r build", allow: false }] };
	expect(decideAsk(denied, ask("execute"))).toMatchObject([{ data: { answer: { option: "no", allowed: false } } }]);
});

test("nothing is asked outside of the open turn", () => {
	expect(decideAsk(agent(), ask("execute", 4))).toMatchObject({ code: "TURN_NOT_OPEN" });
});

test("an answer picks the option that says it", () => {
	expect(decideAnswer(agent(), answer(), pending)).toMatchObject([{ data: { approval: 9, allowed: true, option: "yes" } }]);
	expect(decideAnswer(agent(), answer({ always: true }), pending)).toMatchObject([
		{ data: { option: "yes-always", permit: { tool: "execute", title: "rm -r build" } } },
	]);
	expect(decideAnswer(agent(), answer({ allow: false, always: true }), pending)).toMatchObject([{ data: { allowed: false, option: "no" } }]);
	expect(decideAnswer(agent(), answer({ allow: false }), { ...pending, options: options.slice(0, 1) })).toMatchObject([
		{ data: { allowed: false, option: null } },
	]);
});

test("it is answered exactly once, and not after its turn is over", () => {
	expect(decideAnswer(agent(), answer(), { ...pending, state: "denied", answeredBy: human })).toMatchObject({
		code: "CONFLICT",
		message: expect.stringMatching(/denied by human/),
	});
	expect(decideAnswer(agent(), answer(), { ...pending, state: "cancelled" })).toMatchObject({ code: "CONFLICT" });
	expect(decideAnswer(agent(), answer(), undefined)).toMatchObject({ code: "NOT_FOUND" });
	expect(decideAnswer(agent(), answer(), { ...pending, agent: id("b") })).toMatchObject({ code: "NOT_FOUND" });
});
