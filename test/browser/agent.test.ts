// An agent's page: what of its past it shows.
import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { longTimeout, params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("a fork from an inherited item shows nothing that its ancestors said after that item", async () => {
	const { add } = await world.project();
	const root = await add({ name: "root", workspace: "none" });
	const first = await world.turn(root, "say early words");
	await world.turn(root, "say late words");
	const child = await world.client.call("fork", { ...params(root), body: { name: "child" } });
	const body = { name: "grandchild", at: first.finalItem ?? 0 };
	const grandchild = await world.client.call("fork", { ...params(child), body });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${child.id}`);
	const items = dashboard.page.getByRole("group", { name: "Items" });
	// the control: the child inherited both
	await items.getByText("late words", { exact: true }).waitFor();
	await dashboard.go(`/agents/${grandchild.id}`);
	await items.getByText("early words", { exact: true }).waitFor();
	expect(await items.getByText("late words", { exact: true }).count()).toBe(0);
});

test("the line of turns has a beginning, for the mouse and for keys", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "walker", workspace: "none" });
	const first = await world.turn(agent, "say one");
	await world.turn(agent, "say two");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}?turn=${first.id}`);
	const { page } = dashboard;
	await page.getByText(`turn ${first.id} (1 of 2)`).waitFor();
	await page.getByRole("button", { name: "Previous turn: This is the first turn." }).waitFor();
	for (const key of ["[", "]", "["]) await page.keyboard.press(key);
	await page.getByText(`turn ${first.id} (1 of 2)`).waitFor();
});

test("the audit has the newest events, however many there were before", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "busy", workspace: "none" });
	await world.turn(agent, "say one");
	await world.client.call("pause", { ...params(agent), body: { reason: "lunch" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	// pages of two events instead of 10,000
	await page.route("**/api/journal?*", async (route) => {
		await route.continue({
			url: route
				.request()
				.url()
				.replace(/limit=\d+/, "limit=2"),
		});
	});
	await page.getByRole("tab", { name: "Audit" }).click();
	await page.getByText("agent.held").waitFor();
});

test("the output of a tool call that is longer than its box is scrolled by keys", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "printer", prompt: "run seq 1 100" });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	await page.getByText("100 lines").click();
	const output = page.getByRole("group", { name: "Output" });
	await output.focus();
	await dashboard.isAccessible();
	await page.keyboard.press("End");
	await expect.poll(() => output.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

test("what the search finds is on the screen of its agent, however old it is, also in what a fork inherited", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "long-ago", workspace: "none" });
	await world.turn(agent, "say the zebra crosses");
	const many = Array.from({ length: 400 }, (_, at) => `say line ${at}`);
	await world.turn(agent, many.join("\n"));
	const fork = await world.client.call("fork", { ...params(agent), body: { name: "heir" } });
	const short = await add({ name: "short", workspace: "none" });
	await world.turn(short, "say one");
	await world.turn(agent, "say the quick zebra\nrun seq 4000; printf 'run%s\\n' away; seq 9");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/journal?text=crosses");
	const { page } = dashboard;
	const items = page.getByRole("group", { name: "Items" });
	const found = items.locator(".when-selected", { hasText: "the zebra crosses" });
	const isOnScreen = async (): Promise<boolean> => {
		const [row, list] = [await found.boundingBox(), await items.boundingBox()];
		return row !== null && list !== null && row.y >= list.y && row.y + row.height <= list.y + list.height;
	};
	const newest = page.getByRole("button", { name: "↓ Newest" });
	await page
		.getByRole("list", { name: "Found" })
		.getByRole("link", { name: /the zebra/ })
		.first()
		.click();
	await expect.poll(isOnScreen, longTimeout).toBe(true);
	await newest.waitFor();
	await dashboard.isAccessible();
	const item = new URL(page.url()).searchParams.get("item");
	await dashboard.go(`/agents/${fork.id}?item=${item}`);
	await expect.poll(isOnScreen, longTimeout).toBe(true);
	// a word that only the output of a call has, or that its turn repeats as its end
	for (const text of ["runaway", "the quick zebra"]) {
		await dashboard.go(`/journal?text=${text}`);
		await page.getByRole("list", { name: "Found" }).getByRole("link").first().click();
		await items.locator(".when-selected").getByText(text).last().waitFor();
	}
	// the end of a short conversation is on the screen too, and stays there
	await dashboard.go(`/agents/${short.id}?item=${(await world.items(short))[0]?.id}`);
	await items.waitFor();
	await newest.waitFor({ state: "detached" });
	// the control: without an item, the end is on the screen
	await dashboard.go(`/agents/${fork.id}`);
	await page.getByText("line 399", { exact: true }).waitFor();
	expect(await found.count()).toBe(0);
});

