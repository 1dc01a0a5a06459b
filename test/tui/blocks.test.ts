// The blocks of a conversation on the screen: how they look, how they open, and what the page shows then.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { system } from "#contract/ids.ts";
import { Saved } from "#contract/terminal-file.ts";
import type { Agent, Item } from "#contract/wire.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";
import { Blocks } from "#views/conversation.ts";
import { blockRows } from "../../src/surfaces/tui/block-rows.ts";

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

function saved(home: string): Saved | null {
	const file = path.join(home, "terminal.json");
	return existsSync(file) ? Saved.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
}

type Said = readonly [kind: string, text: string, data?: Item["data"]];

/** The blocks of one turn. */
function said(...items: readonly Said[]): Blocks {
	const blocks = new Blocks();
	for (const [at, [kind, text, data = null]] of items.entries())
		blocks.add({ id: at + 1, kind, text, data, at: "2026-01-01T00:00:00Z", turn: 1, actor: system });
	return blocks;
}

const look = { width: 60, colour: false, folder: null, isOpened: false, output: null, isSelected: false };
const rowsOf = ({ list }: Blocks): string[] =>
	list.flatMap((block) => blockRows(block, { ...look, nameOf: (actor) => actor }));

test("the message of a turn that failed says so without colours", () => {
	expect(rowsOf(said(["final", "something broke", { state: "failed" }]))).toEqual(["✗ failed: something broke"]);
	// control: an answer does not
	expect(rowsOf(said(["final", "something broke", { state: "completed" }]))).toEqual(["  something broke"]);
});

test("the newest plan of a turn is shown whole, those before it in one row", () => {
	const steps = (...states: string[]): string => states.map((state, at) => `${state}: step ${at}`).join("\n");
	const [first, second] = [steps("pending", "pending"), steps("completed", "in_progress")];
	const last = ["  ☑ step 0", "  ▸ step 1"];
	expect(rowsOf(said(["plan", first], ["assistant", "begun"], ["plan", second]))).toEqual([
		...["  … plan: 0 of 2 steps done", "  begun", ...last],
	]);
	expect(rowsOf(said(["plan", second]))).toEqual(last);
});

test("a call that opens keeps its title on the page, with the keys and with the mouse, and closes to the end", async () => {
	const one = await talked(`say before\nrun seq 1 60\nsay after`);
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows(/^ {2}after/m);
	it.terminal.press("ctrl+o", "enter");
	const text = await it.terminal.shows(/^> ⏵ execute seq 1 60.*\n {2}│ seq 1 60\n {2}│ 1\n/m);
	expect(text).toContain("↓ more below");
	it.terminal.press("enter");
	expect(await it.terminal.shows(/^ {2}after/m)).not.toContain("more below");
	it.terminal.press("escape");
	await it.terminal.shows(/^⏵ execute seq/m);
	const row = (await it.terminal.screen()).findIndex((each) => each.startsWith("⏵ execute seq"));
	it.terminal.click(5, row);
	await it.terminal.shows(/^⏵ execute seq 1 60.*\n {2}│ seq 1 60\n {2}│ 1\n/m);
	// control: a short one moves nothing
	const short = await talked("say before\nrun echo out\nsay after");
	await using other = new OpenedTerminal(shop.client, short.id, { size: [80, 20] });
	await other.terminal.shows(/^ {2}after/m);
	other.terminal.press("ctrl+o", "enter");
	expect(await other.terminal.shows(/^ {2}│ out/m)).not.toContain("more below");
});

test("while a block is chosen, the page keys scroll, and the arrows go on from the chosen block", async () => {
	const one = await talked(Array.from({ length: 40 }, (_, each) => `run echo call ${each}.`).join("\n"));
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows(/^⏵ execute echo call 39\./m);
	it.terminal.press("ctrl+o", "pageUp", "pageUp");
	await it.terminal.shows(/^⏵ execute echo call 2\./m);
	expect(await it.terminal.shows("↑↓ choose · Enter open · Esc close")).not.toContain("⏵ execute echo call 39.");
	it.terminal.press("pageDown", "pageDown");
	await it.terminal.shows(/^> ⏵ execute echo call 39\./m);
	it.terminal.press("pageUp", "pageUp", "up");
	await it.terminal.shows(/^> ⏵ execute echo call 38\./m);
});

