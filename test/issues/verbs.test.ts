// Every stage × every verb of the shipped presets, and what may be done beside them.

import { describe, expect, test } from "vitest";
import { actingAgent } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { movesFrom } from "#domain/preset.ts";
import { shipped } from "#domain/presets.ts";
import { everyAgent } from "#test/support/every.ts";
import { type IssueWorld, issueWorld } from "#test/support/issues.ts";
import { done, refused, say } from "#test/support/say.ts";

/** An issue that has come to a stage by legal moves. */
async function at(place: IssueWorld, preset: string, stage: string): Promise<IssueState> {
	const made = await place.add(`At ${stage}`, { preset });
	const way = wayTo(preset, stage);
	for (const next of way) {
		const now = await place.issue(made);
		const final = shipped[preset]?.stages.find(({ name }) => name === next)?.final === true;
		await place.tell(
			final ? { type: "issue.approve", issueId: now.id } : { type: "issue.move", issueId: now.id, stage: next },
		);
	}
	const there = await place.issue(made);
	expect(there.stage).toBe(stage);
	return there;
}

/** The shortest way through next, back and also. */
function wayTo(preset: string, stage: string): string[] {
	const { stages } = shipped[preset] ?? { stages: [] };
	const ways = [[stages[0]?.name ?? ""]];
	for (const way of ways) {
		const last = stages.find(({ name }) => name === way.at(-1));
		if (last?.name === stage) return way.slice(1);
		for (const next of [last?.next, last?.back, ...(last?.also ?? [])])
			if (next !== undefined && !way.includes(next)) ways.push([...way, next]);
	}
	throw new Error(`no way to ${stage}`);
}

const cells = Object.entries(shipped).flatMap(([preset, { stages }]) =>
	stages.map(({ name }) => [preset, name] as const),
);

describe.each(cells)("%s in %s", (preset, stage) => {
	const found = shipped[preset]?.stages.find(({ name }) => name === stage);
	const before = stage === "TODO" || stage === "BACKLOG";

	test("moves exactly where the preset says", async () => {
		await using place = await issueWorld();
		const allowed = movesFrom(shipped[preset] ?? { stages: [] }, stage);
		for (const { name: to } of shipped[preset]?.stages ?? []) {
			const issue = await at(place, preset, stage);
			const outcome = await say(place.engine, { type: "issue.move", issueId: issue.id, stage: to });
			expect("done" in outcome ? "moved" : outcome.refused.code, to).toBe(
				allowed.includes(to) ? "moved" : "INVALID_TRANSITION",
			);
			// as when two people make the same move
			if (to === stage && "refused" in outcome)
				expect(outcome.refused.message).toBe(`web#${issue.number} is in ${to} already.`);
		}
	});

	test("start, approve, reject and assign are legal exactly where they mean something", async () => {
		await using place = await issueWorld();
		const agent = await place.agent("opus");
		const legal = {
			start: before,
			approve: found?.gate === "human",
			reject: found?.gate === "human" && found.back !== undefined,
			assign: before || found?.prompt !== undefined,
		};
		for (const [verb, expected] of Object.entries(legal)) {
			const issue = await at(place, preset, stage);
			const more = verb === "reject" ? { reason: "no" } : verb === "assign" ? { agent: agent.id } : {};
			const outcome = await say(place.engine, { type: `issue.${verb}`, issueId: issue.id, ...more });
			expect("done" in outcome ? "done" : outcome.refused.code, verb).toBe(expected ? "done" : "INVALID_TRANSITION");
		}
	});
});

test("dependencies block, are counted once, and never go in a cycle", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell } = place;
	const [a, b, c] = [await add("a"), await add("b"), await add("c")];
	await tell({ type: "issue.depend", issueId: a.id, on: 2 });
	await tell({ type: "issue.depend", issueId: b.id, on: 3 });
	await tell({ type: "issue.depend", issueId: a.id, on: 2 });
	expect((await place.issue(a)).dependsOn).toEqual([2]);
	expect(await refused(engine, { type: "issue.depend", issueId: c.id, on: 1 })).toMatchObject({
		code: "CONFLICT",
		details: { cycle: [3, 1, 2, 3] },
	});
	expect(await refused(engine, { type: "issue.depend", issueId: c.id, on: 3 })).toMatchObject({ code: "CONFLICT" });
	expect(await refused(engine, { type: "issue.depend", issueId: c.id, on: 9 })).toMatchObject({ code: "NOT_FOUND" });
	const opus = await agent("opus");
	expect(await refused(engine, { type: "issue.start", issueId: a.id })).toMatchObject({
		code: "CONFLICT",
		details: { blockedBy: [2] },
	});
	expect(await refused(engine, { type: "issue.assign", issueId: a.id, agent: opus.id })).toMatchObject({
		code: "CONFLICT",
	});
	expect(await refused(engine, { type: "issue.move", issueId: a.id, stage: "IN_PROGRESS" })).toMatchObject({
		code: "CONFLICT",
	});
	await tell({ type: "issue.delete", issueId: b.id });
	await tell({ type: "issue.start", issueId: a.id });
	expect((await place.issue(a)).stage).toBe("IN_PROGRESS");
});

