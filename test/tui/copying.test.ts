// The mouse. A selection copies the text that was marked, as its author wrote it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { system } from "#contract/ids.ts";
import type { Agent, Item } from "#contract/wire.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";
import { idOf, moment } from "#tools/terminal-frames.ts";
import { Blocks } from "#views/conversation.ts";
import { copiedText } from "../../src/surfaces/tui/copying.ts";
import { diffPanel } from "../../src/surfaces/tui/diff.ts";
import { firstState, type Panel, type Seen, type State } from "../../src/surfaces/tui/model.ts";
import { uncoloured, widthOf } from "../../src/surfaces/tui/pi/text.ts";
import { conversationWidth, screenRows } from "../../src/surfaces/tui/screen.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

async function talked(text: string): Promise<Agent> {
	const { add } = await shop.project();
	const one = await add({ name: "one" });
	await shop.turn(one, text);
	return one;
}

type SaidItem = readonly [kind: string, text: string, data?: Item["data"]];

const current = idOf("B");

/** An agent's conversation. */
function conversation(...items: readonly SaidItem[]): Seen {
	const blocks = new Blocks();
	for (const [at, [kind, text, data = null]] of items.entries())
		blocks.add({ id: at + 1, kind, text, data, at: "2026-01-01T00:00:00Z", turn: 1, actor: system });
	return { ...moment([]), blocks: () => blocks.list, messages: () => [] };
}

/** Everything of the upper part of the screen, as if it were marked from the first column on. */
function copied(seen: Seen, width: number, change: Partial<State> = {}): string {
	const state = { ...firstState(current), ...change };
	const look = { width, height: 60, colour: false, input: ["> "], typed: "" };
	const rows = screenRows(state, seen, look).map(uncoloured);
	const rule = rows.findIndex((row) => /^─+$/.test(row));
	const spans = rows
		.slice(0, rule)
		.map((row, at) => ({ row: at, from: 0, to: Math.min(widthOf(row), conversationWidth(width)) }));
	return copiedText(state, seen, look, { rows, spans }).trim();
}

const message = (text: string): Seen => conversation(["assistant", text]);

test("what the width of the screen has cut is one line, also an address without spaces", () => {
	const address = `https://example.org/${"a-long-path/".repeat(9)}end?x=1`;
	const text = `Read ${address} before you go on, ${"word ".repeat(30)}end.\n\nThe next one.`;
	for (const width of [40, 61, 99, 200]) expect(copied(message(text), width)).toBe(text);
	const prompt = `look at ${address}\n    and indented ${"more ".repeat(20)}x`;
	expect(copied(conversation(["user", prompt]), 50)).toBe(prompt);
	expect(copied(conversation(["thought", text]), 50, { opened: new Set([1]) })).toBe(text);
	expect(copied(conversation(["final", "it broke ".repeat(20), { state: "failed" }]), 50)).toBe(
		`failed: ${"it broke ".repeat(20).trim()}`,
	);
});

test("code is copied with its own indentation and its tabs, without that of the screen", () => {
	const code = `function f() {\n\tif (x) {\n\t\treturn "${"long ".repeat(20)}";\n\t}\n    four\n}`;
	for (const width of [40, 80]) {
		const text = `Before:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter.`;
		expect(copied(message(text), width)).toBe(text);
	}
	const list = "- first\n- second with more than fits into one row of this narrow screen\n    - nested";
	expect(copied(message(list), 40)).toBe(list);
	expect(copied(message(`> ${"quoted words ".repeat(9)}end`), 40)).toBe(`${"quoted words ".repeat(9)}end`);
});

test("what a call has printed is copied without its bar, with its tabs", () => {
	const output = `a\tb\n\tindented ${"and long ".repeat(12)}end\n\n> kept\n│ kept as well\n  two spaces`;
	const seen = conversation(
		["tool_call", "make table", { call: "a", tool: "execute" }],
		["tool_result", output, { call: "a", status: "completed" }],
	);
	const text = copied(seen, 50, { opened: new Set([1]) });
	expect(text.split("\n").slice(1).join("\n")).toBe(`make table\n${output}`);
});

test("a table is copied as it is drawn, and what follows it as it is written", () => {
	const wide = `| name | what it does |\n| --- | --- |\n| a | ${"many words ".repeat(12)} |`;
	const after = `After it a line that is longer than the screen ${"is wide ".repeat(9)}.`;
	const text = copied(message(`${wide}\n\n${after}`), 50);
	expect(text).toMatch(/^┌─+┬─+┐\n│ name +│ what it does +│\n/);
	expect(text.endsWith(`┘\n\n${after}`)).toBe(true);
});

