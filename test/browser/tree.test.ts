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
	await world.turn(one, "write a.txt of one");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/tree");
	const { page } = dashboard;
	for (const name of ["one", "other"]) await rowOf(page, name).getByRole("checkbox").check({ force: true });
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
