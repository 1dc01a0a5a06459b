// Issues on their way through the stages, with agents that have no processes.

import { expect, test } from "vitest";
import { refuse } from "#contract/refusal.ts";
import { everyAgent } from "#test/support/every.ts";
import { issueWorld } from "#test/support/issues.ts";
import { done, refused } from "#test/support/say.ts";
import { settled } from "#test/support/settled.ts";

test("an issue is assigned, worked on, reviewed and done", async () => {
	await using place = await issueWorld();
	const { engine, driver, add, agent, tell, end, issue } = place;
	const font = await add("Replace the font", { body: "Use Inter.\nEverywhere." });
	expect(font).toMatchObject({ number: 1, stage: "TODO", preset: "lean", assignee: null, branch: null });
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	expect(await issue(font)).toMatchObject({
		stage: "IN_PROGRESS",
		assignee: opus.id,
		branch: "issue/1-replace-the-font",
	});
	const [prompt] = driver.started;
	expect(prompt?.text.split("\n")).toEqual(expect.arrayContaining(["Replace the font", "Use Inter.", "Everywhere."]));
	await end(opus, { complete: "Replaced it." });
	expect(await issue(font)).toMatchObject({
		stage: "IN_REVIEW",
		waiting: "approval",
		assignee: null,
		returning: null,
		run: null,
	});
	expect(await engine.reads.runs(font.id)).toMatchObject([
		{ stage: "IN_PROGRESS", state: "completed", work: true, summary: "Replaced it.", agent: opus.id },
	]);
	expect(await engine.reads.agent(opus.id)).toMatchObject({ issue: null, activity: "idle", totalTasksCompleted: 1 });
	expect((await engine.reads.newestItem(opus.id))?.kind).toBe("clear");
	await tell({ type: "issue.approve", issueId: font.id });
	expect(await issue(font)).toMatchObject({
		stage: "DONE",
		waiting: null,
		approvedBy: "human",
		doneAt: expect.any(Number),
	});
});

test("a rejection goes back to the agent that did it, with the reason in its prompt", async () => {
	await using place = await issueWorld();
	const { driver, add, agent, tell, end, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	await end(opus, { complete: "Replaced it." });
	await tell({ type: "issue.reject", issueId: font.id, reason: "The footer\nhas the old one." });
	expect(await issue(font)).toMatchObject({ stage: "IN_PROGRESS", assignee: opus.id });
	expect(driver.started.at(-1)?.text).toContain("[from human]\n| The footer\n| has the old one.");
	await end(opus, { complete: "Now really." });
	expect(await issue(font)).toMatchObject({ stage: "IN_REVIEW" });
});

test("a run without work keeps its stage and asks for attention; a person's answer to the agent is its next run", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell, end, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	await end(opus, { text: "Which font?" });
	expect(await issue(font)).toMatchObject({
		stage: "IN_PROGRESS",
		assignee: opus.id,
		attention: { reason: expect.stringContaining("Which font?") },
	});
	// idle it is, and yet it has something to do
	const other = await agent("other");
	const { scheduler, reads } = engine;
	const agents = (await everyAgent(reads)).filter(({ project }) => project === "web");
	const why = await scheduler.whyNotFree(agents, await scheduler.capacity());
	expect([...why].map(([{ id }, short]) => [id, short?.reason ?? null])).toEqual([
		[opus.id, "it is assigned to an issue"],
		[other.id, null],
	]);
	await tell({ type: "prompt.queue", agent: opus.id, text: "Inter." });
	expect(await issue(font)).toMatchObject({ attention: null });
	await end(opus, { complete: "Inter it is." });
	expect(await issue(font)).toMatchObject({ stage: "IN_REVIEW", attention: null });
	expect((await engine.reads.runs(font.id)).map(({ work }) => work)).toEqual([false, true]);
});

