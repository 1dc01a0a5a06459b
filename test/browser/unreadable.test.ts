// What the dashboard could not read: it says so, asks again by itself where that may help, and on request.
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type RefusalCode, refusalCodes, refuse } from "#contract/refusal.ts";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

/** The daemon refuses what these addresses are asked, until the answer is called. */
async function refused(page: Page, pattern: RegExp, code: RefusalCode, message: string): Promise<() => Promise<void>> {
	const { status } = refusalCodes[code];
	await page.route(pattern, (route) => route.fulfill({ status, json: { error: refuse(code, message) } }));
	return async () => await page.unroute(pattern);
}

const older = /\/items\?.*before=/;

test("a conversation whose older items cannot be read says so and why, and has them on request", async () => {
	const { add } = await world.project();
	const root = await add({ name: "root", workspace: "none" });
	await world.turn(root, "say early words");
	const child = await world.client.call("fork", { ...params(root), body: { name: "child", prompt: "say own words" } });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/500 .*\/items/);
	const heal = await refused(page, older, "HISTORY_BROKEN", "The items of root are gone.");
	const asked: string[] = [];
	page.on("request", (request) => void (older.test(request.url()) && asked.push(request.url())));
	await dashboard.go(`/agents/${child.id}`);
	const items = page.getByRole("group", { name: "Items" });
	const said = items.getByRole("alert").filter({ hasText: "Earlier items could not be read." });
	await said.getByText("HISTORY_BROKEN").waitFor();
	await said.getByText("The items of root are gone.").waitFor();
	await items.getByText("own words", { exact: true }).waitFor();
	expect(await items.getByText("Inherited from").count()).toBe(0);
	await dashboard.isAccessible();
	// what would be refused again is asked for on request only
	await said.getByRole("button", { name: "Try again" }).click();
	await expect.poll(() => asked.length).toBe(2);
	await expect.poll(() => said.getByRole("button", { name: "Try again" }).getAttribute("aria-busy")).toBe("false");
	expect(asked).toHaveLength(2);
	await heal();
	await said.getByRole("button", { name: "Try again" }).click();
	await items.getByText("Inherited from").waitFor();
	await items.getByText("early words", { exact: true }).waitFor();
	expect(await said.count()).toBe(0);
});

test("older items that could not be read for a moment are read again", async () => {
	const { add } = await world.project();
	const root = await add({ name: "fleeting", workspace: "none" });
	await world.turn(root, "say early words");
	const child = await world.client.call("fork", { ...params(root), body: { name: "heir", prompt: "say own words" } });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/500 .*\/items|ERR_FAILED/);
	const items = page.getByRole("group", { name: "Items" });
	const said = items.getByRole("alert").filter({ hasText: "Earlier items could not be read." });
	const heal = await refused(page, older, "INTERNAL_ERROR", "Something failed.");
	await dashboard.go(`/agents/${child.id}`);
	await said.getByText("Something failed.").waitFor();
	await heal();
	await items.getByText("early words", { exact: true }).waitFor();
	await said.waitFor({ state: "detached" });
	// also if nobody answered
	await page.route(older, (route) => route.abort());
	await dashboard.go(`/agents/${child.id}`);
	await said.getByText("The daemon did not answer.").waitFor();
	await page.unroute(older);
	await items.getByText("early words", { exact: true }).waitFor();
	await said.waitFor({ state: "detached" });
});

test("an answer that is none is not called a daemon that does not answer", async () => {
	const { add } = await world.project();
	const root = await add({ name: "behind", workspace: "none" });
	await world.turn(root, "say early words");
	const child = await world.client.call("fork", { ...params(root), body: { name: "proxy", prompt: "say own words" } });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	for (const body of ["<html>proxy</html>", '{ "data": [{"broken'])
		for (const [path, shown, pattern] of [
			["/settings", page.getByRole("region", { name: "Vendors' agents" }), /\/api\/vendors/],
			[`/agents/${child.id}`, page.getByRole("group", { name: "Items" }), older],
		] as const) {
			await page.route(pattern, (route) => route.fulfill({ status: 200, body }));
			await dashboard.go(path);
			const alert = shown.getByRole("alert");
			await alert.getByText("The daemon's answer could not be read.").waitFor();
			await page.getByText("● live").waitFor();
			expect(await alert.getByText("did not answer").count()).toBe(0);
			await page.unroute(pattern);
			// by itself
			await alert.waitFor({ state: "detached" });
		}
});

