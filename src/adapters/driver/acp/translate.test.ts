import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import type { TurnItem } from "#contract/turn.ts";
import { begun, emptyTranslation, finish, translate } from "./translate.ts";

/** Plays updates as an agent sent them; answers with the items and the live pieces. */
function played(...updates: SessionUpdate[]) {
	let state = emptyTranslation();
	const items: TurnItem[] = [];
	const live: string[] = [];
	for (const update of updates) {
		const { next, items: more, delta } = translate(state, update);
		state = next;
		items.push(...more);
		if (delta) live.push(delta.text);
	}
	const last = finish(state);
	return { items: [...items, ...last.items], live, lastMessage: last.next.lastMessage };
}

const chunk = (text: string, messageId?: string): SessionUpdate => ({
	sessionUpdate: "agent_message_chunk",
	content: { type: "text", text },
	...(messageId && { messageId }),
});
const thought = (text: string): SessionUpdate => ({
	sessionUpdate: "agent_thought_chunk",
	content: { type: "text", text },
});
const item = (kind: string, text: string | null, data: TurnItem["data"] = null): TurnItem => ({ kind, text, data });

test("the pieces of a message become one item; another message id begins another item", () => {
	expect(played(chunk("Hel", "1"), chunk("lo", "1"), chunk("Bye", "2"))).toEqual({
		items: [item("assistant", "Hello"), item("assistant", "Bye")],
		live: ["Hel", "lo", "Bye"],
		lastMessage: "Bye",
	});
});

test("without ids a message lasts until something else is said or done", () => {
	const call: SessionUpdate = {
		sessionUpdate: "tool_call",
		toolCallId: "c",
		title: "ls",
		kind: "execute",
		rawInput: { command: "ls" },
	};
	expect(played(thought("Hm"), thought("m."), chunk("I "), chunk("look."), call, chunk("Done.")).items).toEqual([
		item("thought", "Hmm."),
		item("assistant", "I look."),
		item("tool_call", "ls", { call: "c", tool: "execute", input: { command: "ls" } }),
		item("assistant", "Done."),
	]);
});

test("a tool result is written when the call ends, with its text or its output", () => {
	const update = (status: "in_progress" | "completed" | "failed", more: object = {}): SessionUpdate => ({
		sessionUpdate: "tool_call_update",
		toolCallId: "c",
		status,
		...more,
	});
	const text = (words: string) => ({ content: [{ type: "content", content: { type: "text", text: words } }] });
	const begun: SessionUpdate = { sessionUpdate: "tool_call", toolCallId: "c", title: "t", kind: "read" };
	const call = item("tool_call", "t", { call: "c", tool: "read", input: null });
	expect(
		played(
			begun,
			update("in_progress", { ...text("all of it"), rawInput: { path: "a" } }),
			update("completed"),
			update("completed", text("again")),
		).items,
	).toEqual([
		call,
		item("tool_result", "all of it", { call: "c", status: "completed", output: null, input: { path: "a" } }),
	]);
	expect(played(begun, update("failed", { rawOutput: { code: 1 } })).items).toEqual([
		call,
		item("tool_result", "", { call: "c", status: "failed", output: { code: 1 } }),
	]);
	const diff = { content: [{ type: "diff", path: "/a.ts", oldText: "x", newText: "y" }] };
	expect(played(begun, update("completed", diff)).items[1]).toMatchObject({ text: "--- /a.ts\ny" });
});

test("the diffs of an edit are kept as its changed lines, unless its input has them", () => {
	const edit = (rawInput: object): SessionUpdate => ({
		...{ sessionUpdate: "tool_call", toolCallId: "c", title: "edit", kind: "edit", status: "completed", rawInput },
		content: [{ type: "diff", path: "/a.ts", oldText: "1\n2\n3\n4\n5\n", newText: "1\n2\n3\nx\ny\n5\n" }],
	});
	expect(played(edit({ patch: "…" })).items[1]).toMatchObject({
		data: { changes: [{ path: "/a.ts", added: 2, deleted: 1, lines: [" 2", " 3", "-4", "+x", "+y", " 5"] }] },
	});
	expect(played(edit({ content: "1\n2\n3\nx\ny\n5\n" })).items[1]?.data).not.toHaveProperty("changes");
});

