// Review, issues, subscriptions, journal, settings and the forms, by accessible role, against a real daemon.
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Locator } from "playwright-core";
import { expect, test } from "vitest";
import { Dashboard, shareDashboard } from "#test/support/dashboard.ts";
import { at } from "#test/support/in-workspace.ts";
import { freshRepository } from "#test/support/repository.ts";
import { git, longTimeout, params, type TestDaemon } from "#test/support/test-daemon.ts";

let world: TestDaemon;
let browser: Browser;
shareDashboard((parts) => ({ world, browser } = parts));

test("a review shows both sides, sends comments as one prompt, runs the check and merges", async () => {
	const { slug, repository, add } = await world.project({
		"a.ts": "const one = 1;\nconst two = 2;\n",
		".brood.yaml": "check: test -f b.ts\n",
	});
	const { fingerprint } = await world.client.call("projectSettings", { params: { project: slug } });
	await world.client.call("projectApprove", { params: { project: slug }, body: { fingerprint: fingerprint ?? "" } });
	const agent = await add({ name: "reviewed" });
	writeFileSync(at(agent, "a.ts"), "const one = 1;\nconst two = 3;\n");
	writeFileSync(at(agent, "b.ts"), "export {};\n");
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await world.client.call("pause", { ...params(agent), body: {} });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	await page.getByRole("heading", { name: "Review reviewed" }).waitFor();
	await page.getByText("no conflicts").waitFor();
	await dashboard.isAccessible();
	// a range: from line 1 to line 2 of the new side
	await page.getByRole("button", { name: "Comment on line 1 of a.ts" }).click();
	await page.getByLabel("Comment on line 1", { exact: true }).fill("Say why.");
	await page.getByRole("button", { name: "Comment on line 2 of a.ts", exact: true }).click({ modifiers: ["Shift"] });
	// what was written stays, beside another box too
	await page.getByRole("button", { name: "Comment b.ts" }).click();
	expect(await page.getByLabel("Comment on lines 1 to 2").inputValue()).toBe("Say why.");
	await page.getByRole("button", { name: "Cancel" }).last().click();
	await dashboard.isAccessible();
	await page.reload();
	expect(await page.getByLabel("Comment on lines 1 to 2").inputValue()).toBe("Say why.");
	await page.getByRole("button", { name: "Add the comment" }).click();
	await page.getByRole("group", { name: "Diff" }).getByText("Say why.").waitFor();
	for (const name of ["a.ts", "b.ts"]) await page.getByRole("checkbox", { name: `Viewed: ${name}` }).check();
	await page.getByText("2 viewed").waitFor();
	await page.getByRole("button", { name: "Send 1 to the agent" }).click();
	await expect
		.poll(async () => (await world.client.call("queue", params(agent))).map(({ text }) => text), longTimeout)
		.toEqual([expect.stringContaining("a.ts, lines 1 to 2:\n> const one = 1;\n> const two = 3;\n\nSay why.")]);
	await dashboard.go(`/agents/${agent.id}/review`);
	await page.getByLabel("Merge strategy").selectOption("squash");
	await page.getByText("no conflicts").waitFor();
	await page.getByRole("button", { name: "Run the check" }).click();
	await page.getByText("the check passed").waitFor();
	// what nobody has seen is not merged
	writeFileSync(at(agent, "c.ts"), "export {};\n");
	writeFileSync(at(agent, "b.ts"), "export { };\n");
	// not while it is uncommitted either
	dashboard.expects(/409 .*\/merge-preview$/);
	await world.client.call("commit", { ...params(agent), body: { message: "more work" } });
	await page.getByText("reviewed has changed since you loaded this.", { exact: true }).waitFor();
	await page.getByRole("button", { name: /Approve.*has changed since you loaded this/ }).waitFor();
	await page.getByRole("button", { name: "Reload the diff" }).click();
	await page.getByRole("treeitem", { name: /c\.ts/ }).waitFor();
	// a file that has changed is to be viewed again
	await page.getByRole("checkbox", { name: "Viewed: a.ts", checked: true }).waitFor();
	await page.getByRole("checkbox", { name: "Viewed: b.ts", checked: false }).waitFor();
	await page.getByText("no conflicts").waitFor();
	expect(await page.getByText("the check passed").count(), "the check of other commits").toBe(0);
	// afterwards nothing is left to merge, and the preview says so
	const asked = page.waitForRequest(/\/approve$/);
	await page.getByRole("button", { name: "Approve", exact: true }).click();
	expect((await asked).postDataJSON()).toEqual({ strategy: "squash", commit: git(at(agent), "rev-parse", "HEAD") });
	await page.getByText("Merged into base.").waitFor();
	expect(git(repository, "show", "main:b.ts")).toBe("export { };");
});

