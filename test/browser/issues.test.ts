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

test("while an issue is dragged all columns that refuse it say why, and so does the card over one of them", async () => {
	const { slug } = await world.project();
	for (const title of ["Dragged", "Second", "Third"])
		await world.client.call("issueAdd", { params: { project: slug }, body: { title } });
	await world.client.call("issueMove", { params: { issue: `${slug}#3` }, body: { stage: "IN_PROGRESS" } });
	await world.client.call("issueMove", { params: { issue: `${slug}#3` }, body: { stage: "IN_REVIEW" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	const column = (stage: string) => page.getByRole("region", { name: stage });
	const reasonIn = (stage: string) => column(stage).getByText(`#1 cannot go from TODO to ${stage}`);
	const top = async (): Promise<number | undefined> => (await page.getByText("Third").boundingBox())?.y;
	const before = await top();
	const { x = 0, y = 0 } = (await page.getByRole("button", { name: "Move #1" }).boundingBox()) ?? {};
	await page.mouse.move(x + 3, y + 3);
	await page.mouse.down();
	const to = async (stage: string): Promise<void> => {
		const box = (await column(stage).boundingBox()) ?? expect.unreachable();
		await page.mouse.move(box.x + 30, y + 3, { steps: 6 });
	};
	await to("IN_PROGRESS");
	await page.locator(".board-over").and(column("IN_PROGRESS")).waitFor();
	for (const stage of ["IN_REVIEW", "DONE"]) {
		await reasonIn(stage).waitFor();
		// nothing lies over it
		const isSeen = await reasonIn(stage).evaluate((said) => {
			const { left, top, width, height } = said.getBoundingClientRect();
			const points = [0.1, 0.5, 0.9].map((part) => [left + width / 2, top + height * part] as const);
			const { document } = Object(globalThis);
			return points.every(([across, down]) => said.contains(document.elementFromPoint(across, down)));
		});
		expect(isSeen).toBe(true);
	}
	expect(await page.getByText(/cannot go/).count()).toBe(2);
	expect(await top(), "what is below the reasons stays where it is").toBe(before);
	await dashboard.isAccessible();
	// the column's own reason is behind the card
	await to("IN_REVIEW");
	await page.locator(".board-over").and(column("IN_REVIEW")).waitFor();
	await page.locator(".card-carried").getByText("#1 cannot go from TODO to IN_REVIEW").waitFor();
	await dashboard.isAccessible();
	await page.keyboard.press("Escape");
	await page.mouse.up();
	await page
		.getByText(/cannot go/)
		.first()
		.waitFor({ state: "detached" });
	expect((await world.client.call("issue", { params: { issue: `${slug}#1` } })).stage).toBe("TODO");
});
