// The terminal program on an emulated terminal, with a real daemon behind it.
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "#client/client.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { OpenedTerminal, type OpenOptions } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

class Opened extends OpenedTerminal {
	constructor(first: AgentId | null, { client = shop.client, ...options }: OpenOptions & { client?: Client } = {}) {
		super(client, first, options);
	}
}

async function family(): Promise<{ slug: ProjectSlug; one: Agent; two: Agent }> {
	const { add, slug } = await shop.project();
	return { slug, one: await add({ name: "one" }), two: await add({ name: "two" }) };
}

describe.each([
	[60, 20],
	[100, 30],
	[250, 60],
] as const)("at %d columns and %d rows", (columns, rows) => {
	test("shows the thread, who is around, and the input, and never writes beyond the edge", async () => {
		const { one, slug } = await family();
		await shop.turn(one, "say **strong** words\nwrite a.txt hi\nrun echo out\nsay 日本語 👩‍👩‍👧 é done");
		await using it = new Opened(one.id, { size: [columns, rows], project: slug });
		const text = await it.terminal.shows("done");
		expect(text).toContain("strong words");
		expect(text).toMatch(/⏵ execute echo out +out/);
		expect(text).toMatch(/\[one ○ idle\]/);
		const screen = await it.terminal.screen();
		expect(screen).toHaveLength(rows);
		expect(screen.at(-2)).toMatch(/^>/);
		expect(screen.at(-4)).toBe("─".repeat(columns));
		expect(text.includes("○ two")).toBe(columns >= 100);
	});
});

test("a prompt is typed, queued, run and shown as it is said", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("say typed by hand", "enter");
	await it.terminal.shows(/^ {2}typed by hand/m);
	expect((await shop.items(one)).filter(({ kind }) => kind === "user").map(({ text }) => text)).toEqual([
		"say typed by hand",
	]);
	// the input is empty again, and the last prompt is its history
	it.terminal.press("up");
	await it.terminal.shows("> say typed by hand");
});

test("keys move in the tree, drafts and places stay with their agents, also over a restart", async () => {
	const { one, two, slug } = await family();
	const home = freshFolder();
	{
		await using it = new Opened(one.id, { home, project: slug });
		await it.terminal.shows("[one");
		it.terminal.press("for one");
		it.terminal.press("ctrl+right");
		await it.terminal.shows("[two");
		expect((await it.terminal.screen()).at(-2)).toBe(">");
		it.terminal.press("for two", "left", "left");
		it.terminal.press("ctrl+left");
		await it.terminal.shows("> for one");
		it.terminal.press("ctrl+up");
		await it.terminal.shows("[init");
		it.terminal.press("ctrl+up");
		await it.terminal.shows("No agent is above it.");
		it.terminal.press("ctrl+down");
		await it.terminal.shows(/\[(one|two|\S+) /);
		it.terminal.press("ctrl+t", "two");
		await it.terminal.shows(/agents \(living\) two/);
		it.terminal.press("enter");
		await it.terminal.shows("[two");
	}
	await using again = new Opened(one.id, { home, project: slug });
	await again.terminal.shows("[two");
	await again.terminal.shows("> for two");
	// the cursor is where it was: before the last two letters
	again.terminal.press("X");
	await again.terminal.shows("> for tXwo");
	expect(two.handle).toBe("two");
});

test("what is typed before the first agent is there is kept for it", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "say hello");
	await using it = new Opened(null, { project: slug });
	it.terminal.press("typed at once");
	await it.terminal.shows("[one");
	await it.terminal.shows("> typed at once");
});

test("a fork goes to the child, a kill of it comes back, and the dead can be read but not written to", async () => {
	const { one, slug } = await family();
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press('/fork "say hello" --name kid', "enter");
	await it.terminal.shows(/\[\S*kid ○ idle\]/);
	await it.terminal.shows(/^ {2}hello/m);
	it.terminal.press("/kill", "enter");
	await it.terminal.shows("[one");
	it.terminal.press('/fork "say hello" --name heir', "enter");
	// the dead one is not beside it: it is reached through the tree
	expect(await it.terminal.shows(/\[\S*heir ○ idle\]/)).not.toContain("kid");
	it.terminal.press("ctrl+up");
	await it.terminal.shows("[one");
	it.terminal.press("/agents", "enter");
	await it.terminal.shows(/living, \d+ dead/);
	it.terminal.press("kid");
	await it.terminal.shows(/· \S*kid/);
	it.terminal.press("enter");
	await it.terminal.shows("can be read, not written to");
	it.terminal.press("hello?", "enter");
	await it.terminal.shows("can be read, not written to");
	await it.terminal.shows("> hello?");
});

