// What is written into the input of the terminal, and what comes into it from elsewhere.
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { matching } from "#surfaces/tui/pi/text.ts";
import { at } from "#test/support/in-workspace.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

async function agent(name = "one"): Promise<{ one: Agent; slug: ProjectSlug }> {
	const { add, slug } = await shop.project();
	return { one: await add({ name }), slug };
}

const evil = "\u001B]0;owned\u0007\u001B[2Jgone\u009B31m";

test("control characters of a prompt are shown in the input, and sent as they are if nothing else is written", async () => {
	const { one } = await agent();
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	await shop.client.call("prompt", { params: { agent: one.id }, body: { text: `say ${evil}` } });
	const queue = async () => (await shop.client.call("queue", { params: { agent: one.id } })).map(({ text }) => text);
	await using it = new OpenedTerminal(shop.client, one.id);
	await it.terminal.shows("[one ‖ paused");
	it.terminal.press("f3");
	await it.terminal.shows("queue of one");
	it.terminal.press("e");
	await it.terminal.shows("edit> say ␛]0;owned␇␛[2Jgone<U+009B>31m");
	it.terminal.press("enter");
	await it.terminal.shows("The prompt was replaced.");
	it.terminal.press("escape");
	expect(await queue()).toEqual([`say ${evil}`]);
	await shop.client.call("resume", { params: { agent: one.id }, body: {} });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("up");
	await it.terminal.shows("> say ␛]0;owned");
	it.terminal.press("ctrl+c");
	it.terminal.paste("a \u009B31m paste");
	await it.terminal.shows("> a <U+009B>31m paste");
	for (const part of ["\u001B]0;owned", "\u001B[2Jgone", "\u009B"]) expect(it.terminal.written).not.toContain(part);
});

test("a file whose name has control characters is not offered", async () => {
	const { one } = await agent();
	for (const name of [`zz${evil}`, "zznew\nline", "zzplain"]) writeFileSync(at(one, name), "");
	await using it = new OpenedTerminal(shop.client, one.id);
	await it.terminal.shows("[one");
	it.terminal.press("@zz");
	const shown = await it.terminal.shows("@zzplain");
	expect(shown).not.toContain("zznew");
	for (const part of ["\u001B]0;owned", "\u009B"]) expect(it.terminal.written).not.toContain(part);
});

test("a completion never replaces a word that it does not fit, however fast it is typed", async () => {
	const { one } = await agent();
	for (const name of ["日本.md", "withal.ts"]) writeFileSync(at(one, name), "");
	await using it = new OpenedTerminal(shop.client, one.id);
	for (const [typed, expected] of [
		["zz", "> see @zz"],
		["with", "> see @withal.ts"],
		[" then", "> see @ then"],
	] as const) {
		await it.terminal.shows("[one");
		it.terminal.press("see @");
		await it.terminal.shows("@日本.md");
		it.terminal.press(typed, "tab");
		await it.terminal.shows(new RegExp(`^${expected} *$`, "m"));
		it.terminal.press("ctrl+c");
		await it.terminal.shows("Cleared");
	}
});

test("Tab completes a word that was typed with it in one burst, and the keys after it come after it", async () => {
	const { one } = await agent();
	for (const name of ["zzone.txt", "zztwo.txt", "zzz.txt"]) writeFileSync(at(one, name), "");
	await using it = new OpenedTerminal(shop.client, one.id);
	for (const [keys, expected] of [
		[["/fo", "tab", "x"], "> /fork x"],
		[["/agents", "tab", "x"], "> /agentsx"],
		[["see @zzt", "tab", "x"], "> see @zztwo.txt x"],
		[["see @zz", "tab", "x"], "> see @zzz.txt x"],
		[["see @zzz", "tab", "tab", "and @zzo", "tab"], "> see @zzz.txt and @zzone.txt"],
	] as const) {
		await it.terminal.shows("[one");
		it.terminal.press(...keys);
		await it.terminal.shows(new RegExp(`^${expected} *$`, "m"));
		it.terminal.press("ctrl+c");
		await it.terminal.shows("Cleared");
	}
	// the command is sent, not its first letters
	it.terminal.press("/ag", "tab", "enter");
	await it.terminal.shows("agents (all)");
});

