// Overview, agent tree, agent and inbox, by accessible role, against a real daemon.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { at } from "#test/support/in-workspace.ts";
import { git, longTimeout, params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

// the first one: the daemon has nothing in it yet
test("bars stand where rows will be, and without rows each page says what to do", async () => {
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	const held = Promise.withResolvers<void>();
	await page.route("**/api/rows*", async (route) => {
		await held.promise;
		await route.continue();
	});
	await dashboard.go("/");
	await page.getByRole("status", { name: "Loading the overview" }).waitFor();
	expect(await page.getByText("No turns are running.").count()).toBe(0);
	await dashboard.isAccessible();
	held.resolve();
	await page.getByText("or run brood demo").waitFor();
	await page.getByText("Nothing needs you.").waitFor();
	expect(await page.getByRole("status", { name: "Loading the overview" }).count()).toBe(0);
	for (const [to, says] of [
		["/inbox", "Questions, errors, reviews and usage limits appear here."],
		["/issues", "Issues belong to a project."],
		["/journal?text=zebra", "No conversation contains “zebra”."],
	] as const) {
		await dashboard.go(to);
		await page.getByText(says).waitFor();
	}
	await dashboard.go("/tree");
	await page.getByText("1 agent · 0 running · 0 need you").waitFor();
	await page.getByRole("combobox", { name: "Show" }).selectOption("needs you");
	await page.getByText("Nothing needs you.").waitFor();
	expect(await page.getByRole("row").count()).toBe(0);
});

test("the overview shows what needs a person first, and settles it", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "asker", prompt: "ask May I push?\nsay thanks" });
	await using dashboard = await Dashboard.open(browser, world.daemon);
	const { page } = dashboard;
	const needs = page.getByRole("region", { name: /Needs you/ });
	await needs.getByText("May I push?").waitFor();
	await page
		.getByRole("region", { name: /Running/ })
		.getByRole("link", { name: /asker/ })
		.waitFor();
	await dashboard.isAccessible();
	await needs.getByRole("button", { name: "Allow asker" }).click();
	await needs.getByText("Nothing needs you.").waitFor();
	await expect.poll(async () => (await world.items(agent)).map(({ text }) => text), longTimeout).toContain("thanks");
	// a question that is cut off cannot be allowed before it is shown whole
	const question = `run: echo harmless ${"; echo ok".repeat(40)}; rm -rf / --no-preserve-root`;
	const hiding = await add({ name: "hiding", prompt: `ask ${question}\nsay denied` });
	await needs.getByText("run: echo harmless").waitFor();
	expect(await needs.getByRole("button", { name: /Allow/ }).count()).toBe(0);
	await needs.getByRole("button", { name: "Show the whole question hiding" }).click();
	await needs.getByRole("article").getByText("; rm -rf / --no-preserve-root").first().waitFor();
	await dashboard.isAccessible();
	await needs.getByRole("button", { name: "Deny hiding" }).click();
	await needs.getByText("Nothing needs you.").waitFor();
	await world.client.call("kill", { ...params(hiding), body: {} });
	const person = await add({ name: "anna", type: "human", prompt: "please look\nand tell" });
	await needs.getByText("waits for you: please look").waitFor();
	await needs.getByRole("link", { name: "Answer for anna" }).click();
	await page.getByText("Enter finishes the turn").waitFor();
	await page.getByRole("link", { name: "Agents", exact: false }).and(page.locator("[aria-current=true]")).waitFor();
	await page.keyboard.type("it is fine");
	await page.keyboard.press("Enter");
	await expect
		.poll(async () => (await world.items(person)).map(({ text }) => text), longTimeout)
		.toContain("it is fine");
});

