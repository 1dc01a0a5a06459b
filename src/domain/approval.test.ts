import { expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalAnswer, ApprovalAsk, ApprovalState, Policy } from "#contract/approval.ts";
import { human } from "#contract/ids.ts";
import { id, live } from "#test/support/given.ts";
import { decideAnswer, decideAsk, decideWithdraw, withinLimit } from "./approval.ts";

const agent = (policy: Policy = "ask") => ({
	...live("a"),
	policy,
	activity: "running" as const,
	turn: { id: 5, prompt: 1, startedAt: 1, silentSince: null, subscription: null },
});
const options = [
	{ id: "yes", name: "Yes", kind: "allow_once" as const },
	{ id: "yes-always", name: "Always", kind: "allow_always" as const },
	{ id: "no", name: "No", kind: "reject_once" as const },
];
const content = { content: "command: rm -r build", files: [], inside: true, digest: "d" };
const empty = { last: null, lastFront: null };
const ask = (tool: string, turn = 5): ApprovalAsk => ({
	type: "approval.ask",
	agent: id("a"),
	turn,
	question: { title: "rm -r build", tool, call: "1", options, ...content },
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
	...{ id: 9, agent: id("a"), turn: 5, title: "rm -r build", tool: "execute", call: "1", options, ...content },
	...{ state: "pending", askedAt: 1, answeredAt: null, answeredBy: null, option: null, reason: null },
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
	expect(decideAsk(agent(policy), ask(tool))).toEqual([
		{ kind: "approval.asked", agent: id("a"), data: { ...question, turn, ...answer } },
	]);
});

test("a tool of Brood is never asked about, unless it was denied for good", () => {
	const { question } = ask("brood");
	const settled = (permits: AgentState["permits"]) => {
		const decided = decideAsk({ ...agent("ask"), permits }, ask("brood"));
		return Array.isArray(decided) ? decided.map((event) => Object(event).data.answer) : decided;
	};
	expect(settled([])).toEqual([{ option: "yes", allowed: true, why: "a tool of Brood" }]);
	const { tool, title } = question;
	expect(settled([{ tool, title, digest: question.digest, allow: false }])).toMatchObject([{ allowed: false }]);
});

test("what was allowed for good is not asked again, in the same words and for the same tool only", () => {
	const permitted = { ...agent(), permits: [{ tool: "execute", title: "rm -r build", digest: "d", allow: true }] };
	expect(decideAsk(permitted, ask("execute"))).toMatchObject([{ data: { answer: { option: "yes" } } }]);
	expect(
		decideAsk(
			{ ...permitted, permits: [{ tool: "execute", title: "rm -r /", digest: "d", allow: true }] },
			ask("execute"),
		),
	).not.toMatchObject([{ data: { answer: {} } }]);
});

test("what was denied for good is denied again, whatever the policy", () => {
	const denied = { ...agent("full"), permits: [{ tool: "execute", title: "rm -r build", digest: "d", allow: false }] };
	expect(decideAsk(denied, ask("execute"))).toMatchObject([{ data: { answer: { option: "no", allowed: false } } }]);
});

test("nothing is asked outside of the open turn", () => {
	expect(decideAsk(agent(), ask("execute", 4))).toMatchObject({ code: "TURN_NOT_OPEN" });
});

test("an answer picks the option that says it", () => {
	expect(decideAnswer(agent(), answer(), pending, empty)).toMatchObject([
		{ data: { approval: 9, allowed: true, option: "yes" } },
	]);
	expect(decideAnswer(agent(), answer({ always: true }), pending, empty)).toMatchObject([
		{ data: { option: "yes-always", permit: { tool: "execute", title: "rm -r build" } } },
	]);
	expect(decideAnswer(agent(), answer({ allow: false, always: true }), pending, empty)).toMatchObject([
		{ data: { allowed: false, option: "no" } },
	]);
	expect(
		decideAnswer(agent(), answer({ allow: false }), { ...pending, options: options.slice(0, 1) }, empty),
	).toMatchObject([{ data: { allowed: false, option: null } }]);
});

test("it is answered exactly once, and not after its turn is over", () => {
	expect(decideAnswer(agent(), answer(), { ...pending, state: "denied", answeredBy: human }, empty)).toMatchObject({
		code: "CONFLICT",
		message: expect.stringMatching(/denied by human/),
	});
	expect(decideAnswer(agent(), answer(), { ...pending, state: "cancelled" }, empty)).toMatchObject({
		code: "CONFLICT",
	});
	expect(decideAnswer(agent(), answer(), undefined, empty)).toMatchObject({ code: "NOT_FOUND" });
	expect(decideAnswer(agent(), answer(), { ...pending, agent: id("b") }, empty)).toMatchObject({ code: "NOT_FOUND" });
});

test("what is allowed for good is allowed with the same content only", () => {
	const permitted = {
		...agent(),
		permits: [{ tool: "execute", title: "rm -r build", digest: "another", allow: true }],
	};
	expect(decideAsk(permitted, ask("execute"))).not.toMatchObject([{ data: { answer: {} } }]);
});

