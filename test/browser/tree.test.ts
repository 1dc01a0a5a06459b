// The agent tree and the turns of forks, against a real daemon.
import type { Browser, Page } from "playwright-core";
import { test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import type { TestDaemon } from "#test/support/test-daemon.ts";

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
