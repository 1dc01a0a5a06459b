// An agent of another project than that of the directory.
import { expect, test } from "vitest";
import { OpenedTerminal } from "#test/support/opened-terminal.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";

test("around an agent of another project are the agents of its project", async () => {
	await using shop = await TestDaemon.open();
	const [here, there] = [await shop.project(), await shop.project()];
	const own = await here.add({ name: "own" });
	const asker = await there.add({ name: "asker", policy: "ask" });
	const beside = await there.add({ name: "beside" });
	await shop.client.call("fork", { params: { agent: asker.id }, body: { name: "kid" } });
	await shop.client.call("prompt", { params: { agent: asker.id }, body: { text: "ask May I?" } });
	await using it = new OpenedTerminal(shop.client, own.id, { project: here.slug, size: [120, 30] });
	await it.terminal.shows("◆1 ^N next");
	it.terminal.press("ctrl+n");
	const text = await it.terminal.shows(/^↑init ←beside \[asker ◆ asks you\] →beside ↓1/m);
	expect(text).toMatch(/▌ {2}◆ asker asks$/m);
	expect(text).not.toContain("own");
	it.terminal.press("/agents", "enter");
	const tree = await it.terminal.shows(/agents \(all\) ▏ 4 of 4/);
	expect(tree).toMatch(/^│> +◆ asker ←/m);
	it.terminal.press("escape", "ctrl+down");
	await it.terminal.shows(/\[\S*kid ○ idle\]/);
	it.terminal.press("ctrl+up");
	await it.terminal.shows("[asker");
	it.terminal.press("ctrl+right");
	await it.terminal.shows(`[${beside.handle} ○ idle]`);
	// control: around agent 0 are the agents of the directory's project
	it.terminal.press("ctrl+up");
	expect(await it.terminal.shows("[init")).not.toContain("beside");
	it.terminal.press("ctrl+down");
	await it.terminal.shows("[own ○ idle]");
});

test("the inbox has the issues of all projects that need a person, also of one that is added later", async () => {
	await using shop = await TestDaemon.open();
	const need = async (project: string): Promise<void> => {
		await shop.client.ask("issueAdd", { params: { project }, body: { title: "Look" } });
		await shop.client.call("issueEscalate", {
			params: { issue: `${project}#1` },
			body: { reason: `odd in ${project}` },
		});
	};
	const [here, there] = [await shop.project(), await shop.project()];
	const own = await here.add({ name: "own" });
	for (const { slug } of [here, there]) await need(slug);
	await using it = new OpenedTerminal(shop.client, own.id, { project: here.slug });
	await it.terminal.shows("▤2");
	it.terminal.press("f2");
	await it.terminal.shows(/▤ p1#1 {2}Look {2}odd in p1\b[\s\S]*▤ p2#1 {2}Look {2}odd in p2/);
	const later = await shop.project();
	await need(later.slug);
	await it.terminal.shows("▤ p3#1  Look  odd in p3");
	// outside of projects, too
	await using outside = new OpenedTerminal(shop.client, own.id);
	await outside.terminal.shows("▤3");
});
