// What is written into the input of the terminal, and what comes into it from elsewhere.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { at, TestDaemon } from "#test/support/test-daemon.ts";

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
