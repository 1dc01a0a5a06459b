// Issues: what their table, their pages and their texts show.
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import type { TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("the table says what an issue waits for, in the words of the board", async () => {
	const { slug } = await world.project();
	for (const body of [{ title: "First" }, { title: "Second", dependsOn: [1] }])
		await world.client.call("issueAdd", { params: { project: slug }, body });
	await world.client.call("issueMove", { params: { issue: `${slug}#1` }, body: { stage: "IN_PROGRESS" } });
	await world.client.call("issueMove", { params: { issue: `${slug}#1` }, body: { stage: "IN_REVIEW" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	const words = ["▤ waits for a review", "blocked by #1"];
	for (const each of words) await page.getByText(each, { exact: true }).waitFor();
	await page.getByRole("button", { name: "Show table" }).click();
	await page.getByRole("rowheader").first().waitFor();
	for (const each of words) await page.getByText(each, { exact: true }).waitFor();
	await dashboard.isAccessible();
});

test("an address that names no issue says so", async () => {
	const { slug } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues/abc`);
	await dashboard.page.getByRole("heading", { name: "There is no such issue." }).waitFor();
});

test("a list below an item is indented, below a task too", async () => {
	const { slug } = await world.project();
	const body = "- item\n  - below item\n\ntext\n\n- [ ] task\n  - below task";
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Lists", body } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues/1`);
	const left = async (text: string): Promise<number | undefined> =>
		(await dashboard.page.getByText(text, { exact: true }).boundingBox())?.x;
	await dashboard.page.getByText("below task").waitFor();
	expect(await left("below task")).toBe(await left("below item"));
});

test("a refusal goes when the same is done after all", async () => {
	const { slug } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	dashboard.expects(/ 500 /);
	const error = { code: "INTERNAL_ERROR", message: "It was refused.", details: {}, suggestions: [], retryable: false };
	await page.route("**/issues", (route) => route.fulfill({ status: 500, json: { error } }));
	await page.getByRole("button", { name: "Add an issue" }).click();
	await page.getByLabel("Title").fill("Once more");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByText("It was refused.").first().waitFor();
	await page.unroute("**/issues");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("link", { name: /Once more/ }).waitFor();
	await expect.poll(() => page.getByText("It was refused.").count()).toBe(0);
});