test("each part of an edit has the number of its first line, if the program says where it is", () => {
	const part = { type: "diff" as const, path: "/a.ts", oldText: "1\n2\n3\n4", newText: "1\n2\n3\nx\n4" };
	const lines = (...places: (number | null)[]) => {
		const { items } = played({
			...{ sessionUpdate: "tool_call", toolCallId: "c", title: "edit", kind: "edit", status: "completed" },
			...{ rawInput: { a: 1 }, content: [part, part], locations: places.map((line) => ({ path: "/a.ts", line })) },
		});
		return Object(items[1]?.data).changes.map(({ line }: { line?: unknown }) => line);
	};
	expect(lines(10, 31)).toEqual([
		{ old: 11, new: 11 },
		{ old: 31, new: 32 },
	]);
	// control: one place for two parts
	expect([lines(10), lines(), lines(10, null)[1]]).toEqual([[undefined, undefined], [undefined, undefined], undefined]);
});

test("a call that is over when it is reported has its result at once", () => {
	expect(
		played({ sessionUpdate: "tool_call", toolCallId: "c", title: "t", status: "completed" }).items.map(
			({ kind }) => kind,
		),
	).toEqual(["tool_call", "tool_result"]);
});

test("a plan is one item, and what says nothing about the conversation is left out", () => {
	const plan: SessionUpdate = {
		sessionUpdate: "plan",
		entries: [
			{ content: "look", priority: "high", status: "completed" },
			{ content: "mend", priority: "low", status: "pending" },
		],
	};
	expect(
		played({ sessionUpdate: "available_commands_update", availableCommands: [] }, plan, {
			sessionUpdate: "current_mode_update",
			currentModeId: "x",
		}).items,
	).toEqual([item("plan", "completed: look\npending: mend")]);
});

test("what is too long to keep at all is cut, and the item says so", () => {
	const { items } = played(...Array.from({ length: 20 }, () => chunk("x".repeat(1024 * 1024), "1")));
	expect(items).toHaveLength(1);
	expect(items[0]?.text?.length).toBeLessThan(17 * 1024 * 1024);
	expect(items[0]?.text).toMatch(/\[truncated: the rest was too long to keep\]$/);
});

test("what a call had printed when it was cut off is its result", () => {
	const partial = {
		sessionUpdate: "tool_call_update" as const,
		toolCallId: "1",
		content: [{ type: "content" as const, content: { type: "text" as const, text: "half of it" } }],
	};
	const { items } = played(
		{ sessionUpdate: "tool_call", toolCallId: "1", title: "make", kind: "execute", status: "in_progress" },
		partial,
	);
	expect(items.map(({ kind, text }) => [kind, text])).toEqual([
		["tool_call", "make"],
		["tool_result", "half of it"],
	]);
	expect(items[1]?.data).toMatchObject({ call: "1", status: "cut off" });
});

