// What the terminal says of commands, in the words of the command line.
import { afterAll, beforeAll, test } from "vitest";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

let shop: TestDaemon;
beforeAll(async () => {
	shop = await TestDaemon.open();
});
afterAll(async () => await shop[Symbol.asyncDispose]());

test("/kill says how many agents below it ended with it", async () => {
	const { add, slug } = await shop.project();
	const [one, two] = [await add({ name: "one" }), await add({ name: "two" })];
	for (const name of ["kid", "heir"]) await shop.client.call("fork", { params: { agent: two.id }, body: { name } });
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("/kill two --cascade", "enter");
	await it.terminal.shows("two ended, with 2 agents below it");
});

test("a /wait says that an agent it waits for asks for approval, until it is answered", async () => {
	const { add, slug } = await shop.project();
	const [one, asker] = [await add({ name: "one" }), await add({ name: "asker", policy: "ask" })];
	await shop.client.call("prompt", { params: { agent: asker.id }, body: { text: "ask May I?" } });
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("◆1 ^N next");
	it.terminal.press("/wait asker", "enter");
	await it.terminal.shows(/^ {2}Waiting … {3}\(Esc cancels\)\n {2}asker asks for approval: May I\?/m);
	const [approval] = await shop.client.call("approvals", { query: {} });
	const params = { approval: String(approval?.id) };
	await shop.client.call("approvalAnswer", { params, body: { allow: true, always: false } });
	await it.terminal.shows(/^ {2}asker is idle/m);
});