test("what the search finds in a long output is in view when its call opens", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "talker", workspace: "none" });
	await world.turn(agent, "run seq 300; printf 'run%s\\n' aground; seq 300");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/journal?text=RunA*");
	const { page } = dashboard;
	await page.getByRole("list", { name: "Found" }).getByRole("link").first().click();
	const output = page.getByRole("group", { name: "Items" }).getByRole("group", { name: "Output" });
	const hit = output.getByText("runa", { exact: true });
	const isInView = async (): Promise<boolean> => {
		const [row, box] = [await hit.boundingBox(), await output.boundingBox()];
		return row !== null && box !== null && row.y >= box.y && row.y + row.height <= box.y + box.height;
	};
	await hit.waitFor();
	await expect.poll(isInView, longTimeout).toBe(true);
	await dashboard.isAccessible();
	// the control: it is far below the first row
	expect(await output.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(1000);
});

test("a fork from a tool call has the result that the call shows", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "caller", workspace: "none" });
	await world.turn(agent, "run echo fork$((40+2))\nsay after");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const items = page.getByRole("group", { name: "Items" });
	const call = items.locator(".block-call", { hasText: "fork42" });
	await call.hover();
	await call.getByRole("button", { name: /Fork from item/ }).click();
	const dialog = page.getByRole("dialog", { name: /Fork caller from item/ });
	await dialog.getByLabel("Name").fill("called");
	await dialog.getByRole("button", { name: "Fork", exact: true }).click();
	await page.getByRole("heading", { level: 1, name: /called/ }).waitFor();
	await call.waitFor();
	// the control: nothing after it
	expect(await items.getByText("after", { exact: true }).count()).toBe(0);
});

test("a turn of the past shows its tree and can be forked", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "traveller" });
	const first = await world.turn(agent, "write a.txt first\ncommit First");
	const second = await world.turn(agent, "write a.txt second");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}?turn=${first.id}`);
	const { page } = dashboard;
	const diff = page.getByRole("group", { name: "Diff" });
	await page.getByText(`turn ${first.id} (1 of 2)`).waitFor();
	// the conversation names the turn in the same way, and marks it and what came later
	const items = page.getByRole("group", { name: "Items" });
	await items.getByRole("link", { name: new RegExp(`^turn ${first.id} .* selected$`) }).waitFor();
	await items.getByRole("link", { name: new RegExp(`^turn ${second.id} .* later$`) }).waitFor();
	await diff.getByText("first").waitFor();
	await dashboard.isAccessible();
	await page.getByRole("button", { name: "Next turn" }).click();
	await page.getByText(`turn ${second.id} (2 of 2)`).waitFor();
	await items.getByRole("link", { name: new RegExp(`^turn ${second.id} .* selected$`) }).waitFor();
	await diff.getByText("second").waitFor();
	await page.getByRole("button", { name: "Fork from here" }).click();
	const dialog = page.getByRole("dialog", { name: /Fork traveller from item/ });
	// the refusal is where it can be read: nothing outside of a dialog can
	dashboard.expects(/409 .*\/fork$/);
	await dialog.getByLabel("Name").fill("traveller");
	await dialog.getByLabel("Name").press("Enter");
	await dialog.getByText("The name traveller has been used").waitFor();
	await dashboard.isAccessible();
});

test("the health of a workspace is looked at again after a recovery that was asked for elsewhere", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "patient" });
	rmSync(agent.workspace?.path ?? "", { recursive: true });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	// the changes cannot be read of files that are gone
	dashboard.expects(/404 .*\/diff/);
	await page.getByRole("tab", { name: "Workspace" }).click();
	await page.getByText("is gone.").waitFor();
	await world.client.call("recover", { ...params(agent), body: {} });
	await page.getByText("The workspace is healthy.").waitFor();
	expect(await page.getByText("is gone.").count()).toBe(0);
});