test("above the beginning of a fork comes what it inherited, marked as such", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "say before the fork");
	const fork = await shop.client.call("fork", { params: { agent: one.id }, body: { name: "heir" } });
	await shop.turn(one, "say after the fork");
	await using it = new Opened(fork.id, { project: slug });
	expect(await it.terminal.shows(/\[\S*heir/)).not.toContain("before the fork");
	it.terminal.press("ctrl+home");
	const text = await it.terminal.shows(/^┆ {3}before the fork/m);
	expect(text).not.toContain("after the fork");
});

test("an approval is shown whole before it can be allowed, and a letter in a sentence does not answer it", async () => {
	const { add, slug } = await shop.project();
	const asker = await add({ name: "asker", policy: "ask" });
	await using it = new Opened(asker.id, { project: slug });
	await it.terminal.shows("[asker");
	it.terminal.press("ask May I?", "enter");
	await it.terminal.shows("◆ asker");
	// still typing: the letter belongs to the sentence
	it.terminal.press("yes");
	await it.terminal.shows("> yes");
	expect(await shop.client.call("approvals", { query: {} })).toHaveLength(1);
	it.terminal.press("backspace", "backspace", "backspace");
	it.now += 5000;
	it.terminal.press("y");
	await it.terminal.shows(/May I\? +allowed/);
	expect(await shop.client.call("approvals", { query: {} })).toEqual([]);
	it.terminal.press("ask And this?", "enter");
	await it.terminal.shows("other  And this?");
	it.terminal.press("no, ");
	it.now += 5000;
	it.terminal.press("alt+n");
	await it.terminal.shows(/And this\? +denied/);
	await it.terminal.shows("> no,");
});

test("no escape sequence of an agent reaches the terminal", async () => {
	const { one } = await family();
	const evil = "say \u001B]0;owned\u0007\u001B[2Jgone\u009B31m \u202Etxt";
	await shop.client.call("prompt", { params: { agent: one.id }, body: { text: evil } });
	await using it = new Opened(one.id);
	await it.terminal.shows("␛]0;owned");
	for (const part of ["\u001B]0;owned", "\u001B[2Jgone", "\u009B", "\u202E"])
		expect(it.terminal.written.includes(part)).toBe(false);
	// control: the same text written raw would
	it.terminal.write(evil);
	expect(it.terminal.written).toContain("\u001B]0;owned");
});

test("Esc interrupts, and the refusal of a command is shown word for word and given back", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one");
	it.terminal.press("/rewind nowhere", "enter");
	await it.terminal.shows("MARK_NOT_FOUND: ");
	await it.terminal.shows("> /rewind nowhere");
	it.terminal.press("ctrl+c");
	it.terminal.press("run sleep 100", "enter");
	await it.terminal.shows("[one ● running]");
	it.terminal.press("escape");
	await it.terminal.shows("The turn was stopped");
	it.terminal.press("/resume", "enter");
	await it.terminal.shows("one goes on");
});

test("a fork that waits for a tool call is given up with Esc, and then never made", async () => {
	const { one, slug } = await family();
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press("run while [ ! -e go ]; do sleep 0.1; done", "enter");
	await it.terminal.shows(/⏵ execute while/);
	it.terminal.press("/fork --name never", "enter");
	await it.terminal.shows("Waiting for tools to complete …");
	it.terminal.press("escape");
	await it.terminal.shows("Given up: a fork that still waited is not made.");
	it.terminal.press("/wait one --timeout 0.1", "enter");
	await it.terminal.shows("TIMEOUT: Time ran out: still waiting for one.");
	it.terminal.press("ctrl+c", "/wait one", "enter");
	await it.terminal.shows("Waiting …");
	it.terminal.press("escape");
	expect(await it.terminal.shows("The wait was cancelled.")).not.toContain("fork that");
	// control: the next one is waited for
	it.terminal.press("/fork --name made", "enter");
	await it.terminal.shows("Waiting for tools to complete …");
	writeFileSync(at(one, "go"), "");
	await it.terminal.shows(/\[\S*made ○ idle\]/);
	const agents = await shop.client.call("agentsOf", { params: { project: slug }, query: {} });
	expect(agents.map(({ handle }) => handle)).toEqual(["one", "two", "made"]);
});

