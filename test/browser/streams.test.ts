// What tabs share: one stream for ten of them, two browsers at once, and a daemon that is restarted in mid-stream.
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { longTimeout, params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

/** The code of the journal does not come until the end. */
async function blockJournal(page: Page): Promise<{ end(): Promise<void> }> {
	const code = "**/assets/journal-page*";
	await page.route(code, (route) => route.abort());
	return { end: async () => await page.unroute(code) };
}

/** How often each numbered line is on the page. */
const counted = async (page: Page, numbers: readonly number[]): Promise<number[]> =>
	await Promise.all(numbers.map(async (each) => await page.getByText(`number ${each}.`, { exact: true }).count()));

test("two browsers show every line once, also when the daemon is restarted in mid-stream", {
	timeout: 90_000,
}, async () => {
	const { add } = await world.project();
	const agent = await add({ name: "counter", workspace: "none" });
	const path = `/agents/${agent.id}`;
	await using one = await Dashboard.open(browser, world.daemon, path);
	await using other = await Dashboard.open(browser, world.daemon, path);
	for (const dashboard of [one, other]) dashboard.expects(/ERR_|Failed to (fetch|load)/);
	// the daemon is ended in the middle of a turn
	await world.client.call("prompt", { ...params(agent), body: { text: "say number 1.\nsay number 2.\nsleep 60000" } });
	for (const { page } of [one, other]) await page.getByText("number 2.", { exact: true }).waitFor();
	const { url } = world.daemon;
	await world.restart();
	expect(world.daemon.url).toBe(url);
	await world.client.call("resume", { ...params(agent), body: {} });
	await world.turn(agent, "say number 3.\nsay number 4.");
	for (const { page } of [one, other]) {
		await page.getByText("number 4.", { exact: true }).waitFor({ timeout: 30_000 });
		await expect.poll(() => counted(page, [1, 2, 3, 4]), { timeout: 15_000 }).toEqual([1, 1, 1, 1]);
	}
	expect((await world.client.call("agent", params(agent))).turn).toBeNull();
});

test("a running call shows what it prints: the last line in the overview, the last lines when it is opened", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "printer", prompt: "run seq 101 130; printf '\\033[31mred\\n'; sleep 300" });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	await page
		.getByRole("region", { name: /Running/ })
		.getByText("␛[31mred")
		.waitFor();
	await dashboard.go(`/agents/${agent.id}`);
	await page.getByText("running …").click();
	const output = page.locator("pre", { hasText: "␛[31mred" });
	await output.waitFor();
	const last = Array.from({ length: 19 }, (_, at) => `${112 + at}`);
	expect(await output.textContent()).toBe([...last, "␛[31mred"].join("\n"));
	await world.client.call("kill", { ...params(agent), body: {} });
	await page.getByText("cut off").or(page.getByText("killed")).first().waitFor();
});

test("ten tabs load, share one stream and are all live", { timeout: 90_000 }, async () => {
	const { add } = await world.project();
	const agent = await add({ name: "watched", workspace: "none" });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const streaming = new Set<Page>();
	dashboard.context.on("request", (request) => {
		if (request.url().includes("/api/events")) streaming.add(request.frame().page());
	});
	// browsers allow six connections to a server: with a stream for each, the seventh would never load
	const tabs: Page[] = [];
	for (let at = 0; at < 9; at++) {
		const tab = await dashboard.tab(`/agents/${agent.id}`);
		await tab
			.getByRole("heading", { name: /watched/ })
			.first()
			.waitFor();
		tabs.push(tab);
	}
	await world.turn(agent, "say number 7.");
	for (const page of [dashboard.page, ...tabs]) await page.getByText("number 7.", { exact: true }).first().waitFor();
	// the first tab leads: it may open its stream again for another thread, and no other tab has one
	expect(tabs.filter((tab) => streaming.has(tab))).toEqual([]);
	// the control: when it is closed, another takes over, and all go on
	await dashboard.page.close();
	await world.turn(agent, "say number 8.");
	for (const page of tabs) await page.getByText("number 8.", { exact: true }).first().waitFor();
	expect(tabs.filter((tab) => streaming.has(tab))).toHaveLength(1);
});