test("what has the word as it is comes before what has only its letters, and the shorter first", () => {
	const files = [
		...["src/adapters/verbs/diff.ts", "docs/saved/index.md", "test/tui/unsaved.ts", "file-7735.txt"],
		...["src/surfaces/tui/saved.ts", "saved/", "file-77.txt"],
	];
	const found = (words: string): string[] => matching(files, words, (file) => file);
	expect(found("saved")).toEqual([
		...["saved/", "src/surfaces/tui/saved.ts", "test/tui/unsaved.ts", "docs/saved/index.md"],
		"src/adapters/verbs/diff.ts",
	]);
	expect(found("file-77")).toEqual(["file-77.txt", "file-7735.txt"]);
	// control: letters alone still find
	expect(found("f77t")).toContain("file-7735.txt");
	expect(found("")).toEqual(files);
});

test("after a folder that was completed its name goes on; after a file there is a space", async () => {
	const { one } = await agent();
	mkdirSync(at(one, "zzdeep/er"), { recursive: true });
	writeFileSync(at(one, "zzdeep/er/file"), "");
	await using it = new OpenedTerminal(shop.client, one.id);
	await it.terminal.shows("[one");
	it.terminal.press("@zzdeep");
	await it.terminal.shows(/@zzdeep\/\s/);
	it.terminal.press("tab", "er/f");
	await it.terminal.shows(/> @zzdeep\/er\/f[\s\S]*@zzdeep\/er\/file/);
	it.terminal.press("tab", "x");
	await it.terminal.shows("> @zzdeep/er/file x");
});

test("a paste keeps its tabs, also after a restart, with the cursor where it was", async () => {
	const { one } = await agent();
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	const queued = async (): Promise<string[]> =>
		(await shop.client.call("queue", { params: { agent: one.id } })).map(({ text }) => text);
	const lines = (count: number): string =>
		Array.from({ length: count }, (_, at) => `all:\tpart-${at}\r\n\t\tcc -c ${at}`).join("\n");
	for (const count of [1, 20, 1500]) {
		const home = freshFolder();
		const text = `${lines(count).replaceAll("\r", "")}TAIL`;
		{
			await using it = new OpenedTerminal(shop.client, one.id, { home });
			await it.terminal.shows("[one");
			it.terminal.paste(lines(count));
			await it.terminal.shows(count === 1 ? "> all:⇥part-0" : `> [paste #1 +${count * 2} lines]`);
			it.terminal.press("TAIL");
			await it.terminal.shows(count === 1 ? "⇥⇥cc -c 0TAIL" : "]TAIL");
		}
		await using again = new OpenedTerminal(shop.client, one.id, { home });
		await again.terminal.shows("[one ‖ paused");
		await again.terminal.shows(count < 1500 ? `cc -c ${count - 1}TAIL` : "> [paste #1");
		again.terminal.press("!", "backspace", "enter");
		await expect.poll(queued, { timeout: 20_000 }).toContain(text);
	}
});