test("the turns show what each changed, and Enter in a diff opens and closes its files", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "write a.txt first\nwrite b.txt second");
	await shop.turn(one, "write a.txt third");
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press("f6");
	await it.terminal.shows(/completed {2}write a\.txt third/);
	it.terminal.press("enter");
	const turn = await it.terminal.shows(/turn \d+ of one: 1 file, 0 viewed/);
	expect(turn).toMatch(/-first[\s\S]+\+third/);
	it.terminal.press("escape");
	await it.terminal.shows("turns of one");
	it.terminal.press("escape", "f5");
	const all = await it.terminal.shows("changes of one: 2 files, 0 viewed");
	expect(all).not.toContain("+third");
	it.terminal.press("enter");
	await it.terminal.shows("+third");
	it.terminal.press("space");
	expect(await it.terminal.shows("2 files, 1 viewed")).not.toContain("+third");
});

test("the call that is chosen is always on the screen, and opens there", async () => {
	const { one } = await family();
	const calls = Array.from({ length: 40 }, (_, each) => `run echo call ${each}.`);
	await shop.turn(one, calls.join("\n"));
	await using it = new Opened(one.id);
	// without colours, the chosen row is marked
	await it.terminal.shows(/^⏵ execute echo call 39\./m);
	it.terminal.press("ctrl+o");
	await it.terminal.shows(/^> ⏵ execute echo call 39\. +call 39\./m);
	it.terminal.press(...Array.from({ length: 39 }, () => "up"));
	await it.terminal.shows(/^> ⏵ execute echo call 0\./m);
	await it.terminal.shows("↑↓ choose · Enter open · Esc close");
	it.terminal.press("enter");
	await it.terminal.shows(/call 0\..*\n {2}│ echo call 0\./);
	it.terminal.press(...Array.from({ length: 39 }, () => "down"));
	await it.terminal.shows(/^> ⏵ execute echo call 39\./m);
});

test("a running call that is opened shows the last lines that it has printed, and no escape sequence", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one ○ idle]");
	await shop.client.call("prompt", {
		params: { agent: one.id },
		body: { text: "run seq 1 30; printf '\\033[31mred'; sleep 300" },
	});
	await it.terminal.shows(/^⏵ execute seq 1 30/m);
	it.terminal.press("ctrl+o", "enter");
	const text = await it.terminal.shows(/^ {2}│ ␛\[31mred\b/m);
	expect(text).toMatch(/│ seq 1 30;.*\n {2}│ 12\b(.*\n)* {2}│ 30\b.*\n {2}│ ␛\[31mred\b/);
	await shop.client.call("interrupt", { params: { agent: one.id }, body: {} });
	await it.terminal.shows("[one ‖ paused (interrupt)]");
});

test("whoever has scrolled up reads that there is more below, and which key leads to the end", async () => {
	const { one } = await family();
	await shop.turn(one, Array.from({ length: 40 }, (_, each) => `say line ${each}.`).join("\n"));
	await using it = new Opened(one.id);
	expect(await it.terminal.shows("line 39.")).not.toContain("more below");
	it.terminal.press("pageUp");
	await it.terminal.shows(/^── ↓ more below · Ctrl\+End to the end ─+$/m);
	it.terminal.press("ctrl+end");
	expect(await it.terminal.shows("line 39.")).not.toContain("more below");
});

test("a second Esc ends a turn by force, though its processes ignore every polite signal", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one");
	it.terminal.press("run trap '' INT TERM; while true; do sleep 1; done", "enter");
	await it.terminal.shows(/⏵ execute trap/);
	// in one chunk, as tmux sends two quick ones
	it.terminal.press("escape escape");
	await it.terminal.shows("The turn was stopped");
	expect((await shop.now(one)).turn).toBeNull();
});