test("without the daemon a page keeps what it had, says so and sends nothing; unknown and broken data are said too", {
	timeout: 90_000,
}, async () => {
	const { add, slug } = await world.project();
	const agent = await add({ name: "kept", workspace: "none", prompt: "say number 9." });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	dashboard.expects(/ERR_|Failed to (fetch|load)|404|is not valid JSON|Unexpected token|is not a function/);
	await page.getByText("number 9.", { exact: true }).waitFor();
	for (const [to, says] of [
		[`/agents/${"x".repeat(22)}`, "There is no such agent."],
		[`/projects/${slug}/issues/99`, /There is no issue/],
		["/projects/unknown/issues", "There is no such project."],
		["/nowhere", "There is no such page."],
		["/agents", "Add an agent"],
	] as const) {
		await dashboard.go(to);
		await page.getByText(says).first().waitFor();
		// a phone has no such key
		expect(await page.getByRole("main").getByText("⌘K").count()).toBe(0);
		await dashboard.isAccessible();
	}
	// an answer that is none
	await page.route("**/api/vendors*", (route) => route.fulfill({ status: 200, body: "<html>proxy</html>" }));
	await dashboard.go("/settings");
	await page.getByRole("alert").first().waitFor();
	await page
		.getByRole("region", { name: /Signed-in browsers/ })
		.getByText("· this browser")
		.waitFor();
	await dashboard.isAccessible();
	// one that a page cannot show: the others can
	await page.unroute("**/api/vendors*");
	await page.route("**/api/vendors*", (route) => route.fulfill({ status: 200, json: { data: { no: "list" } } }));
	await dashboard.go("/settings");
	await page.getByText("This page could not be displayed.").waitFor();
	await dashboard.isAccessible();
	await page.getByRole("link", { name: "Inbox" }).click();
	await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
	const blocked = await blockJournal(page);
	await dashboard.go(`/agents/${agent.id}`);
	await page.getByText("number 9.", { exact: true }).waitFor();
	await world.restart(async () => {
		await page.getByText(/no daemon for/).waitFor();
		await page.getByText("number 9.", { exact: true }).waitFor();
		await page.getByRole("textbox", { name: "Prompt for kept" }).fill("say number 10.");
		await page.keyboard.press("Enter");
		await page.getByRole("textbox", { name: "Prompt for kept" }).waitFor();
		await dashboard.isAccessible();
		// a page whose code did not come before
		await page.getByRole("link", { name: "Journal" }).click();
		await page.getByText("This page could not be loaded.").waitFor();
		await dashboard.isAccessible();
		await blocked.end();
	});
	await page.getByText("● live").waitFor({ timeout: 30_000 });
	await page.getByRole("heading", { level: 1, name: "Journal" }).waitFor();
	await page.goBack();
	// what could not be sent is still there
	expect(await page.getByRole("textbox", { name: "Prompt for kept" }).inputValue()).toBe("say number 10.");
});

test("a daemon that refuses for now is asked again, and the page says why meanwhile", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/ 503 /);
	const error = {
		code: "STORE_UNAVAILABLE",
		message: "The database is away.",
		details: {},
		suggestions: ["brood doctor"],
	};
	await page.route("**/api/rows*", (route) => route.fulfill({ status: 503, json: { error } }));
	await dashboard.go("/tree");
	const banner = page.getByRole("alert").filter({ hasText: "The daemon has refused to answer for" });
	await banner.getByText("It says: The database is away. It is asked again until it answers.").waitFor();
	await banner.getByText("brood doctor").waitFor();
	await page.getByRole("status").filter({ hasText: "refused for" }).waitFor();
	// a link would not help
	expect(await page.getByText("brood ui").count()).toBe(0);
	await dashboard.isAccessible();
	await page.unroute("**/api/rows*");
	await page.getByRole("row", { name: /init/ }).waitFor();
	await banner.waitFor({ state: "detached" });
});