test("after a restart the cursor is where it was, behind a long paste", async () => {
	const { one } = await agent();
	const home = freshFolder();
	{
		await using it = new OpenedTerminal(shop.client, one.id, { home });
		await it.terminal.shows("[one");
		it.terminal.paste(Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n"));
		it.terminal.press("TAIL");
		await it.terminal.shows("[paste #1 +50 lines]TAIL");
	}
	await using again = new OpenedTerminal(shop.client, one.id, { home });
	await again.terminal.shows("line 49TAIL");
	again.terminal.press("backspace", "!");
	await again.terminal.shows("line 49TAI!");
});

test("Enter in the list of commands writes the marked one and runs nothing; a command that is written whole runs", async () => {
	const { one, slug } = await agent();
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one");
	for (const [begun, whole] of [
		["/", "> /fork"],
		["/ki", "> /kill"],
	] as const) {
		it.terminal.press(begun);
		await it.terminal.shows(begun === "/" ? "(1/" : /kill +end this agent/);
		it.terminal.press("enter");
		await it.terminal.shows(new RegExp(`^${whole} *$`, "m"));
		it.terminal.press("ctrl+c");
		await it.terminal.shows("Cleared");
	}
	expect(await shop.client.call("agentsOf", { params: { project: slug }, query: {} })).toMatchObject([
		{ handle: "one", life: "live" },
	]);
	// the list is of what was written a moment ago
	it.terminal.press("/paus");
	await it.terminal.shows(/pause +start no further/);
	it.terminal.press("e", "enter");
	await it.terminal.shows("one is paused");
});

test("the list of completions is of the word that is there: it closes when the word is deleted", async () => {
	const { one } = await agent();
	await using it = new OpenedTerminal(shop.client, one.id);
	await it.terminal.shows("[one ○ idle]");
	for (const key of ["ctrl+u", "ctrl+w"]) {
		it.terminal.press("/ki");
		await it.terminal.shows(/kill +end this agent/);
		it.terminal.press(key, ...(key === "ctrl+w" ? ["ctrl+w"] : []), "enter");
		await expect.poll(async () => (await it.terminal.screen()).join("\n")).not.toContain("kill");
		expect((await it.terminal.screen()).at(-2)).toBe(">");
	}
	// what is left of a word is completed again
	it.terminal.press("/fol");
	await it.terminal.shows(/follow +on goes to/);
	it.terminal.press("ctrl+w");
	expect(await it.terminal.shows("(1/")).toMatch(/^> \/$/m);
});

test("text that Ctrl+C clears on the way out is there again the next time; text that was cleared before is not", async () => {
	const { one } = await agent();
	const home = freshFolder();
	for (const [typed, expected, typedOn] of [
		[["precious", "left", "left", "ctrl+c", "ctrl+c", "ctrl+c"], "> precious", "> precioXus"],
		[["ctrl+c", "ctrl+t", "escape", "ctrl+c", "ctrl+c"], ">", "> X"],
	] as const) {
		{
			await using it = new OpenedTerminal(shop.client, one.id, { home });
			await it.terminal.shows("[one ○ idle]");
			it.terminal.press(...typed);
		}
		await using again = new OpenedTerminal(shop.client, one.id, { home });
		await again.terminal.shows("[one ○ idle]");
		expect((await again.terminal.screen()).at(-2)).toBe(expected);
		// with the cursor where it was
		again.terminal.press("X");
		await again.terminal.shows(typedOn);
		again.terminal.press("backspace");
	}
});

test("a very long text is one mark in the input, also after a restart and as an earlier prompt, and is sent whole", async () => {
	const { one } = await agent();
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	const home = freshFolder();
	const long = `say ${"word ".repeat(20)}\n`.repeat(1000).trim();
	{
		await using it = new OpenedTerminal(shop.client, one.id, { home });
		await it.terminal.shows("[one ‖ paused");
		it.terminal.press("an earlier text", "ctrl+c");
		it.terminal.paste(long);
		await it.terminal.shows("> [paste #1 +1000 lines]");
		it.terminal.press("ctrl+c");
		await it.terminal.shows("Cleared");
		it.terminal.press("up");
		await it.terminal.shows("> [paste #1 +1000 lines]");
		// and it is not the end of what was written before
		it.terminal.press("up");
		await it.terminal.shows("> an earlier text");
		it.terminal.press("down");
		await it.terminal.shows(/> \[paste #\d \+1000 lines\]$/m);
	}
	await using again = new OpenedTerminal(shop.client, one.id, { home });
	await again.terminal.shows("[one ‖ paused");
	await again.terminal.shows("> [paste #1 +1000 lines]");
	again.terminal.press("!", "enter");
	const queue = async () => (await shop.client.call("queue", { params: { agent: one.id } })).map(({ text }) => text);
	await expect.poll(queue).toEqual([`${long}!`]);
	// control: what people write by hand stays as it is
	again.terminal.press(...Array.from({ length: 12 }, (_, line) => [`line ${line}`, "alt+enter"]).flat(), "end");
	await again.terminal.shows("  line 11");
	again.terminal.press("ctrl+c", "up");
	expect(await again.terminal.shows("  line 10\n  line 11")).not.toContain("paste");
	again.terminal.press(...Array.from({ length: 11 }, () => "up"));
	expect(await again.terminal.shows("> line 0\n  line 1")).not.toContain("paste");
});