test("a thread that has not come yet is not called empty", async () => {
	const { one, two } = await family();
	await shop.turn(two, "say here it is");
	const gate = Promise.withResolvers<void>();
	let isClosed = false;
	const call = async (...args: unknown[]): Promise<unknown> => {
		if (isClosed) await gate.promise;
		return await Reflect.apply(shop.client.call, shop.client, args);
	};
	const client = new Proxy(shop.client, {
		get(to, name) {
			const found: unknown = name === "call" ? call : Reflect.get(to, name);
			return typeof found === "function" ? found.bind(to) : found;
		},
	});
	await using it = new Opened(one.id, { client });
	await it.terminal.shows("Type what the agent should do");
	isClosed = true;
	it.terminal.press("ctrl+right");
	await it.terminal.shows("[two");
	await it.terminal.shows(/^ {2}Loading …/m);
	expect((await it.terminal.screen()).join("\n")).not.toContain("Type what");
	gate.resolve();
	await it.terminal.shows(/^ {2}here it is/m);
});

test("an empty thread says what can be done, and a click goes to an agent of the tree", async () => {
	const { one, slug } = await family();
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("Type what the agent should do");
	const row = (await it.terminal.screen()).findIndex((each) => each.endsWith("○ two"));
	it.terminal.click(85, row);
	await it.terminal.shows("[two");
});

test("a selection copies what is said in the thread, without the tree beside it", async () => {
	const { one, slug } = await family();
	await shop.turn(one, ["say first", ...Array.from({ length: 30 }, (_, n) => `say word ${n}`)].join("\n"));
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("word 29");
	const rows = await it.terminal.screen();
	const row = rows.findIndex((each) => each.endsWith("○ two"));
	expect(rows[row]).toMatch(/^ {2}word \d+ .*│.*○ two$/);
	const [above = "", here = ""] = rows.slice(row - 1, row + 1).map((each) => / {2}word \d+/.exec(each)?.[0]);
	it.terminal.drag([2, row - 1], [40, row]);
	await it.terminal.shows("Copied!");
	expect(it.terminal.clipboard).toBe(`${above.trim()}\n${here.trim()}`);
	it.terminal.drag([74, row], [99, row]);
	await expect.poll(() => it.terminal.clipboard).toContain("○ two");
});

test("the mouse is left to the terminal when it is switched off", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one");
	expect(it.terminal.written).toContain("\u001B[?1006h");
	const before = it.terminal.written.length;
	it.terminal.press("/mouse off", "enter");
	await it.terminal.shows("the mouse is off");
	expect(it.terminal.written.slice(before)).toContain("\u001B[?1006l");
	expect(it.terminal.written.slice(before)).not.toContain("\u001B[?1006h");
});

test("a terminal that takes nothing gets no frames, and the program goes on", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one");
	it.terminal.isBehind = true;
	const before = it.terminal.written.length;
	it.terminal.press("typed meanwhile");
	await shop.turn(one, "say while nobody reads");
	expect(it.terminal.written).toHaveLength(before);
	it.terminal.isBehind = false;
	it.terminal.onTaken();
	await it.terminal.shows(/^ {2}while nobody reads/m);
	await it.terminal.shows("> typed meanwhile");
});

test("a resize is one frame, with nothing drawn twice", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "say something wide");
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("something wide");
	const before = it.terminal.written.length;
	const wholeFrames = (): number => it.terminal.written.slice(before).split("\u001B[2J").length - 1;
	it.terminal.resize(60, 20);
	await it.terminal.shows(/^─{60}$/m);
	expect(wholeFrames()).toBe(1);
	// control: a frame that is drawn whole once more is counted
	it.terminal.press("ctrl+l");
	await expect.poll(wholeFrames).toBe(2);
});

