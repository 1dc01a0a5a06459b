// A prompt of the queue that is being edited: its text is never lost.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { freshFolder } from "#test/support/stores.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

/** An agent with a prompt that waits. */
async function waiting(): Promise<{ one: Agent; remove: () => Promise<unknown> }> {
	const { add } = await shop.project();
	const one = await add({ name: "one" });
	const params = { agent: one.id };
	await shop.client.call("pause", { params, body: {} });
	await shop.client.call("prompt", { params, body: { text: "first" } });
	return { one, remove: () => shop.client.call("queueClear", { params }) };
}

/** Edits the prompt, beside what is being written. */
async function edit({ terminal }: OpenedTerminal): Promise<void> {
	await terminal.shows("[one ‖ paused");
	terminal.press("half a thought", "f3");
	await terminal.shows("1  first");
	terminal.press("e");
	await terminal.shows("edit> first");
	terminal.press(" and second", "left", "left");
	await terminal.shows("edit> first and second");
}

test("an edit goes on after a restart, with its cursor, and what was being written stays", async () => {
	const [{ one, remove }, home] = [await waiting(), freshFolder()];
	{
		await using it = new OpenedTerminal(shop.client, one.id, { home });
		await edit(it);
	}
	{
		await using again = new OpenedTerminal(shop.client, one.id, { home });
		await again.terminal.shows("edit> first and second");
		again.terminal.press("X");
		await again.terminal.shows("edit> first and secoXnd");
	}
	await remove();
	// control: a prompt that does not wait any more is not edited
	await using last = new OpenedTerminal(shop.client, one.id, { home });
	await last.terminal.shows("The prompt that you edited has left the queue; your text is in the input.");
	await last.terminal.shows(/^> first and secoXnd\n +half a thought/m);
});

test("an edit that is left, or whose prompt has left the queue, is brought back with the arrow", async () => {
	const { one, remove } = await waiting();
	await using it = new OpenedTerminal(shop.client, one.id);
	await edit(it);
	it.terminal.press("escape");
	await it.terminal.shows("The prompt stays as it was; ↑ at the start of the input brings your text back.");
	it.terminal.press("escape", "home", "up");
	await it.terminal.shows("> first and second");
	it.terminal.press("down", "f3", "e", "!");
	await it.terminal.shows("edit> first!");
	await remove();
	await it.terminal.shows("The prompt has left the queue: Enter cannot replace it.");
	it.terminal.press("enter");
	await it.terminal.shows(/NOT_FOUND: .*\n +↑ at the start of the input brings your text back\./);
	await it.terminal.shows("> half a thought");
	it.terminal.press("home", "up");
	await it.terminal.shows("> first!");
	expect(await shop.client.call("queue", { params: { agent: one.id } })).toEqual([]);
});
