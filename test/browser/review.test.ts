// Comments on lines of a review: where they are kept, and how they are written.
import { mkdirSync, writeFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { at } from "#test/support/in-workspace.ts";
import { params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

/** An agent that starts no turns, with a file of so many lines to review. */
async function agentWithLines(name: string, count: number): Promise<Agent> {
	const { add } = await world.project({ "README.md": "one\n" });
	const agent = await add({ name });
	writeFileSync(at(agent, "a.txt"), Array.from({ length: count }, (_, line) => `line ${line + 1}\n`).join(""));
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await world.client.call("pause", { ...params(agent), body: {} });
	return agent;
}

async function comment(page: Page, line: number, text: string): Promise<void> {
	await page.getByRole("button", { name: `Comment on line ${line} of a.txt`, exact: true }).click();
	await page.getByLabel(`Comment on line ${line}`, { exact: true }).fill(text);
	await page.getByRole("button", { name: "Add the comment" }).click();
}

test("a comment on a file that is marked as viewed is written, though the file is folded", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "folded" });
	await world.turn(agent, "write a.txt two\ncommit Two");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	await page.getByRole("checkbox", { name: "Viewed: a.txt" }).check();
	await page.getByRole("button", { name: "Comment a.txt" }).click();
	await page.getByLabel("Comment on a.txt").fill("Why two?");
	await page.getByRole("button", { name: "Add the comment" }).click();
	await page.getByRole("button", { name: "Send 1 to the agent" }).waitFor();
});

test("two tabs on a review have the same comments, and each comment is sent once", async () => {
	const agent = await agentWithLines("twice", 3);
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const tabs = [dashboard.page, await dashboard.tab(`/agents/${agent.id}/review`)] as const;
	await comment(tabs[0], 1, "From the first tab.");
	await tabs[1].getByText("From the first tab.").first().waitFor();
	await comment(tabs[1], 2, "From the second tab.");
	for (const page of tabs) await page.getByRole("button", { name: "Send 2 to the agent" }).waitFor();
	// the second tab sends while the first one's request is on its way
	const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	await tabs[0].route("**/review", async (route) => {
		if (route.request().method() === "POST") {
			asked.resolve();
			await answered.promise;
		}
		await route.continue();
	});
	await tabs[0].getByRole("button", { name: "Send 2 to the agent" }).click();
	await asked.promise;
	await tabs[1].getByRole("button", { name: "Send 2 to the agent" }).click();
	answered.resolve();
	await tabs[1].getByText("Another tab has sent these comments.").waitFor();
	await tabs[1].getByRole("heading", { name: /Comments/ }).waitFor({ state: "detached" });
	const queued = await world.client.call("queue", params(agent));
	expect(queued.map(({ text }) => text)).toEqual([
		expect.stringMatching(/From the first tab\..*From the second tab\./s),
	]);
	await dashboard.go(`/agents/${agent.id}/review`);
	await tabs[0].getByRole("treeitem", { name: /a\.txt/ }).waitFor();
	expect(await tabs[0].getByText("From the first tab.").count()).toBe(0);
});

test("a comment box below the last line takes what is typed, and gives the focus back to the number of its line", async () => {
	const agent = await agentWithLines("last", 5);
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	const last = page.getByRole("button", { name: "Comment on line 5 of a.txt", exact: true });
	await last.click();
	await page.locator("textarea:focus").waitFor();
	await page.keyboard.type("n? Say why.");
	await page.keyboard.press("Control+Enter");
	await page.getByRole("button", { name: "Send 1 to the agent" }).waitFor();
	await page.getByRole("group", { name: "Diff" }).getByText("n? Say why.", { exact: true }).waitFor();
	expect(await last.evaluate((button) => button.matches(":focus"))).toBe(true);
	// a second one is below the first
	await page.keyboard.press("Enter");
	await page.locator("textarea:focus").waitFor();
	await page.keyboard.press("Escape");
	expect(await last.evaluate((button) => button.matches(":focus"))).toBe(true);
});