test("what was refused for a moment is read again on request, and when the daemon is back", {
	timeout: 90_000,
}, async () => {
	const { add, slug } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "worker" });
	await world.turn(agent, "write a.txt two\ncommit Two\nsay the okapi sleeps");
	const { number } = await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Feed it" } });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/500|ERR_|Failed to (fetch|load)/);
	const issue = [
		`/projects/${slug}/issues/${number}`,
		/\/api\/issues\/[^/]+$/,
		page.getByRole("heading", { name: "Feed it" }),
	] as const;
	for (const [path, pattern, shown] of [
		issue,
		[`/agents/${agent.id}/review`, /\/api\/.*\/diff/, page.getByRole("heading", { name: "Review worker" })],
		["/journal?text=okapi", /\/api\/search/, page.getByRole("list", { name: "Found" })],
	] as const) {
		const heal = await refused(page, pattern, "INTERNAL_ERROR", "Something failed.");
		await dashboard.go(path);
		const alert = page.getByRole("alert").filter({ hasText: "INTERNAL_ERROR Something failed." });
		await alert.waitFor();
		await dashboard.isAccessible();
		await heal();
		await alert.getByRole("button", { name: "Try again" }).click();
		await shown.waitFor();
		expect(await alert.count()).toBe(0);
	}
	const [path, pattern, shown] = issue;
	const heal = await refused(page, pattern, "INTERNAL_ERROR", "Something failed.");
	await dashboard.go(path);
	await page.getByRole("alert").waitFor();
	await heal();
	await world.restart(async () => await page.getByText(/no daemon for/).waitFor());
	await shown.waitFor({ timeout: 30_000 });
});

test("a form or bar works without what it could not read, says so, and has it on request", {
	timeout: 90_000,
}, async () => {
	const { add, slug } = await world.project({ "a.txt": "one\n" });
	const [writes, committed] = [await add({ name: "writes" }), await add({ name: "committed" })];
	await world.turn(writes, "write a.txt two");
	await world.turn(committed, "write a.txt two\ncommit Two");
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/500/);
	const press = (name: string) => page.getByRole("button", { name, exact: true });
	const open = async (path: string, ...buttons: string[]): Promise<void> => {
		await dashboard.go(path);
		for (const name of buttons) await press(name).click();
	};
	const options = (label: string, name: string) =>
		page.getByLabel(label).getByRole("option", { name: new RegExp(name) });
	const [agent, review] = [`/agents/${writes.id}`, `/agents/${committed.id}/review`];
	const cases = [
		["The vendors' agents", /\/api\/vendors/, () => open("/agents/new"), options("Agent type", "Claude Code")],
		[
			...(["The vendors' agents", /\/api\/vendors/] as const),
			() => open("/subscriptions", "Add a subscription"),
			options("Agent type", "Claude Code"),
		],
		[
			"The presets",
			/\/presets/,
			() => open(`/projects/${slug}/issues`, "Add an issue"),
			options("Preset", "quick-fix"),
		],
		["The merge", /\/merge-preview/, () => open(review), page.getByText("no conflicts")],
		["Earlier turns", /\/turns/, () => open(agent), null],
		[
			"The changes",
			/against=index/,
			() => open(agent, "More actions", "Commit …"),
			page.getByRole("dialog").getByText("a.txt"),
		],
	] as const;
	for (const [what, pattern, go, shown] of cases) {
		const heal = await refused(page, pattern, "INTERNAL_ERROR", "Something failed.");
		await go();
		const note = page.getByRole("status").filter({ hasText: `${what}: Something failed.` });
		await note.waitFor();
		expect(await shown?.count()).not.toBe(1);
		await dashboard.isAccessible();
		await heal();
		await note.getByRole("button", { name: `Try again ${what}` }).click();
		await shown?.first().waitFor({ state: "attached" });
		await note.waitFor({ state: "detached" });
		expect(await note.count()).toBe(0);
	}
});

test("a daemon whose health cannot be read does not look like one that does not know this browser", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	dashboard.expects(/ (401|503) /);
	const health = /\/api\/health/;
	const error = refuse("STORE_UNAVAILABLE", "The database is away.");
	for (const answer of [{ status: 503, json: { error } }, { json: {} }, { json: { proofNonce: 5 } }]) {
		await page.route(health, (route) => route.fulfill(answer));
		await dashboard.go("/inbox");
		await page.getByRole("status").filter({ hasText: "no daemon for" }).waitFor();
		expect(await page.getByText("This browser is not signed in.").count()).toBe(0);
		await page.unroute(health);
		await page.getByText("● live").waitFor();
	}
});
