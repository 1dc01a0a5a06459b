// The terminal program on an emulated terminal, with a real daemon behind it.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { freshFolder } from "#test/support/stores.ts";
import { at, TestDaemon } from "#test/support/test-daemon.ts";
import { VirtualTerminal } from "#test/support/virtual-terminal.ts";
import { TerminalProgram } from "../../src/surfaces/tui/terminal.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

class Opened implements AsyncDisposable {
	readonly terminal: VirtualTerminal;
	readonly program: TerminalProgram;
	readonly home: string;
	readonly #over: Promise<void>;
	now = 1_000_000;

	constructor(
		first: AgentId,
		{ size = [100, 30], home = freshFolder(), project = null, colour = false }: OpenOptions = {},
	) {
		this.home = home;
		this.terminal = new VirtualTerminal(size[0], size[1]);
		const { client } = shop;
		const freshKey = (): string => crypto.randomUUID();
		const options = { client, home, project, colour, freshKey, mend: async () => {} };
		this.program = new TerminalProgram({ ...options, now: () => this.now, terminal: this.terminal }, first);
		this.#over = this.program.run();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.program.stop();
		await this.#over;
	}
}

interface OpenOptions {
	size?: readonly [number, number];
	home?: string;
	project?: ProjectSlug | null;
	colour?: boolean;
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
		await it.terminal.shows("It has no parent.");
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

test("a fork goes to the child, a kill of it comes back, and the dead can be read but not written to", async () => {
	const { one, slug } = await family();
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press('/fork "say hello" --name kid', "enter");
	await it.terminal.shows(/\[\S*kid ○ idle\]/);
	await it.terminal.shows(/^ {2}hello/m);
	it.terminal.press("/kill", "enter");
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
	it.terminal.press("no, ", "alt+n");
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
	await it.terminal.shows("Given up.");
	// control: the next one is waited for
	it.terminal.press("/fork --name made", "enter");
	await it.terminal.shows("Waiting for tools to complete …");
	writeFileSync(at(one, "go"), "");
	await it.terminal.shows(/\[\S*made ○ idle\]/);
	const agents = await shop.client.call("agentsOf", { params: { project: slug }, query: {} });
	expect(agents.map(({ handle }) => handle)).toEqual(["one", "two", "made"]);
});

test("the turns show what each changed, and Enter in a diff opens and folds its files", async () => {
	const { one, slug } = await family();
	await shop.turn(one, "write a.txt first\nwrite b.txt second");
	await shop.turn(one, "write a.txt third");
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("[one");
	it.terminal.press("f6");
	await it.terminal.shows(/completed {2}write a\.txt third/);
	it.terminal.press("enter");
	const turn = await it.terminal.shows("this turn of one: 1 file, 0 reviewed");
	expect(turn).toMatch(/-first[\s\S]+\+third/);
	it.terminal.press("escape");
	await it.terminal.shows("turns of one");
	it.terminal.press("escape", "f5");
	const all = await it.terminal.shows("changes of one: 2 files, 0 reviewed");
	expect(all).not.toContain("+third");
	it.terminal.press("enter");
	await it.terminal.shows("+third");
	it.terminal.press("space");
	expect(await it.terminal.shows("2 files, 1 reviewed")).not.toContain("+third");
});

test("a second Esc ends a turn by force, though its processes ignore every polite signal", async () => {
	const { one } = await family();
	await using it = new Opened(one.id);
	await it.terminal.shows("[one");
	it.terminal.press("run trap '' INT TERM; while true; do sleep 1; done", "enter");
	await it.terminal.shows(/⏵ execute trap/);
	it.terminal.press("escape", "escape");
	await it.terminal.shows("The turn was stopped");
	expect((await shop.now(one)).turn).toBeNull();
});

test("an empty thread says what can be done, and a click goes to an agent of the tree", async () => {
	const { one, slug } = await family();
	await using it = new Opened(one.id, { project: slug });
	await it.terminal.shows("Write what the agent shall do");
	const row = (await it.terminal.screen()).findIndex((each) => each.endsWith("○ two"));
	it.terminal.click(85, row);
	await it.terminal.shows("[two");
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
	const before = it.terminal.frames;
	it.terminal.resize(60, 20);
	await it.terminal.shows(/^─{60}$/m);
	expect(it.terminal.frames - before).toBe(1);
});