test("commits ahead of base are work as well, and the approval is pinned to the last one", async () => {
	await using place = await issueWorld({
		settle: async () => ({ ahead: 2, commit: "abcdef0123" }),
		merge: async () => ({ commit: "fedcba9876" }),
	});
	const { engine, add, agent, tell, end, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	await end(opus);
	expect(await issue(font)).toMatchObject({ stage: "IN_REVIEW", commit: "abcdef0123" });
	expect(await refused(engine, { type: "issue.approve", issueId: font.id, commit: "1234567" })).toMatchObject({
		code: "CONFLICT",
	});
	await tell({ type: "issue.approve", issueId: font.id, commit: "abcdef0" });
	expect(await issue(font)).toMatchObject({ stage: "DONE", approvedCommit: "abcdef0123", mergedCommit: "fedcba9876" });
});

test("a step that finds the workspace in use by another step is tried again, and is not a failure", async () => {
	const steps: string[] = [];
	const busy = new Set(["switchBranch", "settle", "returnToHomeBranch"]);
	const inUse = <T>(step: string, answer: T) => {
		steps.push(step);
		return busy.delete(step) ? refuse("AGENT_BUSY", "The workspace of opus is being worked on (fork).") : answer;
	};
	await using place = await issueWorld({
		switchBranch: async ({ branch }) => inUse("switchBranch", { branch }),
		settle: async () => inUse("settle", { ahead: 1, commit: "abcdef0123" }),
		returnToHomeBranch: async () => inUse("returnToHomeBranch", null),
	});
	const { engine, add, agent, tell, end, issue } = place;
	/** An event of the agent wakes the reactor, as the end of the other step does. */
	const wake = async () => {
		await tell({ type: "agent.pause", agent: opus.id });
		await tell({ type: "agent.resume", agent: opus.id });
	};
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	expect(await issue(font)).toMatchObject({ assignee: opus.id, attention: null });
	await wake();
	await end(opus);
	expect(await issue(font)).toMatchObject({ stage: "IN_PROGRESS", run: expect.any(Number) });
	await wake();
	expect(await issue(font)).toMatchObject({ stage: "IN_REVIEW", returning: null, attention: null });
	expect(await engine.reads.agent(opus.id)).toMatchObject({ holds: [], activity: "idle", issue: null });
	expect(steps).toEqual([
		"switchBranch",
		"switchBranch",
		"settle",
		"settle",
		"returnToHomeBranch",
		"returnToHomeBranch",
	]);
});

test("a merge that is refused leaves the issue in review, with the reason", async () => {
	await using place = await issueWorld({ merge: async () => refuse("MERGE_CONFLICT", "a.txt is in conflict.") });
	const { add, agent, tell, end, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	await end(opus, { complete: "ok" });
	await tell({ type: "issue.approve", issueId: font.id });
	expect(await issue(font)).toMatchObject({
		stage: "IN_REVIEW",
		waiting: "approval",
		attention: { reason: expect.stringContaining("a.txt") },
	});
});

test("a branch that cannot be checked out frees the agent and says why", async () => {
	await using place = await issueWorld({
		switchBranch: async () => refuse("WORKTREE_DIRTY", "b.txt is not committed."),
	});
	const { engine, driver, add, agent, tell, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	expect(await issue(font)).toMatchObject({
		stage: "IN_PROGRESS",
		assignee: null,
		returning: null,
		attention: { reason: expect.stringContaining("b.txt") },
	});
	expect(await engine.reads.agent(opus.id)).toMatchObject({ issue: null, activity: "idle", totalTasksCompleted: 0 });
	expect([driver.started, await engine.reads.prompts(opus.id)]).toEqual([[], []]);
});

test("an agent that is killed gives its issue back", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell, issue } = place;
	const font = await add("Replace the font");
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	await tell({ type: "agent.kill", agent: opus.id });
	expect(await issue(font)).toMatchObject({
		assignee: null,
		returning: null,
		run: null,
		attention: { reason: expect.stringMatching(/killed/) },
	});
	expect(await engine.reads.runs(font.id)).toMatchObject([{ state: "interrupted", work: false }]);
});

test("automatic work takes agents that are new or were released, also if the system told them something since, and no others", async () => {
	await using place = await issueWorld();
	const { engine, driver, add, agent, tell, end } = place;
	const [talking, released] = [await agent("talking"), await agent("released")];
	await tell({ type: "prompt.queue", agent: talking.id, text: "hello" });
	await end(talking);
	const first = await add("First");
	await tell({ type: "issue.assign", issueId: first.id, agent: released.id });
	await end(released, { complete: "done" });
	await tell({ type: "item.append", agent: released.id, kind: "system", text: "Your branch is 2 commits behind." });
	const second = await add("Second");
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 2 });
	expect(await place.issue(second)).toMatchObject({ assignee: released.id });
	await add("Third");
	expect(driver.running).toEqual([released.id]);
	expect((await everyAgent(engine.reads)).filter(({ project }) => project === "web")).toHaveLength(2);
});