test("from a review the lines of the diff are copied, without the frame", () => {
	const line = `+\tconst wide = "${"x".repeat(90)}";`;
	const patch = `diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1,2 @@\n const a = 1;\n${line}\n`;
	const files = [{ path: "x.ts", from: null, added: 1, deleted: 0 }];
	const total = { files: 1, added: 1, deleted: 0 };
	const diff = {
		against: "main",
		patch,
		files,
		total,
		omitted: [],
		truncated: false,
		next: { file: null, patch: null },
	};
	const panel = diffPanel(diff, "changes", { route: "diff", agent: current });
	const lines = copied(moment([]), 60, { panel }).split("\n");
	expect(lines.slice(2, 5)).toEqual(["@@ -1 +1,2 @@", " const a = 1;", line]);
	const mail: Panel = { kind: "text", at: 0, title: "mail 1", lines: ["From two", "", "long ".repeat(30).trim()] };
	expect(copied(moment([]), 60, { panel: mail }).split("\n").slice(1, 4)).toEqual(mail.lines);
});

test("the terminal puts the text into the clipboard, from the letter that was marked first to the last", async () => {
	const address = `https://example.org/${"path/".repeat(24)}end`;
	const one = await talked(`say before\nsay ${address} and after it`);
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows("and after it");
	const rows = await it.terminal.screen();
	const first = rows.findIndex((row) => row.includes("https://"));
	const last = rows.findIndex((row) => row.includes("and after it"));
	expect(last).toBeGreaterThan(first);
	it.terminal.drag([2, first], [(rows[last] ?? "").indexOf(" and") - 1, last]);
	await it.terminal.shows("Copied!");
	expect(it.terminal.clipboard).toBe(address);
	it.terminal.drag([10, first], [4, first + 1]);
	await expect.poll(() => it.terminal.clipboard).toBe(`${address.slice(8, 78)}${address.slice(78, 81)}`);
});

test("nothing moves while the button is down; afterwards the page follows the agent again", async () => {
	const words = (from: number): string => Array.from({ length: 30 }, (_, at) => `say number ${from + at}.`).join("\n");
	const one = await talked(words(0));
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20], colour: true });
	await using other = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows("number 29.");
	const before = await it.terminal.screen();
	const row = before.findIndex((each) => each.includes("number 26."));
	it.terminal.mouse("down", [2, row]);
	await shop.turn(one, words(30));
	it.terminal.mouse("move", [40, row + 1]);
	await expect.poll(() => it.terminal.highlighted()).toBe("number 26.  number 27. ");
	await other.terminal.shows("number 59.");
	const held = await it.terminal.screen();
	expect(held.slice(0, -2)).toEqual(before.slice(0, -2));
	it.terminal.mouse("up", [40, row + 1]);
	await it.terminal.shows("number 59.");
	expect(it.terminal.clipboard).toBe("number 26.\nnumber 27.");
	// other text is not marked as if it had been copied
	await expect.poll(() => it.terminal.highlighted()).not.toContain("number");
	it.terminal.drag([2, row], [12, row]);
	await expect.poll(() => it.terminal.clipboard).toBe("number 56.");
	// a key goes on at once
	it.terminal.mouse("down", [2, row]);
	it.terminal.mouse("move", [9, row]);
	it.terminal.press("typed");
	await it.terminal.shows("> typed");
});

test("a click takes what was under it when it was pressed", async () => {
	const one = await talked("run echo first\nsay before");
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows("before");
	const row = (await it.terminal.screen()).findIndex((each) => each.startsWith("⏵ execute"));
	it.terminal.mouse("down", [5, row]);
	await shop.turn(one, "say after");
	it.terminal.mouse("up", [5, row]);
	await it.terminal.shows(/⏵ execute echo first.*\n {2}│ echo first\n {2}│ first/);
});

test("a click goes to an agent of the tree that Ctrl+T shows", async () => {
	const { add, slug } = await shop.project();
	const [one] = [await add({ name: "one" }), await add({ name: "two" })];
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press("ctrl+t");
	await it.terminal.shows("┌ agents (living)");
	const row = (await it.terminal.screen()).findIndex((each) => /^│.*○ two/.test(each));
	it.terminal.click(20, row);
	await it.terminal.shows("[two");
});