test("a person moves and starts no more issues into a stage than its limit; what agents finish moves on", async () => {
	const release = { ...shipped["lean"], stages: structuredClone(shipped["lean"]?.stages ?? []) };
	for (const stage of release.stages) if (stage.name.startsWith("IN_")) Object.assign(stage, { wipMax: 1 });
	await using place = await issueWorld({ written: async () => ({ presets: { lean: release }, issues: {} }) });
	const { engine, add, agent, tell } = place;
	await tell({ type: "project.configure", slug: "web", presets: { lean: { preset: release } } });
	const [a, b] = [await add("a"), await add("b")];
	await tell({ type: "issue.move", issueId: a.id, stage: "IN_PROGRESS" });
	for (const command of [
		{ type: "issue.move", issueId: b.id, stage: "IN_PROGRESS" },
		{ type: "issue.start", issueId: b.id },
	])
		expect(await refused(engine, command)).toMatchObject({
			code: "CONFLICT",
			message: "IN_PROGRESS is full: it has 1 issue, and its limit is 1.",
			details: { to: "IN_PROGRESS", wipMax: 1, issues: [1] },
			suggestions: ["brood issue list --project web --stage IN_PROGRESS"],
		});
	// an assignment that would move it there, too; the one that is there already is assigned
	const fable = await agent("fable");
	expect(await refused(engine, { type: "issue.assign", issueId: b.id, agent: fable.id })).toMatchObject({
		code: "CONFLICT",
		message: "IN_PROGRESS is full: it has 1 issue, and its limit is 1.",
	});
	await tell({ type: "issue.assign", issueId: a.id, agent: fable.id });
	await place.end(fable, { failed: "no" });
	await tell({ type: "issue.unassign", issueId: a.id });
	// the control: a deleted issue and one that went back make room
	await tell({ type: "issue.move", issueId: a.id, stage: "IN_REVIEW" });
	await tell({ type: "issue.start", issueId: b.id });
	const opus = await agent("opus");
	await tell({ type: "issue.assign", issueId: b.id, agent: opus.id });
	await place.end(opus, { complete: "done" });
	expect([(await place.issue(a)).stage, (await place.issue(b)).stage]).toEqual(["IN_REVIEW", "IN_REVIEW"]);
});

test("numbers count per project from 1 and are never used twice", async () => {
	await using place = await issueWorld();
	const { engine, add, tell } = place;
	await done(engine, { type: "project.add", slug: "api", path: "/srv/api" });
	const first = await add("one");
	await tell({ type: "issue.delete", issueId: first.id });
	expect([(await add("two")).number, (await add("other", { project: "api" })).number]).toEqual([2, 1]);
	expect(await refused(engine, { type: "issue.edit", issueId: first.id, title: "x" })).toMatchObject({
		code: "NOT_FOUND",
	});
});

test("a message for a stage is told once, in the prompt of that stage", async () => {
	await using place = await issueWorld();
	const { engine, driver, add, agent, tell, end } = place;
	const issue = await add("Font", { preset: "quick-fix" });
	const opus = await agent("opus");
	expect(
		await refused(engine, { type: "issue.message", issueId: issue.id, stage: "MERGE_READY", text: "x" }),
	).toMatchObject({ code: "VALIDATION_ERROR" });
	await tell({ type: "issue.assign", issueId: issue.id, agent: opus.id });
	await done(
		engine,
		{ type: "issue.message", issueId: issue.id, stage: "PR_REVIEW", text: "Look at the footer." },
		{ as: actingAgent(opus.id) },
	);
	await end(opus, { complete: "done" });
	await tell({ type: "issue.assign", issueId: issue.id, agent: opus.id });
	expect(driver.started.map(({ text }) => text.includes("| Look at the footer."))).toEqual([false, true]);
	expect(await engine.reads.entries(issue.id)).toMatchObject([{ kind: "message", delivered: true }]);
	await end(opus, { complete: "The header is wrong too.", back: true });
	expect(await place.issue(issue)).toMatchObject({ stage: "FIXER", bounces: 1 });
	await tell({ type: "issue.assign", issueId: issue.id, agent: opus.id });
	expect(driver.started.at(-1)?.text).toContain("| The header is wrong too.");
	expect(driver.started.at(-1)?.text).not.toContain("footer");
});

