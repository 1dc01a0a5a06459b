// Where the keyboard focus is when what had it is gone.
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { longTimeout, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

/** The inbox with a question of each of these agents. */
async function openInbox(...names: readonly string[]): Promise<Dashboard> {
	const { add } = await world.project();
	const dashboard = await Dashboard.open(browser, world.daemon, "/inbox");
	for (const name of names) {
		await add({ name, workspace: "none", prompt: "ask May I?" });
		// one after the other: this is their order
		await card(dashboard.page, name).waitFor();
	}
	return dashboard;
}

const card = (page: Page, name: string) => page.getByRole("article", { name: `${name} asks` });
const reason = (page: Page, name: string) => page.getByLabel(`Reason for denying ${name}`);

/** What has the focus, or the card around it. */
const focused = async (page: Page): Promise<string> =>
	await page.evaluate(() => {
		const { activeElement } = Reflect.get(globalThis, "document");
		const article = activeElement.closest(".inbox-item")?.querySelector("article") ?? activeElement.closest("article");
		return article?.getAttribute("aria-label") ?? activeElement.textContent;
	});

test("a reason that is sent by Enter leaves the focus on the next question, and after the last one on the heading", async () => {
	await using dashboard = await openInbox("first", "second", "third");
	const { page } = dashboard;
	for (const [name, next] of [
		["second", "third asks: May I?"],
		["third", "first asks: May I?"],
		["first", "Inbox"],
	] as const) {
		await reason(page, name).fill("not now");
		await page.keyboard.press("Enter");
		await card(page, name).waitFor({ state: "detached" });
		await expect.poll(() => focused(page)).toBe(next);
		await dashboard.isAccessible();
	}
	expect(await world.client.call("approvals", {})).toEqual([]);
});

test("what is typed about a question that somebody else answers meanwhile answers no other one", async () => {
	await using dashboard = await openInbox("early", "late");
	const { page } = dashboard;
	await reason(page, "early").pressSequentially("bec");
	const early = (await world.client.call("approvals", {})).find(({ handles }) => handles.at(-1) === "early");
	await world.client.call("approvalAnswer", { params: { approval: String(early?.id) }, body: { allow: true } });
	await card(page, "early").waitFor({ state: "detached" });
	await expect.poll(() => focused(page)).toBe("Inbox");
	await page.keyboard.press("a");
	expect(await world.client.call("approvals", {})).toHaveLength(1);
	// control: the question that is chosen is answered by its key
	await page.keyboard.press("j");
	await expect.poll(() => focused(page)).toBe("late asks: May I?");
	await expect
		.poll(
			async () => {
				await page.keyboard.press("y");
				return await card(page, "late").count();
			},
			{ interval: 1000 },
		)
		.toBe(0);
});

test("Escape leaves the field for the reason, and the keys are those of its question", async () => {
	await using dashboard = await openInbox("upper", "lower");
	const { page } = dashboard;
	await reason(page, "upper").click();
	await page.keyboard.type("jk");
	await page.keyboard.press("Escape");
	await page.locator("article:focus").waitFor();
	expect(await focused(page)).toBe("upper asks: May I?");
	await dashboard.isAccessible();
	await page.keyboard.press("j");
	await expect.poll(() => focused(page)).toBe("lower asks: May I?");
	// what was typed is kept
	expect(await reason(page, "upper").inputValue()).toBe("jk");
	for (const { id } of await world.client.call("approvals", {}))
		await world.client.call("approvalAnswer", { params: { approval: String(id) }, body: { allow: true } });
});

test("a card that is moved by keys keeps the focus, and the dialog that added it gives it back", async () => {
	const { slug } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	const opener = page.getByRole("button", { name: "Add an issue" });
	await opener.focus();
	await page.keyboard.press("Enter");
	await page.getByLabel("Title").fill("Carried");
	await page.keyboard.press("Enter");
	await page.getByRole("link", { name: "#1 Carried" }).waitFor();
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await expect.poll(() => focused(page)).toBe("Add an issue");
	const grip = page.getByRole("button", { name: "Move #1" });
	await grip.focus();
	await page.keyboard.press("Space");
	for (const [stage, key] of [
		["TODO", "ArrowRight"],
		["IN_PROGRESS", "Space"],
	] as const) {
		await page.getByRole("status").getByText(`#1 is over ${stage}.`).waitFor({ state: "attached" });
		// the sensor listens for arrows only a task after Space
		await page.evaluate(async () => await new Promise((resume) => setTimeout(resume)));
		await page.keyboard.press(key);
	}
	await page.getByRole("region", { name: "IN_PROGRESS" }).getByText("Carried").waitFor();
	await expect.poll(() => grip.evaluate((button) => button.matches(":focus")), longTimeout).toBe(true);
	// also if somebody else moves it
	await world.client.call("issueMove", { params: { issue: `${slug}#1` }, body: { stage: "IN_REVIEW" } });
	await page.getByRole("region", { name: "IN_REVIEW" }).getByText("Carried").waitFor();
	await expect.poll(() => grip.evaluate((button) => button.matches(":focus"))).toBe(true);
	// control: what has another element focused does not get it
	await opener.focus();
	await world.client.call("issueMove", { params: { issue: `${slug}#1` }, body: { stage: "IN_PROGRESS" } });
	await page.getByRole("region", { name: "IN_PROGRESS" }).getByText("Carried").waitFor();
	expect(await focused(page)).toBe("Add an issue");
	await dashboard.isAccessible();
});
