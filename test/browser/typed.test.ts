// What is reached by typing, and what was typed.
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { longTimeout, params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("the palette goes to an agent, and ? lists the keys", async () => {
	const { add } = await world.project();
	await add({ name: "far-away", workspace: "none" });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	await page.getByText("● live").waitFor();
	await page.keyboard.press("Control+k");
	// the input has the focus: no click is needed
	await page.getByRole("combobox", { name: "Agent, issue, page or action" }).waitFor();
	const dialog = page.getByRole("dialog", { name: "Go to" });
	const before = await dialog.boundingBox();
	await page.keyboard.type("faraw");
	await page.getByRole("option", { name: /far-away/ }).waitFor();
	// fewer choices make it smaller, and it stays where it is
	const after = await dialog.boundingBox();
	expect(after?.height).toBeLessThan(before?.height ?? 0);
	expect(after?.y).toBe(before?.y);
	await dashboard.isAccessible();
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { level: 1, name: /far-away/ }).waitFor();
	await expect.poll(() => page.title()).toMatch(/(^|\) )far-away · Brood$/);
	// with the focus in its box: what is typed next is a prompt for it
	await page.getByRole("textbox", { name: "Prompt for far-away" }).and(page.locator(":focus")).waitFor();
	await page.locator("main").press("?");
	await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
	await dashboard.isAccessible();
});

test("the palette finds issues, and does what is possible with the agent on the screen", async () => {
	const { add, slug } = await world.project();
	const agent = await add({ name: "steered", workspace: "none" });
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Odd rounding" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	await page.getByRole("heading", { level: 1, name: /steered/ }).waitFor();
	const choose = async (words: string, option: RegExp): Promise<void> => {
		await page.keyboard.press("Control+k");
		await page.getByRole("combobox", { name: "Agent, issue, page or action" }).fill(words);
		await page.getByRole("option", { name: option, selected: true }).waitFor();
		await page.keyboard.press("Enter");
	};
	await choose("pause", /Pause steered/);
	await expect.poll(async () => (await world.now(agent)).label, longTimeout).toBe("paused");
	await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
	await choose("resume", /Resume steered/);
	await expect.poll(async () => (await world.now(agent)).label, longTimeout).toBe("idle");
	await choose("rounding", /#1 Odd rounding/);
	await page.getByRole("heading", { level: 1, name: /Odd rounding/ }).waitFor();
	// no agent is on this page
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Agent, issue, page or action" }).fill("pausesteered");
	await page.getByText("Nothing matches").waitFor();
});

test("what was typed into a dialog is there when it is opened again, until it is sent or discarded", async () => {
	const { slug } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	const open = async (): Promise<void> => await page.getByRole("button", { name: "Add an issue" }).click();
	const typed = async () => [await page.getByLabel("Title").inputValue(), await page.getByLabel("Body").inputValue()];
	await open();
	await page.getByLabel("Title").fill("Half a title");
	await page.getByLabel("Body").fill("Half a body");
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await open();
	expect(await typed()).toEqual(["Half a title", "Half a body"]);
	await dashboard.isAccessible();
	await page.getByRole("button", { name: "Discard the draft" }).click();
	expect(await typed()).toEqual(["", ""]);
	await page.getByLabel("Title").fill("A whole title");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("link", { name: /A whole title/ }).waitFor();
	await open();
	expect(await typed()).toEqual(["", ""]);
});

test("of a long queue the first hundred are shown, and all on request", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "long", workspace: "none" });
	await world.client.call("pause", { ...params(agent), body: {} });
	for (let at = 1; at <= 102; at++)
		await world.client.call("prompt", { ...params(agent), body: { text: `say number ${at}.` } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	await page.getByRole("tab", { name: /Queue/ }).click();
	const queued = page.getByRole("list", { name: "Queue" }).getByRole("listitem");
	await queued.first().waitFor();
	expect(await queued.count()).toBe(100);
	await page.getByRole("button", { name: "Show all 102 prompts" }).click();
	await page.getByText("say number 102.").waitFor();
	expect(await queued.count()).toBe(102);
});