test("a tool input that is too long or too deeply nested is replaced by a note", () => {
	const call = (rawInput: unknown): SessionUpdate => ({
		sessionUpdate: "tool_call",
		toolCallId: "c",
		title: "t",
		rawInput,
	});
	const input = (rawInput: unknown) => Reflect.get(Object(played(call(rawInput)).items[0]?.data), "input");
	expect(input({ a: "x".repeat(2_000_000) })).toMatchObject({ cut: expect.stringMatching(/too long/) });
	expect(input(JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`))).toMatchObject({
		cut: expect.stringMatching(/deeply/),
	});
	expect(JSON.stringify(input(JSON.parse('{"a":{"__proto__":1,"b":2}}')))).toBe('{"a":{"b":2}}');
});

test("images and other content become a placeholder", () => {
	expect(
		played({ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } }).items,
	).toEqual([item("assistant", "[image]")]);
});

test("a call that is only being prepared is told when it is known what it is about", () => {
	const preparing: SessionUpdate = {
		sessionUpdate: "tool_call",
		toolCallId: "c",
		title: "Preparing file…",
		kind: "edit",
		status: "pending",
		rawInput: {},
	};
	const known: SessionUpdate = {
		sessionUpdate: "tool_call_update",
		toolCallId: "c",
		title: "Write a.txt",
		rawInput: { file_path: "a.txt" },
	};
	const over: SessionUpdate = {
		sessionUpdate: "tool_call_update",
		toolCallId: "c",
		status: "completed",
		rawOutput: "written",
	};
	const call = item("tool_call", "Write a.txt", { call: "c", tool: "edit", input: { file_path: "a.txt" } });
	expect(played(preparing, known, over).items).toEqual([
		call,
		item("tool_result", "", { call: "c", status: "completed", output: "written" }),
	]);
	expect(played(preparing).items).toEqual([
		item("tool_call", "Preparing file…", { call: "c", tool: "edit", input: null }),
	]);
});

test("an input that grows after its call was written is whole in the result", () => {
	const begin: SessionUpdate = {
		...{ sessionUpdate: "tool_call", toolCallId: "c", title: "Preparing file…", kind: "edit", status: "pending" },
		rawInput: {},
	};
	const update = (more: object): SessionUpdate => ({ sessionUpdate: "tool_call_update", toolCallId: "c", ...more });
	const whole = { file_path: "/a.ts", content: "1\n2\n" };
	const diff = { content: [{ type: "diff", path: "/a.ts", oldText: null, newText: "1\n2\n" }] };
	const named = update({ title: "Write a.ts", rawInput: { file_path: "/a.ts" } });
	const call = item("tool_call", "Write a.ts", { call: "c", tool: "edit", input: { file_path: "/a.ts" } });
	const result = { call: "c", status: "completed", output: null };
	expect(played(begin, named, update({ rawInput: whole, ...diff }), update({ status: "completed" })).items).toEqual([
		call,
		item("tool_result", "--- /a.ts\n1\n2\n", { ...result, input: whole }),
	]);
	// the control: one that does not grow is written once
	expect(played(begin, named, named, update({ status: "completed" })).items).toEqual([
		call,
		item("tool_result", "", result),
	]);
	const long = { file_path: "/a.ts", content: "x\n".repeat(100_000) };
	const edit = { content: [{ type: "diff", path: "/a.ts", oldText: "1\n2\n", newText: "1\n3\n" }] };
	expect(played(begin, named, update({ rawInput: long, ...edit, status: "completed" })).items[1]).toMatchObject({
		data: { input: { cut: expect.any(String) }, changes: [{ path: "/a.ts", added: 1, deleted: 1 }] },
	});
});

test("what a program prints in a terminal of its own making is the call's output", () => {
	const call: SessionUpdate = {
		...{
			sessionUpdate: "tool_call",
			toolCallId: "c",
			title: "ls",
			kind: "execute",
			status: "in_progress",
			rawInput: { command: "ls" },
		},
		content: [{ type: "terminal", terminalId: "c" }],
	};
	const printed = (data: string): SessionUpdate => ({
		sessionUpdate: "tool_call_update",
		toolCallId: "c",
		_meta: { terminal_output_delta: { data } },
	});
	const over: SessionUpdate = { sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" };
	expect(played(call, printed("a\n"), printed("b\n"), over).items.at(-1)).toEqual(
		item("tool_result", "a\nb\n", { call: "c", status: "completed", output: null }),
	);
});

test("a call that reuses the id of an ended call is recorded as another call", () => {
	const begin = (title: string): SessionUpdate => ({
		sessionUpdate: "tool_call",
		toolCallId: "call_0",
		title,
		kind: "execute",
		rawInput: { command: title },
	});
	const end: SessionUpdate = { sessionUpdate: "tool_call_update", toolCallId: "call_0", status: "completed" };
	expect(played(begin("ls"), end, end, begin("rm -rf ."), end).items.map(({ kind, text }) => [kind, text])).toEqual([
		["tool_call", "ls"],
		["tool_result", ""],
		["tool_call", "rm -rf ."],
		["tool_result", ""],
	]);
	const asked = begun(translate(translate(emptyTranslation(), begin("ls")).next, end).next, {
		toolCallId: "call_0",
		title: "rm -rf .",
		kind: "execute",
	});
	expect(asked.items).toMatchObject([{ kind: "tool_call", text: "rm -rf ." }]);
});

test("calls cost what they are, however many are open; the oldest are closed, each once, before the daemon runs out of memory", () => {
	const state = emptyTranslation();
	const begin = (id: string, text: string): SessionUpdate => ({
		...{
			sessionUpdate: "tool_call",
			toolCallId: id,
			title: "t",
			kind: "read",
			status: "in_progress",
			rawInput: { id },
		},
		content: [{ type: "content", content: { type: "text", text } }],
	});
	const results = new Map<unknown, number>();
	const count = (items: readonly TurnItem[]): void => {
		for (const { kind, data } of items)
			if (kind === "tool_result")
				results.set(Reflect.get(Object(data), "call"), (results.get(Reflect.get(Object(data), "call")) ?? 0) + 1);
	};
	for (let at = 0; at < 100_000; at++) count(translate(state, begin(`c${at}`, "some")).items);
	expect(state.calls.open.size).toBe(1000);
	for (let at = 0; at < 20; at++) count(translate(state, begin(`large${at}`, "x".repeat(8 * 1024 * 1024))).items);
	expect(state.calls.open.size).toBe(7);
	count(finish(state).items);
	expect([results.size, ...new Set(results.values())]).toEqual([100_020, 1]);
});