test("conflicts are shown before merging, and approve says why it is not possible", async () => {
	const { repository, add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "conflicting" });
	writeFileSync(at(agent, "a.txt"), "theirs\n");
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	writeFileSync(`${repository}/a.txt`, "ours\n");
	git(repository, "commit", "-qam", "ours");
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	await dashboard.page.getByText("conflicts in a.txt").waitFor();
	await dashboard.page.getByRole("button", { name: /Approve.*There are conflicts/ }).waitFor();
	await dashboard.page.getByRole("button", { name: /Run the check.*approve it in the settings/ }).waitFor();
});

test("a long diff has no end before its last line, in one column and in two", async () => {
	const { add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "writer" });
	writeFileSync(at(agent, "a.txt"), "two\n");
	const lines = 21_000;
	writeFileSync(at(agent, "long.txt"), Array.from({ length: lines }, (_, line) => `line ${line + 1}\n`).join(""));
	writeFileSync(at(agent, "z.txt"), "last of all\n");
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	const diff = page.getByRole("group", { name: "Diff" });
	const last = diff.getByText(`line ${lines}`, { exact: true });
	// beside each other, then below each other
	const above = async (): Promise<number> => {
		const [before, after] = await Promise.all(
			["one", "two"].map((text) => diff.getByText(text, { exact: true }).first().boundingBox()),
		);
		return (after?.y ?? 0) - (before?.y ?? 0);
	};
	// the patch of a file behind the long one comes by itself
	await diff.getByText("last of all").waitFor();
	const tree = page.getByRole("tree", { name: "Changed files" });
	await page.getByRole("button", { name: "Load it long.txt" }).click();
	await diff.getByText("line 1", { exact: true }).waitFor();
	expect(await above()).toBe(0);
	await page.getByRole("button", { name: "Show inline" }).click();
	await page.getByRole("button", { name: "Show side by side" }).waitFor();
	expect(await above()).toBeGreaterThan(0);
	expect(await last.count()).toBe(0);
	await diff.locator(".diff-list").press("End");
	await last.waitFor();
	await page.getByRole("button", { name: "Show side by side" }).click();
	await diff.locator(".diff-list").press("End");
	await last.waitFor();
	// by keys: to the first file, and marked as viewed
	for (const key of ["Home", "Enter", " "]) await tree.press(key);
	await diff.getByRole("checkbox", { name: "Viewed: a.txt", checked: true }).waitFor();
	await tree.getByRole("treeitem", { name: /a\.txt.*viewed/, selected: true }).waitFor();
	await dashboard.isAccessible();
});