test("the inbox shows a question whole, and keys answer it", async () => {
	const { add, slug } = await world.project();
	const issue = await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Unclear" } });
	await world.client.call("issueEscalate", {
		params: { issue: `${slug}#${issue.number}` },
		body: { reason: "What is a long reason? ".repeat(20) },
	});
	const question = `Run ${"a very long command ".repeat(20)}to its end?`;
	const one = await add({ name: "first", prompt: `ask ${question}\nsay one is over` });
	await using dashboard = await Dashboard.open(browser, world.daemon, "/inbox");
	const { page } = dashboard;
	await page.getByText("to its end?").first().waitFor();
	// nothing to review: its own page has Retry
	await page.getByRole("link", { name: `Open ${slug}#${issue.number}` }).waitFor();
	await add({ name: "second", prompt: "ask Another?\nsay two is over" });
	await page.getByRole("article", { name: /second asks/ }).waitFor();
	await dashboard.isAccessible();
	// the same number on a page that shows no issues
	const waiting = page.getByRole("navigation").getByRole("link", { name: /Inbox 3/ });
	await waiting.waitFor();
	await dashboard.go("/subscriptions");
	await waiting.waitFor();
	await dashboard.go("/inbox");
	await page.getByRole("article", { name: /second asks/ }).waitFor();
	// no question is chosen: `n` denies none, and goes to the first agent that needs you
	await page.keyboard.press("n");
	await page.waitForURL(`**/agents/${one.id}`);
	expect(await world.client.call("approvals", {})).toHaveLength(2);
	await page.goBack();
	await page.getByRole("article", { name: /second asks/ }).waitFor();
	for (const key of ["j", "k"]) await page.keyboard.press(key);
	// the next question is not answered by the same press
	await page.keyboard.down("y");
	await page.getByRole("article", { name: /first asks/ }).waitFor({ state: "detached" });
	await page.keyboard.down("y");
	await page.keyboard.up("y");
	await expect.poll(async () => (await world.items(one)).map(({ text }) => text), longTimeout).toContain("one is over");
	expect(await world.client.call("approvals", {})).toHaveLength(1);
	await page.getByLabel("Reason for denying second").fill("not now");
	await page.keyboard.press("Enter");
	await page.getByRole("article").first().waitFor({ state: "detached" });
	expect(await world.client.call("approvals", {})).toEqual([]);
	await world.client.call("issueDelete", { params: { issue: `${slug}#${issue.number}` } });
	await page.getByText("Nothing needs you.").waitFor();
});

test("an agent's page takes prompts, shows its conversation, and says why an action is not possible", async () => {
	const { add } = await world.project({ "a.ts": "const a = 1;\n" });
	const agent = await add({ name: "talker" });
	await world.turn(agent, "say **bold** <script>alert(1)</script>\nwrite a.ts const a = 2;");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	await page.getByRole("heading", { level: 1, name: /talker/ }).waitFor();
	await page.locator(".block-message").getByText("<script>alert(1)</script>").waitFor();
	await page.getByRole("group", { name: "Diff" }).getByText("const a = 2;").waitFor();
	await page.getByRole("button", { name: /Interrupt.*no turn is running/ }).waitFor();
	await dashboard.isAccessible();
	await page.getByRole("textbox", { name: "Prompt for talker" }).fill("say typed here");
	await page.keyboard.press("Enter");
	await page.getByRole("group", { name: "Items" }).getByText("typed here", { exact: true }).waitFor();
	await expect.poll(async () => (await world.now(agent)).label, longTimeout).toBe("idle");
	const { id: failed } = await world.turn(agent, "fail broken");
	await page.getByRole("button", { name: `Retry turn ${failed}` }).click();
	await page.getByRole("button", { name: `Retry turn ${failed}` }).waitFor({ state: "detached" });
	const turns = async () => (await world.client.call("turns", params(agent))).map(({ state }) => state);
	await expect.poll(turns, longTimeout).toEqual(["completed", "completed", "failed", "failed"]);
	await page.getByRole("button", { name: "Pause", exact: true }).click();
	await page.getByText("‖ paused").waitFor();
	expect((await world.now(agent)).label).toBe("paused");
	// the audit has times in words
	await world.client.call("prompt", {
		...params(agent),
		body: { text: "say later", notBefore: "2099-01-01T12:00:00Z" },
	});
	await page.getByRole("tab", { name: "Audit" }).click();
	await page.getByText(/say later .*source: queue.*notBefore: \d+ \w+ 2099, \d\d:\d\d/).waitFor();
	await dashboard.isAccessible();
});

