// The agent tree and the turns of forks, against a real daemon.
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

const rowOf = (page: Page, name: string) =>
	page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

test("the comparison of two agents is made again when the files of either change", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const one = await add({ name: "one" });
	const other = await add({ name: "other" });
	await using dashboard = await Dashboard.open(browser, world.daemon, "/tree");
	const { page } = dashboard;
	for (const name of ["one", "other"]) await rowOf(page, name).getByRole("checkbox").check({ force: true });
	await page.getByText("0 files differ").waitFor();
	await page.getByRole("button", { name: /^Diff.*Their files do not differ\.$/ }).waitFor();
	await world.turn(one, "write a.txt of one");
	await page.getByText("1 file differs").waitFor();
	await world.turn(one, "write b.txt of one");
	await page.getByText("2 files differ").waitFor();
	await world.turn(other, "write c.txt of the other");
	await page.getByText("3 files differ").waitFor();
	await page.getByRole("button", { name: "Diff", exact: true }).click();
	await page.getByRole("dialog").getByText("c.txt").first().waitFor();
});

test("a turn of the inherited part leads to the agent whose turn it is; of another agent's turn a page says so", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const parent = await add({ name: "parent" });
	const { id: turn } = await world.turn(parent, "write a.txt inherited");
	const child = await world.client.call("fork", { ...params(parent), body: { name: "child" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${child.id}?turn=${turn}`);
	const { page } = dashboard;
	// it has no turn of its own yet
	await page.getByText(`turn ${turn} is not one of child's turns`).waitFor();
	await dashboard.isAccessible();
	expect(await page.getByText("No snapshot was taken").count()).toBe(0);
	await page.getByRole("button", { name: "Back to now" }).click();
	await page.getByText("is not one of").waitFor({ state: "detached" });
	await page.getByRole("link", { name: new RegExp(`^turn ${turn} `) }).click();
	await page.getByRole("heading", { level: 1, name: /parent$/ }).waitFor();
	await page.getByText(`turn ${turn} (1 of 1)`).waitFor();
	await page.getByRole("group", { name: "Diff" }).getByText("inherited").waitFor();
});

test("the tree says that the turns could not be read, and reads them again", async () => {
	const { add } = await world.project();
	await add({ name: "unread", workspace: "none" });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/500 .*\/api\/journal|status of 500/);
	const error = { code: "INTERNAL_ERROR", message: "It failed.", retryable: true, details: {}, suggestions: [] };
	await page.route("**/api/journal*", (route) => route.fulfill({ status: 500, json: { error } }));
	await dashboard.go("/tree");
	await rowOf(page, "unread").waitFor();
	await page.getByText("The turns could not be read.").waitFor();
	await dashboard.isAccessible();
	await page.unroute("**/api/journal*");
	await page.getByText("The turns could not be read.").waitFor({ state: "detached" });
});

test("whoever comes back to the tree is where they were", async () => {
	const { add } = await world.project();
	const above = await add({ name: "above", workspace: "none" });
	await world.client.call("fork", { ...params(above), body: { name: "below" } });
	const last = await add({ name: "last", workspace: "none" });
	await using dashboard = await Dashboard.open(browser, world.daemon, "/tree");
	const { page } = dashboard;
	const grid = page.getByRole("treegrid");
	await rowOf(page, "above").getByRole("gridcell").last().click();
	await grid.focus();
	await page.keyboard.press("ArrowLeft");
	await rowOf(page, "below").waitFor({ state: "detached" });
	await page.keyboard.press("x");
	await rowOf(page, "last").getByRole("gridcell").last().click();
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { level: 1, name: /last$/ }).waitFor();
	await page.goBack();
	await page.getByText("above is selected.").waitFor();
	expect(await rowOf(page, "below").count()).toBe(0);
	expect(await grid.getAttribute("aria-activedescendant")).toBe(`row-${last.id}`);
	await page.locator("[role=treegrid]:focus").waitFor();
});

test("on a phone the box that selects an agent for comparison is there without a tap, and large enough for a finger", async () => {
	const { add } = await world.project();
	await add({ name: "thumbed", workspace: "none" });
	const open = async (options: { viewport?: { width: number; height: number }; hasTouch?: boolean }) =>
		await Dashboard.open(browser, world.daemon, "/tree", options);
	await using phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
	await using narrow = await open({ viewport: { width: 700, height: 800 } });
	await using desk = await open({});
	const seen = async ({ page }: Dashboard): Promise<string> =>
		await rowOf(page, "thumbed")
			.getByRole("checkbox")
			.evaluate((box) => Reflect.get(globalThis, "getComputedStyle")(box).opacity);
	for (const dashboard of [phone, narrow]) {
		expect(await seen(dashboard)).toBe("1");
		await dashboard.isAccessible();
	}
	const box = rowOf(phone.page, "thumbed").getByRole("checkbox");
	expect((await box.boundingBox())?.height).toBeGreaterThanOrEqual(20);
	await box.tap();
	await phone.page.getByText("thumbed is selected.").waitFor();
	// control: where there is a pointer that hovers, it comes with it
	expect(await seen(desk)).toBe("0");
});