test("what was typed beside a conversation or below an issue is there after another tab or page", async () => {
	const { add, slug } = await world.project();
	const agent = await add({ name: "written-to", workspace: "none" });
	await world.client.call("pause", { ...params(agent), body: {} });
	await world.client.call("prompt", { ...params(agent), body: { text: "say it" } });
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Odd" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const tab = async (name: RegExp): Promise<void> => await page.getByRole("tab", { name }).click();
	await tab(/^Mail/);
	await page.getByLabel("Mail to written-to").fill("half a mail");
	await tab(/^Queue/);
	await page.getByRole("button", { name: "Edit prompt 1" }).click();
	await page.getByLabel("Text of prompt 1").fill("half a prompt");
	await tab(/^Mail/);
	await expect.poll(() => page.getByLabel("Mail to written-to").inputValue()).toBe("half a mail");
	// the tabs are walked by keys, also past a box
	for (const key of ["ArrowLeft", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
	expect(await page.getByLabel("Text of prompt 1").inputValue()).toBe("half a prompt");
	await page.getByRole("tab", { name: /^Queue/, selected: true }).press("ArrowRight");
	await page.getByRole("button", { name: "Send mail" }).click();
	await page.getByText(/human · accepted/).waitFor();
	await expect.poll(() => page.getByLabel("Mail to written-to").inputValue()).toBe("");
	await dashboard.go(`/projects/${slug}/issues/1`);
	await page.getByLabel("Comment").fill("half a comment");
	await dashboard.go(`/projects/${slug}/issues`);
	await page.getByRole("link", { name: /Odd/ }).click();
	expect(await page.getByLabel("Comment").inputValue()).toBe("half a comment");
	await page.getByRole("button", { name: "Comment", exact: true }).click();
	await page.getByText("half a comment").first().waitFor();
	await expect.poll(() => page.getByLabel("Comment").inputValue()).toBe("");
});

test("the key that denies a question sends the reason on its card", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "asking", workspace: "none", prompt: "ask May I?" });
	await using dashboard = await Dashboard.open(browser, world.daemon, "/inbox");
	const { page } = dashboard;
	await page.getByLabel("Reason for denying asking").fill("not now");
	// from the field to a button of the same card
	await page.getByRole("button", { name: /^Always allow this/ }).focus();
	const asked = page.waitForRequest(/\/api\/approvals\/\d+$/);
	await page.keyboard.press("n");
	expect((await asked).postDataJSON()).toEqual({ allow: false, reason: "not now" });
	await page.getByRole("article", { name: /asking asks/ }).waitFor({ state: "detached" });
	await expect.poll(async () => (await world.now(agent)).turn).toBe(null);
});

test("who types on after denying a question answers no other one", async () => {
	const { add } = await world.project();
	const all = [];
	const asked = async (): Promise<number> => (await world.client.call("approvals", {})).length;
	for (const [before, name] of ["one", "two", "three"].entries()) {
		all.push(await add({ name, workspace: "none", prompt: "ask May I?" }));
		// one after the other: this is their order
		await expect.poll(asked, longTimeout).toBe(before + 1);
	}
	await using dashboard = await Dashboard.open(browser, world.daemon, "/inbox");
	const { page } = dashboard;
	const cards = page.getByRole("article", { name: /asks: May I/ });
	await expect.poll(() => cards.count()).toBe(3);
	await page.keyboard.press("j");
	await page.keyboard.type("nay, any way");
	await expect.poll(() => cards.count()).toBe(2);
	// control: after a pause the next one is answered by its key
	const pressed = async (): Promise<number> => {
		await page.keyboard.press("y");
		return await cards.count();
	};
	await expect.poll(pressed, { interval: 1000 }).toBe(1);
	await expect.poll(pressed, { interval: 1000 }).toBe(0);
	const texts = await Promise.all(all.map(async (agent) => (await world.items(agent)).map(({ text }) => text).join()));
	expect(texts.map((text) => /denied/.test(text))).toEqual([true, false, false]);
});