test("an agent is recovered, resumed and synced from its page", async () => {
	const { add, slug, repository } = await world.project({ "a.txt": "one\n" });
	const place = path.join(world.home, "projects", slug, "agents", "mended");
	mkdirSync(place, { recursive: true });
	writeFileSync(path.join(place, "mine"), "in the way");
	const agent = await add({ name: "mended" });
	expect(agent.label).toBe("error");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const label = async () => (await world.now(agent)).label;
	await page.getByRole("button", { name: "Recover", exact: true }).waitFor();
	rmSync(place, { recursive: true });
	await page.getByRole("button", { name: "Recover", exact: true }).click();
	await page.getByRole("button", { name: "Pause", exact: true }).click();
	await expect.poll(label, longTimeout).toBe("paused");
	await page.getByRole("button", { name: "Resume", exact: true }).click();
	await expect.poll(label, longTimeout).toBe("idle");
	writeFileSync(path.join(repository, "b.txt"), "two\n");
	git(repository, "add", "b.txt");
	git(repository, "commit", "-qm", "Two");
	const file = at(await world.now(agent), "b.txt");
	expect(existsSync(file)).toBe(false);
	await page.getByRole("button", { name: "More actions" }).click();
	await page.getByRole("button", { name: "Sync with base" }).click();
	await page.getByText("mended is up to date").waitFor();
	expect(existsSync(file)).toBe(true);
	// with commits on both sides a person says how
	for (const folder of [path.dirname(file), repository]) git(folder, "commit", "-q", "--allow-empty", "-m", folder);
	dashboard.expects(/409 .*\/sync$/);
	await page.getByRole("button", { name: "More actions" }).click();
	await page.getByRole("button", { name: "Sync with base" }).click();
	await page.getByRole("dialog").getByText("mended has 1 commit of its own and is 1 behind main.").waitFor();
	await page.getByRole("button", { name: "Merge base" }).click();
	await expect.poll(() => git(repository, "branch", "--contains", "main"), longTimeout).toContain("mended");
	await page.getByRole("tab", { name: "Workspace" }).click();
	await page.getByText("The workspace is healthy.").waitFor();
	// the changes may still be read, of files that are gone
	dashboard.expects(/\d{3} .*\/diff/);
	rmSync(place, { recursive: true });
	await page.getByRole("button", { name: "Check again" }).click();
	await page.getByRole("button", { name: "Recover", exact: true }).last().click();
	await page.getByText("The workspace is healthy.").waitFor();
	expect(existsSync(file)).toBe(true);
	// the menu knows of the damage too, although no turn has failed
	await page.getByRole("button", { name: "More actions" }).click();
	await page.getByRole("button", { name: /^Recover.*nothing to recover/ }).waitFor();
	await page.getByRole("button", { name: /^Commit ….*mended has nothing to commit\./ }).waitFor();
	await page.keyboard.press("Escape");
	rmSync(place, { recursive: true });
	await page.getByRole("button", { name: "More actions" }).click();
	await page.getByRole("button", { name: "Recover", exact: true }).click();
	await expect.poll(() => existsSync(file), longTimeout).toBe(true);
});