test("a review shows modes, links, binary files, a name that is not UTF-8, and offers each file that is too long", async () => {
	const { repository, add } = await world.project({ "run.sh": "true\n" });
	const agent = await add({ name: "sender" });
	chmodSync(at(agent, "run.sh"), 0o755);
	symlinkSync("/etc/passwd", at(agent, "link"));
	writeFileSync(at(agent, "data.bin"), Buffer.of(0, 1, 2));
	writeFileSync(Buffer.concat([Buffer.from(at(agent, "bad")), Buffer.of(0xff)]), "in a file with a bad name\n");
	for (const name of ["big-1", "big-2", "big-3"]) writeFileSync(at(agent, name), "x".repeat(1_100_000));
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/agents/${agent.id}/review`);
	const { page } = dashboard;
	for (const name of ["big-1", "big-2", "big-3"]) await page.getByRole("button", { name: `Load it ${name}` }).waitFor();
	expect(await page.getByText("A long diff, with 1 changed line.").count()).toBe(3);
	await page.getByText("in a file with a bad name").waitFor();
	const tree = page.getByRole("tree", { name: "Changed files" });
	for (const row of [/run\.sh.*mode 644 → 755/, /link.*symlink/, /data\.bin.*binary/])
		await tree.getByRole("treeitem", { name: row }).waitFor();
	await expect.poll(() => page.getByText("Loading…").count(), longTimeout).toBe(0);
	await dashboard.isAccessible();
	expect(git(repository, "status", "--porcelain")).toBe("");
});

test("an issue is assigned, keeps documents, is sent back with a reason, and returns", async () => {
	const { add, slug } = await world.project({ "a.txt": "one\n" });
	const params = { issue: `${slug}#1` };
	// the page shows the assignee only while somebody works on it: the question keeps the turn open
	const body = "ask May I?\nwrite b.txt two\ncommit work";
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Write a file", body } });
	await add({ name: "worker" });
	for (const text of ["A first plan.", "A **better** plan."])
		await world.client.call("issueDocument", { params, body: { name: "plan.md", text } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues/1`);
	const { page } = dashboard;
	await page.getByText("plan.md version 2").click();
	await page.getByText("better", { exact: true }).waitFor();
	await page.getByRole("button", { name: "Assign…" }).click();
	await dashboard.isAccessible();
	await page.getByRole("dialog").getByRole("button", { name: "Assign", exact: true }).click();
	await page.getByRole("link", { name: "asks you worker" }).waitFor();
	await dashboard.go(`/projects/${slug}/issues`);
	await page.getByRole("listitem").filter({ hasText: "worker" }).getByRole("img", { name: "asks you" }).waitFor();
	await page.goBack();
	const [question] = await world.client.call("approvals", { query: { project: slug } });
	await world.client.call("approvalAnswer", { params: { approval: String(question?.id) }, body: { allow: true } });
	const issue = async () => await world.client.call("issue", { params });
	await expect.poll(async () => (await issue()).stage, longTimeout).toBe("IN_REVIEW");
	await page.getByRole("link", { name: "Review" }).click();
	await page.getByRole("button", { name: "Reject…" }).click();
	const dialog = page.getByRole("dialog", { name: "Send it back" });
	await dialog.getByRole("button", { name: /Reject.*Say what needs to change/ }).waitFor();
	await dialog.getByLabel("What needs to change").fill("write b.txt three");
	await dialog.getByRole("button", { name: "Reject", exact: true }).click();
	await dialog.waitFor({ state: "detached" });
	await expect.poll(async () => (await issue()).runs.length, longTimeout).toBe(2);
	expect((await issue()).messages.map(({ text }) => text)).toEqual([expect.stringContaining("write b.txt three")]);
	await page.goBack();
	await page.getByText("write b.txt three").waitFor();
});

test("an issue is added, moved on the board by keys, refused where it may not go, and commented", async () => {
	const { slug } = await world.project();
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	await page.getByText("No issues yet.").waitFor();
	await page.getByRole("button", { name: "Add an issue" }).click();
	await page.getByLabel("Title").fill("Flaky store test");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("link", { name: "#1 Flaky store test" }).waitFor();
	await dashboard.isAccessible();
	const grip = page.getByRole("button", { name: "Move #1" });
	// each step is told to a screen reader before the next key is pressed
	const carried = async (...stages: string[]): Promise<void> => {
		await grip.focus();
		await page.keyboard.press("Space");
		for (const [at, stage] of ["TODO", ...stages].entries()) {
			if (at > 0) await page.keyboard.press("ArrowRight");
			await page
				.getByRole("status")
				.getByText(stage === "IN_REVIEW" ? /cannot go from TODO to IN_REVIEW/ : `#1 is over ${stage}.`)
				.waitFor({ state: "attached" });
			// the sensor listens for arrows only a task after Space
			await page.evaluate(async () => await new Promise((resume) => setTimeout(resume)));
		}
		await page.keyboard.press("Space");
	};
	await carried("IN_PROGRESS", "IN_REVIEW");
	await page.getByRole("status").getByText("#1 stays in TODO.").waitFor({ state: "attached" });
	await page
		.getByText(/cannot go from TODO to IN_REVIEW: it may go to IN_PROGRESS\.$/)
		.first()
		.waitFor();
	await carried("IN_PROGRESS");
	await page.getByRole("region", { name: "IN_PROGRESS" }).getByText("Flaky store test").waitFor();
	// a mouse drags it at its title; a click on it would open it, and so would a drop where it was
	const title = page.getByRole("link", { name: "#1 Flaky store test" });
	const dragTo = async (...targets: Locator[]): Promise<void> => {
		for (const [at, target] of [title, ...targets].entries()) {
			// not `hover`: the card that is dragged is in between
			const { x = 0, y = 0 } = (await target.boundingBox()) ?? {};
			await page.mouse.move(x + 30, y + 8, { steps: 5 });
			if (at === 0) await page.mouse.down();
		}
		await page.mouse.up();
	};
	await dragTo(page.getByRole("region", { name: "IN_REVIEW" }), title.first());
	await page.getByRole("status").getByText("#1 stays where it was.").waitFor({ state: "attached" });
	await dragTo(page.getByRole("region", { name: "TODO" }));
	await page.getByRole("region", { name: "TODO" }).getByText("Flaky store test").waitFor();
	await page.getByRole("button", { name: "Show table" }).click();
	await page.getByRole("rowheader", { name: "Flaky store test" }).waitFor();
	await dashboard.isAccessible();
	await page.getByRole("link", { name: "Flaky store test" }).click();
	await page.getByRole("heading", { name: /Flaky store test/ }).waitFor();
	await page.getByLabel("Comment", { exact: true }).fill("It fails **twice** in forty runs.");
	await page.getByRole("button", { name: "Comment", exact: false }).first().click();
	await page.getByText("in forty runs").waitFor();
	await dashboard.isAccessible();
	const issue = await world.client.call("issue", { params: { issue: `${slug}#1` } });
	expect(issue.comments.map(({ text }) => text)).toEqual(["It fails **twice** in forty runs."]);
});