test("prompts of the queue are moved, edited and removed, and what was being written stays", async () => {
	const { one, two, slug } = await family();
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	for (const text of ["first", "second", "third"])
		await shop.client.call("prompt", { params: { agent: one.id }, body: { text } });
	const queue = async () => (await shop.client.call("queue", { params: { agent: one.id } })).map(({ text }) => text);
	await using it = new Opened(two.id, { project: slug });
	await it.terminal.shows("[two");
	it.terminal.press("ctrl+left");
	await it.terminal.shows("[one ‖ paused");
	it.terminal.press("half a thought", "f3");
	await it.terminal.shows(/1 {2}first[\s\S]+2 {2}second[\s\S]+3 {2}third/);
	it.terminal.press("down", "shift+up");
	await expect.poll(queue).toEqual(["second", "first", "third"]);
	await it.terminal.shows(/1 {2}second/);
	it.terminal.press("shift+up");
	await it.terminal.shows("It is the first one already.");
	it.terminal.press("e");
	await it.terminal.shows("edit> second");
	it.terminal.press(" thoughts", "ctrl+right");
	// another agent's input is its own
	await it.terminal.shows("[two");
	expect((await it.terminal.screen()).at(-2)).toBe(">");
	it.terminal.press("ctrl+left");
	await it.terminal.shows("edit> second thoughts");
	it.terminal.press("enter");
	await it.terminal.shows("The prompt was replaced.");
	expect(await queue()).toEqual(["second thoughts", "first", "third"]);
	// the queue is shown again
	await it.terminal.shows("1  second thoughts");
	it.terminal.press("x");
	await expect.poll(queue).toEqual(["first", "third"]);
	await it.terminal.shows("1  first");
	it.terminal.press("e");
	await it.terminal.shows("edit> first");
	it.terminal.press("escape");
	expect(await it.terminal.shows("The prompt stays as it was.")).toContain("1  first");
	it.terminal.press("escape");
	await it.terminal.shows("> half a thought");
	expect(await queue()).toEqual(["first", "third"]);
	await shop.client.call("queueClear", { params: { agent: one.id } });
	it.terminal.press("f3");
	await it.terminal.shows("no prompt waits");
	it.terminal.press("x");
	await it.terminal.shows("The queue is empty.");
});

test("mail is read, answered and deleted; a person has no mailbox to answer to", async () => {
	const { one, two, slug } = await family();
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	await shop.client.call("send", { params: { agent: one.id }, body: { body: "from a person" } });
	await shop.turn(two, "send one from a colleague");
	const mail = async () =>
		(await shop.client.call("mail", { params: { agent: one.id }, query: {} })).map(({ state }) => state);
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows(/mail 2/);
	it.terminal.press("f4");
	await it.terminal.shows(/✉ human {2}from a person[\s\S]+✉ two {2}from a colleague/);
	it.terminal.press("r");
	await it.terminal.shows("No agent sent it");
	it.terminal.press("down", "enter");
	await it.terminal.shows(/From two, \d+ s ago/);
	// for the agent it stays unread
	await it.terminal.shows(/mail 2/);
	expect(await mail()).toEqual(["accepted", "accepted"]);
	it.terminal.press("r");
	await it.terminal.shows("> /send two");
	it.terminal.press("thanks", "f4");
	await it.terminal.shows("mail of one");
	it.terminal.press("down", "r");
	await it.terminal.shows("There is unsent text in the input");
	it.terminal.press("x");
	await expect.poll(mail).toEqual(["accepted"]);
	it.terminal.press("escape", "enter");
	await it.terminal.shows("sent to two");
	it.terminal.press("f4", "z");
	await it.terminal.shows("z does nothing in this list");
	await shop.client.call("send", { params: { agent: one.id }, body: { body: "a second one" } });
	it.terminal.press("escape", "/read-mail", "enter");
	await it.terminal.shows(/From human, \d+ s ago/);
	await expect.poll(mail).toEqual(["read", "accepted"]);
	it.terminal.press("escape");
	// as a prompt it is headed by the sender's id, which people do not see
	await shop.turn(two, "send one once more");
	await shop.client.call("resume", { params: { agent: one.id }, body: {} });
	await it.terminal.shows(/\[mail \d+ from two\]/);
});

test("a fork from a turn has the conversation and the files of that turn", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "write a.txt first");
	await shop.turn(one, "write a.txt second\nsay the second turn");
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press("f6");
	await it.terminal.shows(/completed {2}write a\.txt first/);
	it.terminal.press("down", "f");
	await it.terminal.shows("> /fork --at");
	it.terminal.press("--name back", "enter");
	await it.terminal.shows(/\[\S*back ○ idle\]/);
	const back = (await shop.client.call("agentsOf", { params: { project: slug }, query: {} })).at(-1);
	expect(readFileSync(`${back?.workspace?.path}/a.txt`, "utf8").trim()).toBe("first");
	it.terminal.press("ctrl+home");
	expect(await it.terminal.shows(/^┆ › write a\.txt first/m)).not.toContain("second turn");
	// control: the turn that it was not forked from is in the parent
	expect(readFileSync(at(one, "a.txt"), "utf8").trim()).toBe("second");
});
