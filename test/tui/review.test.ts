// Reviewing the files of an agent.
import { expect, test } from "vitest";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

test("a file that was viewed is so however the agent is named, not after a change, and not in a fork", async () => {
	await using shop = await TestDaemon.open();
	const { add, slug } = await shop.project();
	const one = await add({ name: "one" });
	await shop.turn(one, "write a.txt Aa");
	await shop.client.call("fork", { params: { agent: one.id }, body: { name: "kid" } });
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("f5");
	await it.terminal.shows("changes of one: 1 file, 0 viewed");
	it.terminal.press("space");
	await it.terminal.shows("1 file, 1 viewed");
	it.terminal.press("escape", "/diff one", "enter");
	await it.terminal.shows("changes of one: 1 file, 1 viewed");
	it.terminal.press("escape", "/diff kid", "enter");
	expect(await it.terminal.shows("changes of kid: 1 file, 0 viewed")).toContain("+Aa");
	await shop.turn(one, "write a.txt BB");
	it.terminal.press("escape", "f5");
	expect(await it.terminal.shows("changes of one: 1 file, 0 viewed")).toContain("+BB");
});