test("the queue is edited, moved by keys and emptied", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "queued", workspace: "none" });
	await world.client.call("pause", { ...params(agent), body: {} });
	for (const text of ["say one", "say two", "say three"])
		await world.client.call("prompt", { ...params(agent), body: { text } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const texts = async () => (await world.client.call("queue", params(agent))).map(({ text }) => text);
	await page.getByRole("tab", { name: /Queue/ }).click();
	await page.getByText("say three").waitFor();
	await dashboard.isAccessible();
	await page.getByRole("button", { name: "Move prompt 3 to the front" }).click();
	await expect.poll(texts, longTimeout).toEqual(["say three", "say one", "say two"]);
	// the next action names a position, so the page has to show the new order first
	const shownAt = async (position: number, text: string): Promise<void> =>
		await page
			.getByRole("list", { name: "Queue" })
			.getByRole("listitem")
			.nth(position - 1)
			.getByText(text)
			.waitFor();
	await shownAt(1, "say three");
	await page.getByRole("button", { name: "Move prompt 1 down" }).focus();
	await page.keyboard.press("Enter");
	await expect.poll(texts, longTimeout).toEqual(["say one", "say three", "say two"]);
	await shownAt(2, "say three");
	// by pointer: the last one above the first
	const grip = async (position: number) =>
		(await page.getByRole("button", { name: `Move prompt ${position}`, exact: true }).boundingBox()) ??
		expect.unreachable();
	const [from, to] = [await grip(3), await grip(1)];
	await page.mouse.move(from.x + 4, from.y + 4);
	await page.mouse.down();
	await page.mouse.move(to.x + 4, to.y - 4, { steps: 8 });
	// it lies above its neighbours, and a screen reader is told of its position
	const dragged = page.getByRole("listitem").filter({ hasText: "say two" });
	expect(await dragged.evaluate((row) => Reflect.get(globalThis, "getComputedStyle")(row).zIndex)).toBe("1");
	await page.getByRole("status").getByText("At position 1.").waitFor({ state: "attached" });
	await page.mouse.up();
	await expect.poll(texts, longTimeout).toEqual(["say two", "say one", "say three"]);
	await shownAt(1, "say two");
	// by keys alone: the focus goes to the box and comes back
	const editButton = page.getByRole("button", { name: "Edit prompt 2" });
	const focused = async (): Promise<string> => (await page.locator(":focus").getAttribute("aria-label")) ?? "";
	await editButton.press("Enter");
	await expect.poll(focused).toBe("Text of prompt 2");
	await page.keyboard.press("Escape");
	await expect.poll(focused).toBe("Edit prompt 2");
	await editButton.press("Enter");
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.type("say four");
	await page.keyboard.press("Control+Enter");
	await expect.poll(focused).toBe("Edit prompt 2");
	await expect.poll(texts, longTimeout).toEqual(["say two", "say four", "say three"]);
	// somebody else changes what is edited here, then removes it
	const other = async (position: number) => {
		const { id } = (await world.client.call("queue", params(agent)))[position - 1] ?? expect.unreachable();
		return { params: { ...params(agent).params, prompt: String(id) } };
	};
	await page.getByRole("button", { name: "Edit prompt 2" }).click();
	await page.getByLabel("Text of prompt 2").fill("say mine");
	await world.client.call("promptEdit", { ...(await other(2)), body: { text: "say theirs" } });
	await page.getByText("It was changed meanwhile, and saving replaces this text: say theirs").waitFor();
	await dashboard.isAccessible();
	await world.client.call("promptRemove", await other(2));
	await page.getByText("The prompt that you edited was removed from the queue, or has started.").waitFor();
	await dashboard.isAccessible();
	await page.getByRole("button", { name: "Queue it as a new prompt" }).click();
	await expect.poll(texts, longTimeout).toEqual(["say two", "say three", "say mine"]);
	await page.getByRole("button", { name: "Clear the queue …" }).click();
	await page.getByRole("dialog").getByText("3 prompts will not run.").waitFor();
	await page.getByRole("dialog").getByRole("button", { name: "Clear", exact: true }).click();
	await page.getByText("The queue is empty.").waitFor();
	await world.client.call("send", { ...params(agent), body: { body: "for later" } });
	await page.getByRole("button", { name: "Edit prompt 1: It announces mail and has no text to edit." }).waitFor();
});