test("an issue that only a held agent could take needs a person, and goes on by itself when the agent does", async () => {
	await using place = await issueWorld();
	const { add, agent, tell } = place;
	const paused = await agent("paused");
	await tell({ type: "agent.pause", agent: paused.id });
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 1 });
	const font = await add("Replace the font");
	const needed = {
		code: "AGENT_NOT_FOUND",
		reason: expect.stringMatching(/are held.* brood agent resume web\/paused, or/),
	};
	expect(await place.issue(font)).toMatchObject({ assignee: null, attention: needed });
	await tell({ type: "agent.resume", agent: paused.id });
	expect(await place.issue(font)).toMatchObject({ assignee: paused.id, attention: null });
});

test("an issue waits for a slot like any other work; with `now` it is refused instead, and nothing is claimed", async () => {
	await using place = await issueWorld();
	const { engine, driver, add, agent, tell, issue } = place;
	const opus = await agent("opus");
	await tell({ type: "subscription.add", name: "one-slot", agentType: opus.type, maxConcurrent: 1 });
	const other = await agent("other");
	await tell({ type: "prompt.queue", agent: other.id, text: "take the slot" });
	await settled(engine);
	expect(driver.running).toEqual([other.id]);
	const font = await add("Replace the font");
	expect(await refused(engine, { type: "issue.assign", issueId: font.id, agent: opus.id, now: true })).toMatchObject({
		code: "NO_SLOT",
	});
	expect(await issue(font)).toMatchObject({ stage: "TODO", assignee: null });
	await tell({ type: "issue.assign", issueId: font.id, agent: opus.id });
	expect([await issue(font), driver.running]).toMatchObject([{ assignee: opus.id }, [other.id]]);
	driver.open(other.id)?.end({ state: "completed", reason: null, text: "done" });
	await settled(engine);
	expect(driver.running).toEqual([opus.id]);
});

test("one issue, one agent: whoever comes second is refused", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell } = place;
	const [font, logo] = [await add("Font"), await add("Logo")];
	const [a, b] = [await agent("a"), await agent("b")];
	await tell({ type: "issue.assign", issueId: font.id, agent: a.id });
	expect(await refused(engine, { type: "issue.assign", issueId: logo.id, agent: a.id })).toMatchObject({
		code: "AGENT_BUSY",
	});
	expect(await refused(engine, { type: "issue.assign", issueId: font.id, agent: b.id })).toMatchObject({
		code: "CONFLICT",
	});
	await tell({ type: "agent.pause", agent: b.id });
	expect(await refused(engine, { type: "issue.assign", issueId: logo.id, agent: b.id })).toMatchObject({
		code: "AGENT_BUSY",
	});
});