test("on a phone a comment is for a range of lines, and line numbers are large enough for a finger", async () => {
	const agent = await agentWithLines("thumb", 9);
	const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`, phone);
	const { page } = dashboard;
	const number = page.getByRole("button", { name: "Comment on line 2 of a.txt", exact: true });
	await number.tap();
	expect((await number.boundingBox())?.height).toBeGreaterThanOrEqual(24);
	await page.getByLabel("to line").fill("4");
	await page.getByLabel("Comment on line 2", { exact: true }).tap();
	await page.getByLabel("Comment on lines 2 to 4").fill("Why?");
	await dashboard.isAccessible();
	// pressed from the field itself
	await page.getByLabel("to line").fill("5");
	await page.getByRole("button", { name: "Add the comment" }).tap();
	await page.getByText("a.txt:2–5").first().waitFor();
});

test("a review names the strategy and odd files, keeps its layout, and shows why the check refused an approve", async () => {
	const { slug, add } = await world.project({ "a.txt": "one\n", ".brood.yaml": "check: seq 1 200; exit 1\n" });
	const { fingerprint } = await world.client.call("projectSettings", { params: { project: slug } });
	await world.client.call("projectApprove", { params: { project: slug }, body: { fingerprint: fingerprint ?? "" } });
	const [agent, idle] = [await add({ name: "checked" }), await add({ name: "idle" })];
	writeFileSync(at(agent, "new\nline.txt"), "two\n");
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	await page.getByRole("treeitem", { name: /new␊line\.txt/ }).waitFor();
	await page.getByRole("option", { name: "the project's strategy (merge)" }).waitFor({ state: "attached" });
	await page.getByRole("button", { name: "Show inline" }).click();
	await page.reload();
	await page.getByRole("button", { name: "Show side by side" }).waitFor();
	dashboard.expects(/409 .*\/approve$/);
	await page.getByRole("button", { name: "Approve", exact: true }).click();
	const output = page.getByRole("group").filter({ hasText: "the check failed (exit 1)" }).locator("pre");
	await output.filter({ hasText: "200" }).waitFor();
	const room = async () =>
		await output.evaluate(({ scrollTop, clientHeight, scrollHeight, clientWidth }) => ({
			isAtEnd: scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1,
			isWide: clientWidth > 800,
		}));
	await expect.poll(room).toEqual({ isAtEnd: true, isWide: true });
	await dashboard.isAccessible();
	// nothing is asked that would be refused: no error is logged
	await dashboard.go(`/agents/${idle.id}/review`);
	await page.getByText("There is nothing to merge.").first().waitFor();
	await page.getByRole("button", { name: /Approve.*There is nothing to merge/ }).waitFor();
});

test("a file is found by its name, also among few", async () => {
	const agent = await agentWithLines("finder", 3);
	writeFileSync(at(agent, "b.txt"), "one\n");
	await world.client.call("commit", { ...params(agent), body: { message: "more" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const rows = dashboard.page.getByRole("tree", { name: "Changed files" }).getByRole("treeitem");
	await expect.poll(() => rows.count()).toBe(2);
	await dashboard.page.getByRole("searchbox", { name: "Find a file" }).fill("b");
	await expect.poll(() => rows.count()).toBe(1);
	await dashboard.isAccessible();
});

test("the files of a review are a tree in the order of the diff, and keys walk and collapse it", async () => {
	const agent = await agentWithLines("sorter", 3);
	mkdirSync(at(agent, "src/api/v2"), { recursive: true });
	for (const path of ["src/api/v2/deep.ts", "src/main.ts", "src/z.ts"]) writeFileSync(at(agent, path), "one\n");
	await world.client.call("commit", { ...params(agent), body: { message: "more" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	const tree = page.getByRole("tree", { name: "Changed files" });
	await tree.getByRole("treeitem", { name: /z\.ts/ }).waitFor();
	const rows = async (): Promise<string[]> =>
		await tree
			.getByRole("treeitem")
			.evaluateAll((all) =>
				all.map((row) => `${row.getAttribute("aria-level")} ${row.querySelector(".mono")?.textContent}`),
			);
	const whole = ["1 a.txt", "1 src/", "2 api/v2/", "3 deep.ts", "2 main.ts", "2 z.ts"];
	await expect.poll(rows).toEqual(whole);
	const inDiff = await page
		.getByRole("group", { name: "Diff" })
		.getByText(/^Viewed: /)
		.allTextContents();
	expect(inDiff.map((head) => head.replace("Viewed: ", ""))).toEqual([
		...["a.txt", "src/api/v2/deep.ts", "src/main.ts", "src/z.ts"],
	]);
	const leftOf = async (text: string): Promise<number> => (await tree.getByText(text).boundingBox())?.x ?? 0;
	expect((await leftOf("deep.ts")) - (await leftOf("api/v2/"))).toBeGreaterThan(8);
	const current = async (): Promise<string | null> =>
		await page.locator(`[id="${await tree.getAttribute("aria-activedescendant")}"] .mono`).textContent();
	const press = async (...keys: string[]): Promise<string | null> => {
		for (const key of keys) await tree.press(key);
		return await current();
	};
	// from a file to its folder and to the one above, which hides all that is below it
	expect(await press("Home", "ArrowDown", "ArrowDown", "ArrowDown")).toBe("deep.ts");
	expect(await press("ArrowRight")).toBe("deep.ts");
	expect(await press("ArrowLeft")).toBe("api/v2/");
	expect(await press("ArrowLeft", "ArrowLeft")).toBe("src/");
	await expect.poll(rows).toEqual(whole.filter((row) => row !== "3 deep.ts"));
	await press("ArrowLeft");
	await expect.poll(rows).toEqual(["1 a.txt", "1 src/"]);
	await tree.getByRole("treeitem", { name: /src\/.*3/, expanded: false, level: 1 }).waitFor();
	await dashboard.isAccessible();
	// what was collapsed below it still is
	expect(await press("ArrowRight", "ArrowRight", " ")).toBe("api/v2/");
	await expect.poll(rows).toEqual(whole);
	await page.getByRole("searchbox", { name: "Find a file" }).fill("deep SRC");
	await expect.poll(rows).toEqual(["1 src/api/v2/", "2 deep.ts"]);
	await dashboard.isAccessible();
});