test("an issue waits for another, is worked on automatically, shows its run's cost, and is merged by its review", async () => {
	const { slug, repository } = await world.project({ "a.txt": "one\n" });
	const body = "write b.txt two\nspend 1200 0.25\ncommit work\nwork_complete The **second** file is there.";
	for (const request of [{ title: "Write the second file", body }, { title: "First of all" }])
		await world.client.call("issueAdd", { params: { project: slug }, body: request });
	await world.client.call("projectConfigure", { params: { project: slug }, body: { agentType: "scripted" } });
	const issue = async () => await world.client.call("issue", { params: { issue: `${slug}#1` } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues/1`);
	const { page } = dashboard;
	await page.getByLabel("Add a dependency").selectOption({ label: "#2 First of all" });
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("button", { name: /Start.*#1 is blocked by #2/ }).waitFor();
	expect((await issue()).blockedBy).toEqual([2]);
	await page.getByRole("button", { name: "Remove the dependency on #2" }).click();
	await page.getByRole("button", { name: "Start", exact: true }).waitFor();
	expect((await issue()).dependsOn).toEqual([]);
	await world.client.call("issueDelete", { params: { issue: `${slug}#2` } });
	await page.getByRole("button", { name: "Edit…" }).click();
	await page.getByLabel("Labels, separated by commas").fill("files, small");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByText("files, small").waitFor();
	await page.getByRole("link", { name: `${slug}#1` }).click();
	await page.getByText("would start with #1 Write the second file").waitFor();
	await page.getByRole("button", { name: "Automatic work: off" }).click();
	await page.getByRole("region", { name: "IN_REVIEW" }).getByRole("link", { name: /#1/ }).click(longTimeout);
	const runs = page.getByRole("region", { name: /Runs 1/ });
	await runs.getByText(/1,200 tokens · 0.2500 USD · took \d+ s$/).waitFor();
	await runs.getByText(/^\d+ [sm] ago$/).waitFor();
	await runs.getByText("The second file is there.").waitFor();
	await dashboard.isAccessible();
	await page.getByRole("link", { name: "Review" }).click();
	await page.getByText("no conflicts").waitFor();
	await dashboard.isAccessible();
	// the project would make a merge commit
	await page.getByLabel("Merge strategy").selectOption("squash");
	// the branch moves behind the daemon's back
	const branch = (await issue()).branch ?? "";
	const later = git(repository, "commit-tree", `${branch}^{tree}`, "-p", branch, "-m", "later");
	git(repository, "update-ref", `refs/heads/${branch}`, later);
	dashboard.expects(/409 .*\/approve$/);
	await page.getByRole("button", { name: "Approve", exact: true }).click();
	await page.getByRole("button", { name: "Reload the diff" }).click();
	await page.getByText("no conflicts").waitFor();
	// afterwards nothing is left to merge, and the preview says so
	dashboard.expects(/409 .*\/merge-preview$/);
	await page.getByRole("button", { name: "Approve", exact: true }).click();
	await expect.poll(async () => (await issue()).stage, longTimeout).toBe("DONE");
	for (const verb of ["Approve", "Reject"])
		await page.getByRole("button", { name: new RegExp(`${verb}.*is in DONE and waits for no review`) }).waitFor();
	expect(git(repository, "show", "main:b.txt")).toBe("two");
	expect(git(repository, "rev-list", "--count", "--merges", "main")).toBe("0");
});

test("a full stage says so on the board, and takes no more issues by keys or by drag", async () => {
	const { slug, repository } = await world.project();
	const stages = [
		{ name: "TODO", next: "IN_PROGRESS" },
		{ name: "IN_PROGRESS", next: "DONE", also: ["TODO"], prompt: "go", wipMax: 1 },
		{ name: "DONE", final: true },
	];
	const own = path.join(world.home, "projects", slug, "config.yaml");
	mkdirSync(path.dirname(own), { recursive: true });
	writeFileSync(own, JSON.stringify({ presets: { lean: { stages } } }));
	for (const title of ["First", "Second"])
		await world.client.call("issueAdd", { params: { project: slug }, body: { title } });
	await using dashboard = await Dashboard.open(browser, world.daemon, `/projects/${slug}/issues`);
	const { page } = dashboard;
	const column = (stage: string) => page.getByRole("region", { name: stage });
	const drag = async (from: Locator, to: Locator): Promise<void> => {
		const [grip, target] = [await from.boundingBox(), await to.boundingBox()];
		if (grip === null || target === null) throw new Error("nothing to drag");
		await page.mouse.move(grip.x + 3, grip.y + 3);
		await page.mouse.down();
		await page.mouse.move(target.x + 20, target.y + 40, { steps: 6 });
	};
	await drag(page.getByRole("button", { name: "Move #1" }), column("IN_PROGRESS"));
	await page.mouse.up();
	await column("IN_PROGRESS").getByText("1/1 full").waitFor();
	await drag(page.getByRole("button", { name: "Move #2" }), column("IN_PROGRESS"));
	await column("IN_PROGRESS").getByText("IN_PROGRESS is full: it has 1 issue, and its limit is 1.").waitFor();
	for (const stage of ["TODO", "IN_PROGRESS"])
		expect(await column(stage).getAttribute("class")).not.toContain("board-open");
	await page.mouse.up();
	await dashboard.isAccessible();
	expect((await world.client.call("issue", { params: { issue: `${slug}#2` } })).stage).toBe("TODO");
	// nor does one that is blocked
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: "Third", dependsOn: [1] } });
	await drag(page.getByRole("button", { name: "Move #3" }), column("IN_PROGRESS"));
	await column("IN_PROGRESS").getByText(`${slug}#3 is blocked by #1.`).waitFor();
	await page.keyboard.press("Escape");
	await page.mouse.up();
	// at the edge the board scrolls to its end, and has no more room there than before
	await page.setViewportSize({ width: 800, height: 600 });
	const board = page.getByRole("group", { name: `Board of ${slug}` });
	const end = async () =>
		await board.evaluate(({ scrollWidth, scrollLeft, clientWidth }) => [scrollWidth, scrollLeft + clientWidth]);
	const [width = 0] = await end();
	const edge = (await board.boundingBox()) ?? { x: 0, y: 0, width: 0 };
	await drag(page.getByRole("button", { name: "Move #2" }), column("TODO"));
	await page.mouse.move(edge.x + edge.width - 4, edge.y + 80, { steps: 6 });
	await expect.poll(async () => (await end())[1], longTimeout).toBeGreaterThanOrEqual(width);
	expect((await end())[0]).toBe(width);
	await page.keyboard.press("Escape");
	await page.mouse.up();
	// the daemon says the same to whoever does not ask the page
	await expect(
		world.client.call("issueMove", { params: { issue: `${slug}#2` }, body: { stage: "IN_PROGRESS" } }),
	).rejects.toThrow("IN_PROGRESS is full: it has 1 issue, and its limit is 1.");
	expect(git(repository, "branch", "--list", "brood/*")).toBe("");
	await dashboard.go(`/projects/${slug}/issues/2`);
	await page
		.getByRole("button", { name: /^Start.*IN_PROGRESS is full: it has 1 issue, and its limit is 1\./ })
		.waitFor();
});

test("subscriptions, journal, settings and the forms work and are accessible", async () => {
	const { slug, add, repository: folder } = await world.project();
	const agent = await add({ name: "talker", workspace: "none" });
	await world.turn(agent, "say the zebra crosses");
	await using dashboard = await Dashboard.open(browser, world.daemon, "/subscriptions");
	const { page } = dashboard;
	await page.getByText("No subscriptions.").waitFor();
	await page.getByRole("button", { name: "Add a subscription" }).click();
	await page.getByLabel("Name").fill("plan");
	await page.getByLabel("Agent type").selectOption("scripted");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("rowheader", { name: "plan" }).waitFor();
	await dashboard.isAccessible();
	await add({ name: "bound", workspace: "none", subscription: "plan" });
	await page.getByRole("button", { name: "Remove plan" }).click();
	const question = page.getByRole("dialog", { name: "Remove plan?" });
	await question.getByText(`1 agent is bound to it: ${slug}/bound.`).waitFor();
	await dashboard.isAccessible();
	await question.getByRole("button", { name: "Cancel" }).click();
	expect(await world.client.call("subscriptions", {})).toHaveLength(1);
	await page.getByRole("button", { name: "Remove plan" }).click();
	await question.getByRole("button", { name: "Remove", exact: true }).click();
	await page.getByText("No subscriptions.").waitFor();
	await dashboard.go("/journal");
	await page.getByRole("list", { name: "Events, newest first" }).getByText("subscription.added").waitFor();
	await page.getByRole("searchbox", { name: "Search conversations" }).fill("zebra");
	await page.getByRole("searchbox", { name: "Search conversations" }).press("Enter");
	await page.getByRole("list", { name: "Found" }).getByText("the zebra crosses").first().waitFor();
	await dashboard.isAccessible();
	await dashboard.go("/journal?kind=mail.sent");
	await page.getByText("No matching events.").waitFor();
	await world.client.call("send", { ...params(agent), body: { body: "hello" } });
	await page.getByRole("button", { name: "Show newer events" }).click();
	await page.getByText("mail.sent").waitFor();
	const open = page.getByRole("button", { name: /mail\.sent/ });
	await open.click();
	await page.getByText(/^by human\s+hello$/).waitFor();
	await dashboard.isAccessible();
	await page.getByRole("combobox", { name: "Agent" }).selectOption(`${slug}/talker`);
	await open.waitFor();
	await page.getByRole("combobox", { name: "Agent" }).selectOption("init");
	await page.getByText("No matching events.").waitFor();
	await dashboard.go("/journal?text=zebra&kind=mail.sent");
	await page.getByRole("list", { name: "Found" }).waitFor();
	expect(await page.getByRole("combobox", { name: "Kind of event" }).isDisabled()).toBe(true);
	// a folder that goes is one problem, and is found when somebody looks
	dashboard.expects(/410 .*\/settings$/);
	renameSync(folder, `${folder}-away`);
	await dashboard.go("/");
	await page.getByRole("link", { name: "1 problem" }).click();
	const gone = page.getByRole("region", { name: new RegExp(`Project ${slug}`) }).getByText(folder);
	await gone.nth(1).waitFor();
	// the heading, the problem and its fix
	expect(await gone.count()).toBe(2);
	renameSync(`${folder}-away`, folder);
	await dashboard.go("/settings");
	const section = page.getByRole("region", { name: new RegExp(`Project ${slug}`) });
	await section.getByLabel("Automatic work").selectOption("on");
	await section.getByLabel("Agent type of new agents").selectOption("scripted");
	const settings = async () => await world.client.call("project", { params: { project: slug } });
	await expect.poll(settings, longTimeout).toMatchObject({ auto: true, agentType: "scripted" });
	await section.getByLabel("Agent type of new agents").selectOption("none");
	await expect.poll(settings, longTimeout).toMatchObject({ agentType: null });
	await page.getByLabel("Theme").selectOption("dark");
	await page.locator("html[data-theme=dark]").waitFor();
	await dashboard.isAccessible();
	await page.getByLabel("Theme").selectOption("system");
	await page.locator("html:not([data-theme])").waitFor();
	const repository = freshRepository({ "a.txt": "one\n" });
	await dashboard.go("/projects/new");
	await page.getByLabel(/Folder of a git repository/).fill(repository);
	await page.getByLabel("Name").fill("zoo-added-here");
	await dashboard.isAccessible();
	await page.getByLabel("Name").press("Enter");
	await page.getByRole("heading", { name: "Add an agent" }).waitFor();
	await expect.poll(() => page.getByLabel("Project").inputValue()).toBe("zoo-added-here");
	await page.getByLabel("Agent type").selectOption("scripted");
	await page.getByLabel(/Name/).fill("from-the-form");
	await page.getByLabel("First prompt").fill("say made by a form");
	await dashboard.isAccessible();
	await page.getByRole("button", { name: "Add the agent" }).click();
	await page.waitForURL(/\/agents\/[\w-]{22}$/);
	await page.getByText("made by a form").first().waitFor();
	expect((await world.client.call("agent", { params: { agent: "zoo-added-here/from-the-form" } })).type).toBe(
		"scripted",
	);
});

test("on a phone no page scrolls sideways, and on a wide screen pages have one width", async () => {
	const { slug, add } = await world.project({ "a.txt": "one\n" });
	const agent = await add({ name: "pocket" });
	writeFileSync(at(agent, "a.txt"), `${"a long line ".repeat(40)}\n`);
	await world.client.call("commit", { ...params(agent), body: { message: "work" } });
	await world.client.call("issueAdd", { params: { project: slug }, body: { title: `Long ${"title ".repeat(30)}` } });
	const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
	await using dashboard = await Dashboard.open(browser, world.daemon, "/", phone);
	const { page } = dashboard;
	const widths: [string, number][] = [];
	const paths = ["/agents/new", "/projects/new", "/subscriptions", "/journal", "/settings"];
	paths.push(`/agents/${agent.id}/review`, `/projects/${slug}/issues`, `/projects/${slug}/issues/1`);
	for (const to of paths) {
		await dashboard.go(to);
		await page.getByRole("heading", { level: 1 }).waitFor();
		if (to.endsWith("review")) await page.getByText("no conflicts").waitFor();
		widths.push([to, await page.evaluate(() => Reflect.get(globalThis, "document").documentElement.scrollWidth)]);
	}
	expect(widths).toEqual(paths.map((to) => [to, 390]));
	await page.setViewportSize({ width: 1920, height: 900 });
	// beside a long title the buttons stay together
	const tops = ["Edit…", "Start", "Assign…"].map(
		async (name) => await page.getByRole("button", { name }).boundingBox(),
	);
	expect(new Set((await Promise.all(tops)).map((box) => box?.y))).toHaveLength(1);
	const places = [await page.locator(".issue").boundingBox()];
	for (const [to, content] of [
		["/", ".overview"],
		["/inbox", ".inbox"],
	] as const) {
		await dashboard.go(to);
		places.push(await page.locator(content).boundingBox());
	}
	expect(new Set(places.map((box) => `${box?.x} ${box?.width}`))).toEqual(new Set(["464 1200"]));
});