test("a prompt that is on its way is shown; a browser without a network says so, and heals when it is back", {
	timeout: 90_000,
}, async () => {
	const { add } = await world.project();
	const agent = await add({ name: "distant", workspace: "none" });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	dashboard.expects(/ERR_|Failed to (fetch|load)/);
	const blocked = await blockJournal(page);
	await page.reload();
	const box = page.getByRole("textbox", { name: "Prompt for distant" });
	const held = Promise.withResolvers<void>();
	await page.route("**/queue", async (route) => {
		await held.promise;
		await route.abort();
	});
	await box.fill("say number 11.");
	await box.press("Enter");
	await page.getByText("sending… say number 11.").waitFor();
	await dashboard.isAccessible();
	// also when the page was left meanwhile
	await page.getByRole("link", { name: "Overview" }).click();
	await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	await page.goBack();
	await page.getByText("sending… say number 11.").waitFor();
	held.resolve();
	// what could not be sent is back in the box
	await expect.poll(async () => await box.inputValue()).toBe("say number 11.");
	await page.getByText("sending…").waitFor({ state: "detached" });
	await page.unroute("**/queue");
	// the code of pages comes one after the other while the browser is idle: that of the subscriptions before this
	const loaded = async (): Promise<string[]> =>
		await page.evaluate(() =>
			Reflect.get(globalThis, "performance")
				.getEntriesByType("resource")
				.map(({ name }: { name: string }) => name),
		);
	await expect.poll(loaded, longTimeout).toContainEqual(expect.stringContaining("/settings-page"));
	await dashboard.context.setOffline(true);
	await box.press("Enter");
	await page
		.getByText(/^DAEMON_UNREACHABLE The daemon did not answer/)
		.first()
		.waitFor();
	await page.getByRole("link", { name: "Subscriptions" }).click();
	await page.getByRole("heading", { level: 1, name: "Subscriptions" }).waitFor();
	await page.getByRole("link", { name: "Journal" }).click();
	await page.getByText("This browser is offline.").waitFor();
	await blocked.end();
	await dashboard.context.setOffline(false);
	await page.getByRole("heading", { level: 1, name: "Journal" }).waitFor();
});

test("what the overview cannot know it does not say: of a daemon that fails, is gone or cannot be read", {
	timeout: 90_000,
}, async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/ERR_|Failed to (fetch|load)|500|is not valid JSON|Unexpected token/);
	await page.getByText("no problems").waitFor();
	await world.restart(async () => {
		await page.getByText(/no daemon for/).waitFor();
		await page.getByText("health unknown").waitFor();
		expect(await page.getByText("no problems").count()).toBe(0);
	});
	await page.getByText("no problems").waitFor({ timeout: 30_000 });
	const error = { code: "INTERNAL_ERROR", message: "Something failed.", retryable: true, details: {}, suggestions: [] };
	for (const path of ["**/api/status", "**/api/usage*"])
		await page.route(path, (route) => route.fulfill({ status: 500, json: { error } }));
	await page.reload();
	await page.getByText("health unknown").waitFor();
	await page.getByText("cost unknown").waitFor();
	await dashboard.isAccessible();
	await page.route("**/api/rows*", (route) => route.fulfill({ status: 200, body: "<html>proxy</html>" }));
	await page.reload();
	await page.getByText("✗ unreadable answers").waitFor();
	await dashboard.isAccessible();
});

test("an event stream that cannot be read is not called a daemon that does not answer", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	const banner = page.getByRole("alert").filter({ hasText: "The daemon's answers could not be read for" });
	for (const body of ["<html>proxy</html>", "id: 1\ndata: {nonsense\n\n"]) {
		await dashboard.context.route("**/api/events*", (route) =>
			route.fulfill({ status: 200, contentType: "text/event-stream", body }),
		);
		await page.reload();
		await banner.waitFor();
		await page.getByText("✗ unreadable answers").waitFor();
		expect(await page.getByText(/no daemon for|has not answered/).count()).toBe(0);
		await dashboard.isAccessible();
		await dashboard.context.unroute("**/api/events*");
		await page.getByText("● live").waitFor();
		await banner.waitFor({ state: "detached" });
	}
});