test("with `project auto on` issues flow by themselves, agents are made up to the limit, and off stops after the current turns", async () => {
	await using place = await issueWorld();
	const { engine, driver, add, tell, end, issue } = place;
	const issues = [
		await add("One"),
		await add("Two", { priority: "critical" }),
		await add("Three", { dependsOn: [1] }),
		await add("Four"),
	];
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 2 });
	const agents = (await everyAgent(engine.reads)).filter(({ project }) => project === "web");
	expect(agents).toHaveLength(2);
	expect((await Promise.all(issues.map(issue))).map(({ stage }) => stage)).toEqual([
		"IN_PROGRESS",
		"IN_PROGRESS",
		"TODO",
		"TODO",
	]);
	await tell({ type: "project.configure", slug: "web", auto: false });
	for (const agent of agents) await end(agent, { complete: "done" });
	expect((await Promise.all(issues.map(issue))).map(({ stage }) => stage)).toEqual([
		"IN_REVIEW",
		"IN_REVIEW",
		"TODO",
		"TODO",
	]);
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true });
	await tell({ type: "issue.approve", issueId: issues[0]?.id });
	expect((await Promise.all(issues.map(issue))).map(({ stage }) => stage)).toEqual([
		"DONE",
		"IN_REVIEW",
		"IN_PROGRESS",
		"IN_PROGRESS",
	]);
	expect(driver.running).toHaveLength(2);
	await settled(engine);
});

test("automatic work takes no more issues than there are slots, and the next one when a slot is free", async () => {
	await using place = await issueWorld();
	const { engine, add, tell, end, issue } = place;
	const issues = [await add("One"), await add("Two"), await add("Three")];
	const stages = async () => (await Promise.all(issues.map(issue))).map(({ stage }) => stage);
	await tell({ type: "subscription.add", name: "plan", agentType: "scripted", maxConcurrent: 1 });
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 5 });
	expect(await stages()).toEqual(["IN_PROGRESS", "TODO", "TODO"]);
	const [first, ...others] = (await everyAgent(engine.reads)).filter(({ project }) => project === "web");
	if (first === undefined) throw new Error("no agent was made");
	expect(others).toEqual([]);
	await end(first, { complete: "done" });
	// what waits for a person needs no slot
	expect(await stages()).toEqual(["IN_REVIEW", "IN_PROGRESS", "TODO"]);
	await tell({ type: "subscription.configure", name: "plan", maxConcurrent: 2 });
	expect(await stages()).toEqual(["IN_REVIEW", "IN_PROGRESS", "IN_PROGRESS"]);
	await settled(engine);
});

test("an agent whose issue needs attention keeps no slot from automatic work", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell, end, issue } = place;
	const issues = [await add("One"), await add("Two"), await add("Three")];
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: issues[0]?.id, agent: opus.id });
	await end(opus, { text: "Which font?" });
	await tell({ type: "subscription.add", name: "plan", agentType: opus.type, maxConcurrent: 1 });
	await tell({ type: "project.configure", slug: "web", agentType: opus.type, auto: true, agentsMax: 5 });
	const rows = await Promise.all(issues.map(issue));
	expect(rows.map(({ stage, assignee, attention }) => [stage, assignee === opus.id, attention !== null])).toEqual([
		["IN_PROGRESS", true, true],
		["IN_PROGRESS", false, false],
		["TODO", false, false],
	]);
	await settled(engine);
});

test("an agent on its way to or from an issue's branch has no turn that could be interrupted", async () => {
	const [there, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	await using place = await issueWorld({
		switchBranch: async ({ branch }) => await there.promise.then(() => ({ branch })),
		returnToHomeBranch: async () => await back.promise.then(() => null),
	});
	const { engine, add, agent, end } = place;
	const [font, opus] = [await add("Replace the font"), await agent("opus")];
	const activity = async () => (await engine.reads.agent(opus.id))?.activity;
	const interrupt = { type: "agent.interrupt", agent: opus.id };
	await done(engine, { type: "issue.assign", issueId: font.id, agent: opus.id });
	expect([await activity(), (await refused(engine, interrupt)).code]).toEqual(["preparing", "NOT_RUNNING"]);
	there.resolve();
	await expect.poll(activity).toBe("running");
	await settled(engine);
	await end(opus, { complete: "Replaced it." });
	await expect.poll(activity).toBe("settling");
	expect(await refused(engine, interrupt)).toMatchObject({
		code: "NOT_RUNNING",
		message: "opus is still settling (done): no turn is running.",
		suggestions: ["brood wait web/opus"],
	});
	back.resolve();
	await expect.poll(activity).toBe("idle");
	expect((await engine.reads.agent(opus.id))?.holds).toEqual([]);
});
