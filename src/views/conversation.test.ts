import { expect, test } from "vitest";
import { AgentId, actingAgent, human, system } from "#contract/ids.ts";
import type { Item } from "#contract/wire.ts";
import { summaryOf } from "./call-result.ts";
import { Blocks } from "./conversation.ts";
import { planLine } from "./plan.ts";

const item = (id: number, kind: string, text: string | null, data: Item["data"] = null) => ({
	...{ id, kind, text, data, at: "2026-01-01T00:00:00Z", turn: 1, actor: human },
});

const items = [
	item(1, "user", "go"),
	item(2, "tool_call", "run a", { call: "a", tool: "execute" }),
	item(3, "tool_call", "run b", { call: "b", tool: "execute" }),
	item(4, "tool_result", "from b", { call: "b" }),
	item(5, "assistant", "said"),
	item(6, "tool_result", "from a", { call: "a" }),
	item(7, "final", "said"),
];

function whole(list: typeof items): Blocks {
	const blocks = new Blocks();
	for (const each of list) blocks.add(each);
	return blocks;
}

test("a conversation that is loaded backwards, in pages of any size, has the same blocks", () => {
	const expected = whole(items).list;
	expect(expected.map(({ id, lastItem, result }) => [id, lastItem, result?.text ?? null])).toEqual([
		[1, 1, null],
		[2, 6, "from a"],
		[3, 4, "from b"],
		[5, 7, null],
	]);
	for (const cut of [1, 2, 3, 4, 5, 6]) {
		const blocks = whole(items.slice(cut));
		blocks.prepend(items.slice(0, cut));
		expect([cut, blocks.list]).toEqual([cut, expected]);
	}
});

test("a result that comes after older items were loaded finds its call", () => {
	const blocks = whole(items.slice(1, 3));
	blocks.prepend(items.slice(0, 1));
	blocks.add(item(8, "tool_result", "late", { call: "b" }));
	expect(blocks.list.map(({ id, result }) => [id, result?.text ?? null])).toEqual([
		[1, null],
		[2, null],
		[3, "late"],
	]);
});

test("a prompt and an interrupt name whose words they are, unless they are the user's", () => {
	const agent = actingAgent(AgentId.parse("A".repeat(22)));
	const labels = (data: Item["data"], actor: Item["actor"]) =>
		whole([
			{ ...item(1, "user", "go", data), actor: system },
			{ ...item(2, "interrupt", "stop", null), actor },
		]).list.map(({ author }) => author);
	expect(labels({ from: agent }, agent)).toEqual([agent, agent]);
	expect(labels({ from: "mail" }, human)).toEqual(["", ""]);
	expect(labels(null, system)).toEqual(["", ""]);
});

test("an edit has the change of its whole input, also if its call was written with the first fields of it", () => {
	const call = item(1, "tool_call", "Edit a.ts", { call: "a", tool: "edit", input: { old_string: "x" } });
	const input = { old_string: "x", new_string: "y" };
	const change = (...more: (typeof call)[]) => whole([call, ...more]).list[0]?.change;
	expect([change(), change(item(2, "tool_result", "", { call: "a", input }))]).toEqual([
		null,
		{ added: 1, deleted: 1, lines: ["-x", "+y"] },
	]);
});