test("a block that is open is so after a restart, with the row that was at the top", async () => {
	const one = await talked("run seq 1 200");
	const home = freshFolder();
	const top = async (it: OpenedTerminal): Promise<string | undefined> => (await it.terminal.screen())[0]?.trim();
	let before: string | undefined;
	{
		await using it = new OpenedTerminal(shop.client, one.id, { home, size: [60, 30] });
		await it.terminal.shows("[one ○ idle]");
		it.terminal.press("ctrl+o", "enter");
		await it.terminal.shows(/^ {2}│ 20$/m);
		it.terminal.press("pageDown", "pageDown");
		await it.terminal.shows(/^ {2}│ 60$/m);
		before = await top(it);
		// not only when it ends: it may be killed
		const { anchors, opened } = await vi.waitUntil(() => saved(home)?.anchors[one.id] && saved(home), {
			timeout: 10_000,
		});
		expect([Object.keys(anchors), opened.length]).toEqual([[one.id], 1]);
	}
	expect(before).toMatch(/^│ \d+$/);
	await using again = new OpenedTerminal(shop.client, one.id, { home, size: [60, 30] });
	await again.terminal.shows(/^ {2}│ 60$/m);
	expect(await top(again)).toBe(before);
});

test("a page that comes to the end, because the window grows, follows it again", async () => {
	const one = await talked(Array.from({ length: 30 }, (_, each) => `say line ${each}.`).join("\n"));
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows(/^ {2}line 29\./m);
	it.terminal.press("pageUp");
	expect(await it.terminal.shows("more below")).not.toContain("  line 29.");
	// control: a page that is not at the end stays where it is
	await shop.turn(one, "say meanwhile");
	expect((await it.terminal.screen()).join("\n")).not.toContain("meanwhile");
	it.terminal.resize(80, 70);
	expect(await it.terminal.shows(/^ {2}meanwhile/m)).not.toContain("more below");
	it.terminal.resize(80, 20);
	expect(await it.terminal.shows(/^ {2}meanwhile/m)).not.toContain("more below");
	await shop.turn(one, Array.from({ length: 30 }, (_, each) => `say word ${each}.`).join("\n"));
	await it.terminal.shows(/^ {2}word 29\./m);
});

test("choosing a block moves nothing under the reader, also at the top of what a fork inherited", async () => {
	const one = await talked("run echo inherited");
	const fork = await shop.client.call("fork", { params: { agent: one.id }, body: { name: "heir" } });
	await shop.turn(fork, `${Array.from({ length: 60 }, (_, each) => `say line ${each}.`).join("\n")}\nrun echo newest`);
	await using it = new OpenedTerminal(shop.client, fork.id, { size: [80, 20] });
	await it.terminal.shows(/^⏵ execute echo newest/m);
	const page = async (): Promise<string[]> => (await it.terminal.screen()).slice(0, 15);
	it.terminal.press("pageUp", "pageUp");
	await it.terminal.shows("more below");
	const before = await page();
	it.terminal.press("ctrl+o");
	await it.terminal.shows("Nothing on this page opens: scroll to a tool call first.");
	expect(await page()).toEqual(before);
	it.terminal.press("ctrl+home");
	await it.terminal.shows(/^┆ ⏵ execute echo inherited/m);
	const top = await page();
	expect(top.join("\n")).toContain("line 5.");
	it.terminal.press("ctrl+o");
	await it.terminal.shows("↑↓ choose");
	const chosen = await page();
	expect(chosen[2]).toMatch(/^> ┆ ⏵ execute echo inherited/);
	expect(chosen.slice(3)).toEqual(top.slice(3));
	it.terminal.press("enter");
	await it.terminal.shows(/│ inherited/m);
});

test("while a block is chosen, the end is not followed; afterwards it is, unless the reader went elsewhere", async () => {
	const words = (from: number): string => Array.from({ length: 30 }, (_, at) => `say number ${from + at}.`).join("\n");
	const one = await talked(`${words(0)}\nrun echo chosen\nsay after it`);
	await using it = new OpenedTerminal(shop.client, one.id, { size: [80, 20] });
	await it.terminal.shows(/^ {2}after it/m);
	it.terminal.press("ctrl+o");
	await it.terminal.shows(/^> ⏵ execute echo chosen/m);
	await shop.turn(one, words(30));
	expect(await it.terminal.shows("more below")).toMatch(/^> ⏵ execute echo chosen/m);
	expect((await it.terminal.screen()).join("\n")).not.toContain("number 59.");
	it.terminal.press("escape");
	expect(await it.terminal.shows("number 59.")).not.toContain("more below");
	// control: what was opened is read
	await shop.turn(one, "run echo second");
	await it.terminal.shows(/^⏵ execute echo second/m);
	it.terminal.press("ctrl+o", "enter");
	await it.terminal.shows(/^ {2}│ second/m);
	await shop.turn(one, words(60));
	await it.terminal.shows("more below");
	it.terminal.press("escape");
	expect(await it.terminal.shows(/^⏵ execute echo second/m)).not.toContain("number 89.");
});
