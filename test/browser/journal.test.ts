// The journal has more events than a page shows, with a filter too, and a search finds more than it shows.
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import type { TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("all events of an agent are reached page by page, and all that a search finds on request", {
	timeout: 90_000,
}, async () => {
	const { add } = await world.project();
	const [agent, other] = [await add({ name: "talker", workspace: "none" }), await add({ name: "other" })];
	const lines = Array.from({ length: 250 }, (_, at) => `say okapi ${at}`);
	await world.turn(agent, lines.join("\n"));
	await world.turn(other, "say between");
	const { events } = await world.client.call("journal", { query: { agent: agent.id } });
	expect(events.length).toBeGreaterThan(200);
	await using dashboard = await Dashboard.open(browser, world.daemon, `/journal?agent=${agent.id}`);
	const { page } = dashboard;
	const ids = async (): Promise<number[]> =>
		(await page.locator(".journal-id").allTextContents()).map((text) => Number(text));
	const older = page.getByRole("button", { name: /^Older/ });
	await expect.poll(async () => (await ids()).length).toBe(200);
	const first = await ids();
	await older.click();
	await expect.poll(async () => (await ids())[0]).toBeLessThan(first.at(-1) ?? 0);
	expect([...first, ...(await ids())]).toEqual(events.map(({ id }) => id).toReversed());
	// control: now it is the beginning
	await page.getByRole("button", { name: /^Older.*This is the beginning of the journal/ }).waitFor();
	await dashboard.go("/journal?text=okapi");
	const found = page.getByRole("list", { name: "Found" }).getByRole("listitem");
	await page.getByText("These are the newest 200.").waitFor();
	expect(await found.count()).toBe(200);
	await dashboard.isAccessible();
	await older.click();
	const all = (await world.client.call("search", { query: { text: "okapi", limit: 1000 } })).found.length;
	await expect.poll(() => found.count()).toBe(all);
	expect(await page.getByText(/These are the newest/).count()).toBe(0);
});