test("an edit has the change that its result reports, if its own arguments have none", () => {
	const change = (data: object) =>
		whole([
			item(1, "tool_call", "edit a.ts", { call: "a", tool: "edit", input: null }),
			item(2, "tool_result", "", { call: "a", ...data }),
		]).list[0]?.change;
	const file = (path: string) => ({ path, added: 1, deleted: 0, lines: ["+x"] });
	expect(change({ changes: [file("a.ts")] })).toEqual({ added: 1, deleted: 0, lines: ["+x"] });
	expect(change({ changes: [file("a.ts"), file("b.ts")] })).toEqual({
		...{ added: 2, deleted: 0, lines: ["a.ts", "+x", "b.ts", "+x"] },
	});
	const part = (path: string, old: number, fresh: number) => ({ ...file(path), line: { old, new: fresh } });
	expect(change({ changes: [part("a.ts", 3, 3), part("a.ts", 40, 41), part("b.ts", 7, 7)] })?.lines).toEqual([
		...["a.ts", "@@ -3 +3 @@", "+x", "@@ -40 +41 @@", "+x", "b.ts", "@@ -7 +7 @@", "+x"],
	]);
	// one file is named by its call; earlier items do not have the lines' numbers
	expect(change({ changes: [part("a.ts", 3, 3), part("a.ts", 40, 41)] })?.lines[0]).toBe("@@ -3 +3 @@");
	expect(change({ changes: [file("a.ts"), file("a.ts")] })?.lines).toEqual(["+x", " ⋯", "+x"]);
	// the input does not say what it replaced
	expect(change({ input: { content: "x\ny" }, changes: [file("a.ts")] })).toMatchObject({ added: 1 });
	expect(change({ input: { content: "x" } })).toEqual({ added: 1, deleted: 0, lines: ["+x"] });
	expect([change({}), change({ changes: { cut: "too long" } }), change({ changes: ["x"] })]).toEqual([
		null,
		null,
		null,
	]);
});

test("a result loses the fence around it, not the fences inside it", () => {
	const result = (text: string) => whole([item(1, "tool_result", text, { call: "a" })]).list[0]?.result?.text;
	expect(result("```console\n1 failed\n```\n")).toBe("1 failed");
	expect(result("````\n# A\n```ts\nx\n```\n````")).toBe("# A\n```ts\nx\n```");
	expect(result("# A\n```ts\nx\n```")).toBe("# A\n```ts\nx\n```");
	expect(result("```\n```")).toBe("");
});

test("a tool's message is without its tags, and its first line says what went wrong", () => {
	const words = "Input validation failed:\n[\n  {}\n]";
	const result = (text: string) =>
		whole([item(1, "tool_result", text, { call: "a", status: "failed" })]).list[0]?.result;
	for (const said of [
		`<tool_use_error>${words}</tool_use_error>`,
		`\`\`\`\n<tool_use_error>${words}</tool_use_error>\n\`\`\``,
	]) {
		const found = result(said);
		expect(found?.text).toBe(words);
		expect(found && summaryOf(found)).toEqual({ line: "Input validation failed:", count: 4 });
	}
	// control: what a program has printed ends with how it ended
	const printed = result("begun\n1 failed");
	expect(printed && summaryOf(printed)).toEqual({ line: "1 failed", count: 2 });
	expect(result("a <tool_use_error>x</tool_use_error>")?.text).toBe("a <tool_use_error>x</tool_use_error>");
});

test("a clear and an interrupted turn are said in words", () => {
	const ended = (reason: string) => ({ ...item(2, "final", reason), data: { state: "interrupted", reason } });
	const list = [item(1, "clear", ""), ended("crash"), ended("shutdown"), ended("interrupted")];
	expect(whole(list).list.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
		"note context cleared",
		"note interrupted: the daemon ended",
		"note interrupted: the daemon was stopped",
		"note interrupted",
	]);
});

test("of a turn's plans only the newest is current, in whatever pages they are loaded", () => {
	const plan = (id: number, turn: number) => ({ ...item(id, "plan", "completed: a\npending: b"), turn });
	const all = [
		plan(1, 1),
		{ ...item(2, "user", "more"), turn: 2 },
		plan(3, 2),
		{ ...item(4, "assistant", "said"), turn: 2 },
		plan(5, 2),
		plan(6, 2),
	];
	const expected = whole(all).list;
	expect(expected.filter(({ kind }) => kind === "plan").map(({ id, isOutdated }) => [id, isOutdated])).toEqual([
		[1, false],
		[3, true],
		[5, true],
		[6, false],
	]);
	for (const cut of [1, 2, 3, 4, 5]) {
		const blocks = whole(all.slice(cut));
		blocks.prepend(all.slice(0, cut));
		expect([cut, blocks.list]).toEqual([cut, expected]);
	}
	expect(planLine("completed: a\npending: b")).toBe("plan: 1 of 2 steps done");
});
