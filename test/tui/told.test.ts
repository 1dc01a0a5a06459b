// What the terminal says of commands, in the words of the command line.
import { afterAll, beforeAll, expect, test } from "vitest";
import { at } from "#test/support/in-workspace.ts";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { git, TestDaemon } from "#test/support/test-daemon.ts";

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

test("/finish ends the turn of a human agent in the words of the command line, with all lines of the answer", async () => {
	const { add } = await shop.project();
	const anna = await add({ name: "anna", type: "human", prompt: "please look" });
	await using it = new OpenedTerminal(shop.client, anna.id);
	await it.terminal.shows("/finish ANSWER ends the turn");
	it.terminal.press("/finish", "enter");
	await it.terminal.shows("Write it like this: /finish [-m] MESSAGE [--failed]");
	it.terminal.press("ctrl+c", "/finish --failed it isn't", "alt+enter", "  done", "enter");
	await it.terminal.shows(/turn \d+ failed/);
	expect((await shop.items(anna)).at(-1)).toMatchObject({ kind: "final", text: "it isn't\n  done" });
	it.terminal.press("/finish again", "enter");
	await it.terminal.shows("NOT_RUNNING: anna has no open turn.");
});

test("/send, /commit and /fork keep the lines of their text", async () => {
	const { add, slug } = await shop.project();
	const [one, two] = [await add({ name: "one" }), await add({ name: "two", type: "human" })];
	await shop.turn(one, "write a.txt made");
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("/send two --urgent first", "alt+enter", "  second", "enter");
	await it.terminal.shows(/mail \d+ sent to two/);
	const [mail] = await shop.client.call("mail", { params: { agent: two.id } });
	expect(mail).toMatchObject({ body: "first\n  second" });
	it.terminal.press("/commit -m Add a", "alt+enter", "alt+enter", "Because.", "enter");
	await it.terminal.shows("1 file");
	expect(git(at(one), "log", "-1", "--format=%B")).toMatch(/^Add a\n\nBecause\.\n/);
	it.terminal.press("/fork say it", "alt+enter", "say again --name kid", "enter");
	await it.terminal.shows(/^ {2}again/m);
	const kid = await shop.client.call("agent", { params: { agent: "kid" }, query: { project: slug } });
	expect((await shop.items(kid)).find(({ kind }) => kind === "user")?.text).toBe("say it\nsay again");
});

test("who writes when a fork is made stays, and goes on writing to the same agent", async () => {
	const { add, slug } = await shop.project();
	const one = await add({ name: "one" });
	await using it = new OpenedTerminal(shop.client, one.id, { project: slug });
	await it.terminal.shows("[one ○ idle]");
	it.terminal.press("/fork --name kid", "enter", "and now");
	await it.terminal.shows("forked kid; you stay here, because you are writing");
	it.terminal.press(" this");
	expect(await it.terminal.shows("> and now this")).toContain("[one ○ idle]");
	// control: who writes nothing goes there
	it.terminal.press("ctrl+c", "/fork --name heir", "enter");
	await it.terminal.shows("[heir ○ idle]");
});

test("that a prompt is in the queue is said until it is not, and ↑ brings it back with the cursor at its end", async () => {
	const one = await (await shop.project()).add({ name: "one" });
	await shop.client.call("pause", { params: { agent: one.id }, body: {} });
	await shop.client.call("prompt", { params: { agent: one.id }, body: { text: "say first" } });
	await using it = new OpenedTerminal(shop.client, one.id);
	await it.terminal.shows("[one ‖ paused");
	it.terminal.press("say second", "enter");
	await it.terminal.shows("It is in the queue.");
	await shop.client.call("resume", { params: { agent: one.id }, body: {} });
	await it.terminal.shows(/^ {2}second$/m);
	expect(await it.terminal.shows("[one ○ idle]")).not.toContain("It is in the queue.");
	it.terminal.press("up", " time");
	await it.terminal.shows("> say second time");
});
