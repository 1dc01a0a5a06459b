// An agent's page: what of its past it shows.
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
	// the end of a short conversation is on the screen too, and stays there
	await dashboard.go(`/agents/${short.id}?item=${(await world.items(short))[0]?.id}`);
	await items.waitFor();
	await newest.waitFor({ state: "detached" });
	// the control: without an item, the end is on the screen
	await dashboard.go(`/agents/${fork.id}`);
	await page.getByText("line 399", { exact: true }).waitFor();
	expect(await found.count()).toBe(0);
});