test("the agent tree collapses, filters and compares two agents; a fork is made from an item", {
	timeout: 90_000,
}, async () => {
	const { add, slug } = await world.project({ "a.txt": "one\n" });
	await add({ name: "aside", workspace: "none" });
	const parent = await add({ name: "parent" });
	await world.turn(parent, "say shared words");
	const fork = async (name: string, prompt: string) => {
		const child = await world.client.call("fork", { ...params(parent), body: { name } });
		await world.turn(child, prompt);
		return child;
	};
	const left = await fork("left", "write a.txt left");
	await fork("right", "write a.txt right");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/tree");
	const { page } = dashboard;
	await page.getByRole("searchbox", { name: "Find an agent" }).fill(slug);
	const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
	await row("left").waitFor();
	await dashboard.isAccessible();
	for (const name of ["left", "right"]) await row(name).getByRole("checkbox").check({ force: true });
	await page.getByText(/their conversations diverge after item \d+ of parent · 1 file differs/).waitFor();
	await page.getByRole("button", { name: "Diff", exact: true }).click();
	await page.getByRole("dialog").getByText("a.txt").first().waitFor();
	await page.keyboard.press("Escape");
	// the current row stays that of its agent when other rows come
	await page.getByRole("searchbox", { name: "Find an agent" }).fill("right");
	await row("left").waitFor({ state: "detached" });
	// on its last cell: a turn's bar, which may be in the middle of the row, leads to another page
	await row("parent").getByRole("gridcell").last().click();
	await page.getByRole("searchbox", { name: "Find an agent" }).fill("");
	await row("aside").waitFor();
	const grid = page.getByRole("treegrid");
	expect(await grid.getAttribute("aria-activedescendant")).toBe(`row-${parent.id}`);
	await grid.focus();
	await page.keyboard.press("ArrowLeft");
	await row("left").waitFor({ state: "detached" });
	await page.keyboard.press("ArrowRight");
	await row("left").waitFor();
	await dashboard.go(`/agents/${left.id}`);
	const shared = page.locator(".block-message", { hasText: "shared words" });
	await shared.waitFor();
	await page.getByText(/Inherited from/).waitFor();
	await shared.hover();
	await shared.getByRole("button", { name: /Fork from item/ }).click();
	const dialog = page.getByRole("dialog", { name: /Fork left from item/ });
	await dialog.getByLabel("Name").fill("grandchild");
	await dialog.getByRole("button", { name: "Fork", exact: true }).click();
	await page.getByRole("heading", { level: 1, name: /left \/ grandchild/ }).waitFor();
	await page.getByText(/^Inherited from parent/).waitFor();
	await dashboard.isAccessible();
});

test("the agent tree shows a time and a state; mail names its sender", async () => {
	const { add, slug } = await world.project();
	const asks = await add({ name: "asks", workspace: "none", prompt: "ask May I?" });
	const ended = await add({ name: "ended", workspace: "none" });
	await world.client.call("kill", { ...params(ended), body: {} });
	const sender = await add({ name: "sender", workspace: "none" });
	const reader = await add({ name: "reader", workspace: "none" });
	await world.turn(sender, "send reader All done.");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/tree");
	const { page } = dashboard;
	const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
	const choose = async (label: string, option: string) =>
		await page.getByRole("combobox", { name: label }).selectOption(option);
	await page.getByRole("searchbox", { name: "Find an agent" }).fill(slug);
	for (const name of ["asks", "ended"]) await row(name).waitFor();
	// nothing happened before these tests began: that time is collapsed
	await page.getByText(/^╌[56]h╌$/).waitFor();
	// what it said last, though its turn was over before the page was opened
	await row("reader").getByText("All done.").waitFor();
	await choose("Time", "15 min");
	await page
		.getByText(/^╌\d+m╌$/)
		.first()
		.waitFor();
	await choose("Time", "30 days");
	await page.getByText(/^╌(29|30)d╌$/).waitFor();
	await choose("Show", "living");
	await row("ended").waitFor({ state: "detached" });
	await row("sender").waitFor();
	await choose("Show", "needs you");
	await row("sender").waitFor({ state: "detached" });
	await row("asks").getByRole("link").click();
	await page.goBack();
	await row("asks").waitFor();
	expect(await row("sender").count()).toBe(0);
	await choose("Show", "all");
	for (const name of ["sender", "ended"]) await row(name).waitFor();
	await world.client.call("kill", { ...params(asks), body: {} });
	// a prompt with mail is headed by the sender's id, which people do not see
	await dashboard.go(`/agents/${reader.id}`);
	await page.getByText(/\[mail \d+ from sender\]/).waitFor();
});