test("while the index is behind, a search says that what was found may not be all", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon, "/journal?text=nowhere");
	const { page } = dashboard;
	const unindexed = page.getByText("Some of the journal is not indexed yet");
	await page.getByText("No conversation contains “nowhere”.").waitFor();
	expect(await unindexed.count()).toBe(0);
	await page.route("**/api/search?*", async (route) => {
		const response = await route.fetch();
		const { data, ...rest } = await response.json();
		await route.fulfill({ response, json: { ...rest, data: { ...data, complete: false } } });
	});
	await page.reload();
	await unindexed.waitFor();
	await dashboard.isAccessible();
});

test("a pause has the reason that was typed, and says that it comes after the turn; an interrupt has none of its own", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "busy", workspace: "none", prompt: "sleep 60000" });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const reasons = async () => (await world.now(agent)).holds.map(({ kind, reason }) => `${kind}: ${reason}`);
	await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor();
	await page.getByRole("button", { name: "More actions" }).click();
	await page.getByRole("button", { name: "Pause with a reason …" }).click();
	await page.getByRole("dialog", { name: "Pause busy" }).getByLabel("Reason").fill("the build is red");
	await dashboard.isAccessible();
	await page.keyboard.press("Enter");
	await page.getByText(/user: the build is red by .*, after this turn/).waitFor();
	expect(await reasons()).toEqual(["user: the build is red"]);
	await page.getByRole("button", { name: "Interrupt", exact: true }).click();
	await expect.poll(reasons, longTimeout).toEqual(["user: the build is red", "interrupt: "]);
	await page.getByText("after this turn").waitFor({ state: "detached" });
});

test("a text whose answer is lost happens once, however often it is sent; another one is another", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "far", workspace: "none" });
	await world.client.call("pause", { ...params(agent), body: {} });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	dashboard.expects(/ERR_|Failed to (fetch|load)/);
	/** The daemon takes it, and the connection is cut. */
	const loseAnswers = async (path: string): Promise<void> => {
		await page.route(path, async (route) => {
			await route.fetch();
			await route.abort();
		});
	};
	const isLost = page.getByText(/^DAEMON_UNREACHABLE .* it is the same request and happens once\.$/);
	const isSame = page.getByText("Sent again as the same request: it happens once.");
	const queued = async () => (await world.client.call("queue", params(agent))).map(({ text }) => text);
	const box = page.getByRole("textbox", { name: "Prompt for far" });
	await loseAnswers("**/queue");
	await box.fill("do it");
	await box.press("Enter");
	await isLost.first().waitFor();
	await expect.poll(async () => await box.inputValue()).toBe("do it");
	await page.unroute("**/queue");
	// also in the page that was loaded again
	await page.reload();
	await box.press("Enter");
	await isSame.first().waitFor();
	expect(await queued()).toEqual(["do it"]);
	// the control: after an answer, the same text is meant again
	await box.fill("do it");
	await box.press("Enter");
	await expect.poll(queued).toEqual(["do it", "do it"]);
	await page.getByRole("tab", { name: /^Mail/ }).click();
	await loseAnswers("**/mail");
	await page.getByLabel("Mail to far").fill("look at it");
	await page.getByRole("button", { name: "Send mail" }).click();
	await isLost.first().waitFor();
	await page.unroute("**/mail");
	await page.getByRole("button", { name: "Send mail" }).click();
	await expect.poll(() => page.getByLabel("Mail to far").inputValue()).toBe("");
	const mails = await world.client.call("mail", params(agent));
	expect(mails.map(({ body }) => body)).toEqual(["look at it"]);
});
