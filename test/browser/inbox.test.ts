// Questions that are answered while others move into their place.
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { longTimeout, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("a second click on Allow does not answer the question that moved there, in the inbox and in the overview", async () => {
	const { add, slug } = await world.project();
	for (const name of ["first", "second", "third", "fourth", "fifth"])
		await add({ name, workspace: "none", prompt: "ask May I?" });
	const open = async () => (await world.client.call("approvals", { query: { project: slug } })).length;
	await expect.poll(open, longTimeout).toBe(5);
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	for (const [to, count] of [
		["/inbox", 5],
		["/", 3],
	] as const) {
		await dashboard.go(to);
		const allow = page.getByRole("button", { name: /^Allow/ });
		await expect.poll(() => allow.count(), longTimeout).toBe(count);
		const { x = 0, y = 0 } = (await allow.first().boundingBox()) ?? {};
		const hit = await watchPoint(page, { x: x + 5, y: y + 5 });
		await page.mouse.click(x + 5, y + 5);
		expect(await hit(), "what a second click would press as soon as the question is gone").toBe("");
		expect(await open()).toBe(count - 1);
		// the next one is there, and takes clicks once it has stood for a moment
		expect(await allow.first().boundingBox()).toMatchObject({ x, y });
		await allow.first().click();
		await expect.poll(open, longTimeout).toBe(count - 2);
	}
});

/** Asks for the button at a point, at the moment when a row goes. */
async function watchPoint(page: Page, point: { x: number; y: number }): Promise<() => Promise<string>> {
	await page.evaluate(({ x, y }) => {
		const [document, Observer] = ["document", "MutationObserver"].map((name) => Reflect.get(globalThis, name));
		const count = (): number => document.querySelectorAll("article, .rows > li").length;
		const before = count();
		const { promise, resolve } = Promise.withResolvers<string>();
		const observer = new Observer(() => {
			if (count() >= before) return;
			observer.disconnect();
			resolve(document.elementFromPoint(x, y)?.closest("button")?.textContent ?? "");
		});
		observer.observe(document.querySelector("main"), { childList: true, subtree: true });
		Reflect.set(globalThis, "hit", promise);
	}, point);
	return async () => await page.evaluate(async () => await Reflect.get(globalThis, "hit"));
}

test("a tab in the background notifies of nothing while another one is looked at", async () => {
	const { add } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon);
	await dashboard.context.addInitScript(() => {
		const shown: string[] = [];
		class Recorded extends EventTarget {
			static readonly permission = "granted";
			constructor(title: string) {
				super();
				shown.push(title);
			}
		}
		Object.assign(globalThis, { Notification: Recorded, shown });
		// a tab begins as an empty page, which has no storage
		if (Reflect.get(globalThis, "location").protocol === "http:") localStorage.setItem("brood.notify", "on");
		const page = Reflect.get(globalThis, "document");
		Object.defineProperty(page, "hidden", { get: () => Reflect.get(globalThis, "isHidden") === true });
	});
	const tabs = [await dashboard.tab("/inbox"), await dashboard.tab("/inbox")];
	const [back = expect.unreachable(), front = expect.unreachable()] = tabs;
	const hide = async (tab: Page): Promise<void> =>
		await tab.evaluate(() => void Reflect.set(globalThis, "isHidden", true));
	const ask = async (name: string): Promise<void> => {
		await add({ name, workspace: "none", prompt: "ask May I?" });
		for (const tab of tabs) await tab.getByRole("article", { name: `${name} asks` }).waitFor();
	};
	await dashboard.page.close();
	await hide(back);
	await ask("seen");
	await hide(front);
	await ask("unseen");
	for (const tab of tabs)
		await expect.poll(() => tab.evaluate(() => Reflect.get(globalThis, "shown")), longTimeout).toEqual(["unseen asks"]);
});