test("documents keep their versions, and the same words again are none", async () => {
	await using place = await issueWorld();
	const { engine, add, tell } = place;
	const issue = await add("Font");
	for (const text of ["a", "b", "b"])
		await tell({ type: "issue.document", issueId: issue.id, name: "specs/font.md", docType: "spec", text });
	const versions = await engine.reads.listEntries({ issueId: issue.id, kind: "document" }, { after: 0, limit: 10 });
	expect(versions.rows.map(({ row: { version, text } }) => [version, text])).toEqual([
		[1, "a"],
		[2, "b"],
	]);
	expect(await engine.reads.entries(issue.id)).toEqual([versions.rows.at(-1)?.row]);
	await tell({ type: "issue.document", issueId: issue.id, name: "notes/a.md", text: "x" });
	for (const name of ["specs/font.md/more", "notes"])
		expect(await refused(engine, { type: "issue.document", issueId: issue.id, name, text: "x" })).toMatchObject({
			code: "CONFLICT",
			message: expect.stringMatching(/(font|a)\.md: a name cannot be a file and a folder/),
		});
	for (const name of ["specs//x.md", "specs/", "/x", "a/./b"])
		expect(await refused(engine, { type: "issue.document", issueId: issue.id, name, text: "x" })).toMatchObject({
			code: "VALIDATION_ERROR",
		});
});

test("only its own agent says that the work is complete, and only while it runs", async () => {
	await using place = await issueWorld();
	const { engine, add, agent, tell, end } = place;
	const issue = await add("Font");
	const [opus, other] = [await agent("opus"), await agent("other")];
	await tell({ type: "issue.assign", issueId: issue.id, agent: opus.id });
	await tell({ type: "prompt.queue", agent: other.id, text: "something else" });
	const complete = { type: "issue.report", issueId: issue.id, summary: "mine!" };
	expect(await refused(engine, complete, { as: actingAgent(other.id) })).toMatchObject({ code: "FORBIDDEN" });
	expect(await refused(engine, { type: "issue.unassign", issueId: issue.id })).toMatchObject({ code: "AGENT_BUSY" });
	await end(opus);
	expect(await refused(engine, complete)).toMatchObject({ code: "CONFLICT" });
	await tell({ type: "issue.unassign", issueId: issue.id });
	expect(await place.issue(issue)).toMatchObject({ assignee: null, returning: null });
	expect(await engine.reads.agent(opus.id)).toMatchObject({ issue: null, totalTasksCompleted: 0, activity: "idle" });
});

test("a repeated attempt has what the last prompt had, the words as they are now, and what was said since", async () => {
	await using place = await issueWorld({ switchBranch: async () => ({ branch: null }) });
	const { engine, add, tell, end } = place;
	const issue = await add("Font");
	const comment = (text: string) => tell({ type: "issue.comment", issueId: issue.id, text });
	await comment("the first comment");
	await tell({ type: "issue.message", issueId: issue.id, stage: "IN_PROGRESS", text: "a message for it" });
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 1 });
	const [agent] = (await everyAgent(engine.reads)).filter(({ project }) => project === "web");
	if (agent === undefined) throw new Error("no agent was made");
	await end(agent, { failed: "out of tokens" });
	await comment("the second comment");
	await tell({ type: "issue.edit", issueId: issue.id, body: "a body that somebody edited" });
	await tell({ type: "issue.retry", issueId: issue.id });
	const { prompt } = await place.issue(issue);
	const again = (await engine.reads.events({ after: (prompt ?? 1) - 1, limit: 1 }))[0]?.text ?? "";
	for (const part of ["the first comment", "the second comment", "a body that somebody edited", "a message for it"])
		expect(again.split(part).length, part).toBe(2);
});

test("a retry by the agent that has the issue sends the words as they are now, and what was said since", async () => {
	await using place = await issueWorld();
	const { driver, add, agent, tell, end } = place;
	const [issue, opus] = [await add("Font", { body: "the first words" }), await agent("opus")];
	await tell({ type: "issue.assign", issueId: issue.id, agent: opus.id });
	await end(opus);
	expect(await place.issue(issue)).toMatchObject({ assignee: opus.id, attention: expect.anything() });
	await tell({ type: "issue.comment", issueId: issue.id, text: "a comment" });
	await tell({ type: "issue.edit", issueId: issue.id, body: "other words" });
	await tell({ type: "issue.retry", issueId: issue.id });
	const text = driver.started.at(-1)?.text ?? "";
	expect([
		driver.started.length,
		...["a comment", "other words", "the first words"].map((part) => text.includes(part)),
	]).toEqual([2, true, true, false]);
});

test("what fails by itself is tried three times more, then a person has to look; a retry begins anew", async () => {
	await using place = await issueWorld({ switchBranch: async () => ({ branch: null }) });
	const { engine, add, tell, end, issue: look } = place;
	const issue = await add("Font");
	await tell({ type: "project.configure", slug: "web", agentType: "scripted", auto: true, agentsMax: 1 });
	const [agent] = (await everyAgent(engine.reads)).filter(({ project }) => project === "web");
	if (agent === undefined) throw new Error("no agent was made");
	await end(agent, { failed: "out of tokens" });
	expect(await look(issue)).toMatchObject({
		failures: 1,
		attention: null,
		assignee: null,
		notBefore: expect.any(Number),
	});
	await tell({ type: "issue.retry", issueId: issue.id });
	expect(await look(issue)).toMatchObject({ failures: 0, notBefore: null, assignee: agent.id });
});