test.each(["edit", "read", "search", "move"])(
	"auto-edit answers %s only for files that are inside the workspace",
	(tool) => {
		const outside = { ...ask(tool), question: { ...ask(tool).question, inside: false } };
		expect(decideAsk(agent("auto-edit"), outside)).not.toMatchObject([{ data: { answer: {} } }]);
		expect(decideAsk(agent("auto-edit"), ask(tool))).toMatchObject([{ data: { answer: { allowed: true } } }]);
		expect(decideAsk(agent("full"), outside)).toMatchObject([{ data: { answer: { allowed: true } } }]);
	},
);

test("the reason of a denial is a prompt for those whose program would not hear it", () => {
	const denied = answer({ allow: false, reason: "not in build" });
	const text = "[you asked for this, and it was denied]\n| rm -r build\nThe reason: not in build";
	const told = { kind: "prompt.queued", agent: id("a"), text };
	expect(decideAnswer({ ...agent(), type: "claude" }, denied, pending, empty)).toMatchObject([
		{ data: { reason: "not in build" } },
		told,
	]);
	expect(decideAnswer({ ...agent(), type: "llm" }, denied, pending, empty)).toHaveLength(1);
	expect(decideAnswer({ ...agent(), type: "claude" }, answer({ allow: false }), pending, empty)).toHaveLength(1);
	expect(decideAnswer({ ...agent(), type: "claude" }, answer({ reason: "fine" }), pending, empty)).toHaveLength(1);
});

test("what asks for something else now is taken back, and can be allowed no more", () => {
	expect(decideWithdraw(agent(), pending)).toEqual([
		{ kind: "approval.cancelled", agent: id("a"), data: { approvals: [9] } },
	]);
	expect(decideWithdraw(agent(), { ...pending, state: "allowed" })).toEqual([]);
	expect(decideAnswer(agent(), answer(), { ...pending, state: "cancelled" }, empty)).toMatchObject({
		code: "CONFLICT",
	});
});

test("a question beyond the limit is refused by the limit's own name, unless the policy answers it", () => {
	const bounds = { pending: 2, pendingMax: 2 };
	expect(withinLimit(agent(), decideAsk(agent(), ask("execute")), bounds)).toMatchObject({
		code: "APPROVAL_LIMIT",
		details: { limit: 2, limitName: "approvalsPendingMax" },
	});
	const answered = decideAsk(agent("full"), ask("execute"));
	expect(withinLimit(agent("full"), answered, bounds)).toEqual(answered);
	expect(withinLimit(agent(), decideAsk(agent(), ask("execute")), { pending: 1, pendingMax: 2 })).toHaveLength(1);
});

test("a prefix answers simple commands with these first words, in the same folder, and an exact answer counts more", () => {
	const asking = (line: string, folder: string | null = "/w"): ApprovalAsk => {
		const { question, ...rest } = ask("execute");
		return { ...rest, question: { ...question, title: line, digest: line, command: { line, folder } } };
	};
	const first = { ...pending, ...asking("npm test a").question };
	const decided = decideAnswer(agent(), answer({ always: true, prefix: "npm test *" }), first, empty);
	const permit = { tool: "execute", title: "npm test a", digest: "npm test a", prefix: ["npm", "test"], folder: "/w" };
	// the program's own "always" is not picked: it may allow more
	expect(decided).toMatchObject([{ data: { allowed: true, option: "yes", permit: { ...permit, allow: true } } }]);
	const permitted = { ...agent(), permits: [{ ...permit, allow: true }] };
	const isAllowed = (request: ApprovalAsk, of: AgentState = permitted): boolean =>
		JSON.stringify(decideAsk(of, request)).includes('"why":"allowed for good before');
	expect(isAllowed(asking("npm test b --c"))).toBe(true);
	for (const line of ["npm test; rm x", "npm tests", "npm run x", "npm test $(x)", "npm test\nrm x"])
		expect([line, isAllowed(asking(line))]).toEqual([line, false]);
	expect(isAllowed(asking("npm test b", "/tmp"))).toBe(false);
	expect(isAllowed({ ...asking("npm test b"), question: { ...asking("npm test b").question, tool: "other" } })).toBe(
		false,
	);
	const denied = { tool: "execute", title: "npm test b", digest: "npm test b", allow: false };
	expect(isAllowed(asking("npm test b"), { ...agent(), permits: [denied, { ...permit, allow: true }] })).toBe(false);
});

test.each([
	[{ always: true, prefix: "npm run" }, "npm test", /does not begin with: npm run/],
	[{ always: true, prefix: "npm test" }, "npm test; rm x", /not about a simple shell command/],
	[{ always: true, prefix: "bash -c" }, "bash -c x", /can run any program/],
	[{ always: true, prefix: "npm test && x" }, "npm test", /plain words/],
	[{ always: false, prefix: "npm test" }, "npm test", /always/],
	[{ allow: false, always: true, prefix: "npm test" }, "npm test", /allowing/],
] as const)("the prefix of %j is refused for %j", (more, line, words) => {
	const asked = { ...pending, command: { line, folder: null } };
	expect(decideAnswer(agent(), answer(more), asked, empty)).toMatchObject({
		code: "VALIDATION_ERROR",
		message: expect.stringMatching(words),
	});
	expect(decideAnswer(agent(), answer({ always: true, prefix: "npm test" }), pending, empty)).toMatchObject({
		code: "VALIDATION_ERROR",
		message: expect.stringMatching(/not about a simple shell command/),
	});
});