test("by keyboard alone: mail, workspace, audit, a commit and a kill of an agent", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "steered" });
	await world.turn(agent, "write a.txt two");
	await world.client.call("pause", { ...params(agent), body: {} });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}`);
	const { page } = dashboard;
	const press = async (name: string | RegExp, role: "button" | "tab" = "button"): Promise<void> =>
		await page.getByRole(role, { name, exact: true }).press("Enter");
	await press(/^Mail/, "tab");
	await page.getByRole("textbox", { name: "Mail to steered" }).focus();
	await page.keyboard.type("Keep it small.");
	await press("Send mail");
	await page.getByText(/human · accepted/).waitFor();
	await page.getByRole("tab", { name: /^Mail/ }).press("ArrowRight");
	await page.getByText("The workspace is healthy.").waitFor();
	await dashboard.isAccessible();
	// the focus went with the choice; from the last tab it goes to the first
	for (const key of ["End", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
	await page.getByText("mail.sent").waitFor();
	await dashboard.isAccessible();
	await press("More actions");
	await press("Commit …");
	await page.getByRole("dialog").getByText("a.txt").waitFor();
	await page.keyboard.type("Two instead of one");
	await press("Commit");
	await page.getByRole("dialog").waitFor({ state: "detached" });
	expect(git(at(agent), "log", "-1", "--format=%s")).toBe("Two instead of one");
	await press("More actions");
	await press("Kill …");
	await dashboard.isAccessible();
	await press("Kill");
	await page.getByText("· dead").first().waitFor();
	expect((await world.now(agent)).life).toBe("ended");
});

test("a browser that is not looked at notifies of a question, once, if it was asked to", async () => {
	const { add } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, "/inbox");
	const { page, context } = dashboard;
	const ask = async (name: string): Promise<void> => void (await add({ name, prompt: `ask May ${name} push?` }));
	await context.grantPermissions(["notifications"]);
	await context.addInitScript(() => {
		const shown: unknown[] = [];
		class Recorded extends EventTarget {
			static readonly permission = "granted";
			static async requestPermission() {
				return "granted";
			}
			constructor(title: string, { body }: { body: string }) {
				super();
				shown.push([title, body]);
			}
		}
		Object.assign(globalThis, { Notification: Recorded, shown });
		Object.defineProperty(Reflect.get(globalThis, "document"), "hidden", { get: () => true });
	});
	await dashboard.go("/inbox");
	// the control: nobody asked for notifications yet
	await ask("silent");
	await page.getByRole("article", { name: /silent asks/ }).waitFor();
	await page.getByRole("button", { name: "Turn on notifications" }).click();
	await page.getByRole("button", { name: "Notifications on" }).waitFor();
	await ask("loud");
	await page.getByRole("article", { name: /loud asks/ }).waitFor();
	await expect
		.poll(() => page.evaluate(() => Reflect.get(globalThis, "shown")))
		.toEqual([["loud asks", "May loud push?"]]);
	// of a person's turn what is asked
	await add({ name: "bert", type: "human", workspace: "none", prompt: "please **look**\nand tell" });
	await page.getByText("waits for you: please look").waitFor();
	await expect
		.poll(() => page.evaluate(() => Reflect.get(globalThis, "shown").slice(1)))
		.toEqual([["bert waits for you", "please look"]]);
	await expect.poll(() => page.title()).toMatch(/^\(\d+\) Inbox · Brood$/);
});

test("on a phone nothing scrolls sideways", async () => {
	const { add } = await world.project();
	const agent = await add({ name: "small", prompt: "say hello" });
	const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" as const };
	await using dashboard = await Dashboard.open(browser, world.daemon, "/", phone);
	for (const path of ["/", "/inbox", "/tree", `/agents/${agent.id}`]) {
		await dashboard.go(path);
		await dashboard.page.getByRole("heading", { level: 1 }).waitFor();
		const wide = await dashboard.page.evaluate(() => Reflect.get(globalThis, "document").documentElement.scrollWidth);
		expect([path, wide]).toEqual([path, 390]);
		await dashboard.isAccessible();
	}
});
