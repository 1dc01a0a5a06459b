// Commits, merges and their authors, as plain git and scripts see them.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { sandboxModes } from "#test/support/processes.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, params, refusal, TestDaemon } from "#test/support/test-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
	daemon = await TestDaemon.open();
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const journal = async (agent: Agent, kind: string) =>
	(await daemon.client.call("journal", { query: { agent: agent.id, kind } })).events;

test.each(sandboxModes)("a plain git commit in a turn is linked like Brood's own, sandbox: %s", async (sandbox) => {
	const project = await daemon.project();
	writeFileSync(path.join(daemon.home, "projects", project.slug, "config.yaml"), `sandbox: ${sandbox}\n`);
	const agent = await project.add({ name: "one" });
	const { commit, finalItem } = await daemon.turn(
		agent,
		"write a.txt a\nrun git add a.txt && git commit -qm First\nwrite b.txt b\nrun git add b.txt && git commit -qm Second",
	);
	const tip = git(project.repository, "rev-parse", "brood/one");
	expect([commit, git(project.repository, "log", "-1", "--format=%s", tip)]).toEqual([tip, "Second"]);
	const items = await daemon.items(agent);
	expect(items.find(({ id }) => id === finalItem)?.data).toMatchObject({ commit: tip });
	const committed = await journal(agent, "workspace.committed");
	expect(committed.map(({ data }) => data)).toEqual([
		expect.objectContaining({ commit: git(project.repository, "rev-parse", `${tip}~`), files: ["A a.txt"] }),
		expect.objectContaining({ commit: tip, branch: "brood/one", files: ["A b.txt"], filesTotal: 1 }),
	]);
	// a turn without a commit has none
	expect((await daemon.turn(agent, "say nothing")).commit).toBe(null);
});

test("an issue without a commit has nothing to merge, unless that is meant", async () => {
	const project = await daemon.project();
	const agent = await project.add({ name: "one" });
	const added = await daemon.client.ask("issueAdd", {
		params: { project: project.slug },
		body: { title: "Think", body: "say thought" },
	});
	const issue = { params: { issue: `${project.slug}#${added.number}` } };
	await daemon.client.ask("issueAssign", { ...issue, body: { agent: agent.id } });
	const now = async () => await daemon.client.call("issue", issue);
	await expect.poll(async () => (await now()).attention !== null, { timeout: 20_000 }).toBe(true);
	await daemon.client.call("release", { ...params(agent), body: {} });
	await daemon.client.ask("issueMove", { ...issue, body: { stage: "IN_REVIEW" } });
	await expect.poll(async () => (await now()).waiting, { timeout: 20_000 }).toBe("approval");
	const refused = await refusal(daemon.client.ask("issueApprove", { ...issue, body: {} }));
	expect(refused).toMatchObject({
		code: "AGENT_NO_COMMIT",
		suggestions: expect.arrayContaining([`brood issue approve ${project.slug}#${added.number} --empty`]),
	});
	expect((await now()).stage).toBe("IN_REVIEW");
	const done = await daemon.client.ask("issueApprove", { ...issue, body: { empty: true } });
	expect([done.stage, done.mergedCommit]).toEqual(["DONE", null]);
});

test("an issue in conflict names the files and the next step", async () => {
	const project = await daemon.project({ "a.txt": "one\n" });
	const agent = await project.add({ name: "one" });
	const added = await daemon.client.ask("issueAdd", {
		params: { project: project.slug },
		body: { title: "Change", body: "write a.txt ours" },
	});
	const issue = { params: { issue: `${project.slug}#${added.number}` } };
	await daemon.client.ask("issueAssign", { ...issue, body: { agent: agent.id } });
	await expect
		.poll(async () => (await daemon.client.call("issue", issue)).waiting, { timeout: 20_000 })
		.toBe("approval");
	// what the agent left was committed for it, without a number that a forge would link to an issue of its own
	const { branch } = await daemon.client.call("issue", issue);
	expect(git(project.repository, "log", "-1", "--format=%s%n%(trailers:key=Brood-Issue)", branch ?? "")).toBe(
		`Change\nBrood-Issue: ${project.slug}#${added.number}`,
	);
	writeFileSync(path.join(project.repository, "a.txt"), "theirs\n");
	git(project.repository, "-c", "user.name=p", "-c", "user.email=p@localhost", "commit", "-qam", "theirs");
	const refused = await refusal(daemon.client.ask("issueApprove", { ...issue, body: {} }));
	expect(refused).toMatchObject({ code: "MERGE_CONFLICT", details: { files: ["a.txt"] } });
	expect(refused.suggestions[0]).toMatch(new RegExp(`^brood prompt ${project.slug}/one "Merge main into your branch`));
});

test("of an issue whose branch moved after its run, the commit that was named is merged, and no other", async () => {
	const project = await daemon.project({ "a.txt": "one\n" });
	const agent = await project.add({ name: "one" });
	const request = { title: "Change", body: "write a.txt two" };
	const added = await daemon.client.ask("issueAdd", { params: { project: project.slug }, body: request });
	const name = `${project.slug}#${added.number}`;
	const issue = { params: { issue: name } };
	await daemon.client.ask("issueAssign", { ...issue, body: { agent: agent.id } });
	const now = async () => await daemon.client.call("issue", issue);
	await expect.poll(async () => (await now()).waiting, { timeout: 20_000 }).toBe("approval");
	const { branch, commit } = await now();
	const later = git(project.repository, "commit-tree", `${branch}^{tree}`, "-p", `${branch}`, "-m", "later");
	git(project.repository, "update-ref", `refs/heads/${branch}`, later);
	const shown = await daemon.client.call("issueDiff", issue);
	expect(shown.commit).toBe(later);
	for (const body of [{}, { commit }])
		expect(await refusal(daemon.client.ask("issueApprove", { ...issue, body }))).toMatchObject({
			code: "CONFLICT",
			suggestions: [`brood issue diff ${name}`, `brood issue approve ${name} --commit ${later}`],
		});
	const done = await daemon.client.ask("issueApprove", { ...issue, body: { commit: later } });
	expect(done.stage).toBe("DONE");
	expect(git(project.repository, "log", "-1", "--format=%H", "main^2")).toBe(later);
});

test("a merge is committed by the person, with the agent as co-author", async () => {
	const project = await daemon.project();
	git(project.repository, "config", "user.name", "Ada");
	git(project.repository, "config", "user.email", "ada@example.invalid");
	const agent = await project.add({ name: "one" });
	await daemon.turn(agent, "write a.txt a\ncommit Work");
	await daemon.client.call("approve", { ...params(agent), body: {} });
	expect(git(project.repository, "log", "-1", "--format=%cn <%ce>%n%(trailers:key=Co-authored-by)", "main")).toBe(
		"Ada <ada@example.invalid>\nCo-authored-by: brood-agent-one <one@brood.local>",
	);
	expect(git(project.repository, "log", "-1", "--format=%an", "main^2")).toBe("brood-agent-one");
});

test("one repository is one project, and has one agent in the repository itself", async () => {
	const { repository, slug, add } = await daemon.project();
	const link = path.join(freshFolder(), "link");
	symlinkSync(repository, link);
	const bare = path.join(freshFolder(), "bare.git");
	git(repository, "clone", "-q", "--bare", repository, bare);
	const project = async (name: string, place: string) =>
		await refusal(daemon.client.call("projectAdd", { body: { slug: name, path: place } }));
	expect(await project("again", repository)).toMatchObject({ code: "CONFLICT", details: { project: slug } });
	expect(await project("again", link)).toMatchObject({ code: "CONFLICT", details: { project: slug } });
	expect((await project("again", path.join(repository, ".git"))).code).toBe("CONFLICT");
	const other = freshFolder();
	git(other, "init", "-q");
	expect(await project("inside", path.join(other, ".git"))).toMatchObject({ code: "VALIDATION_ERROR" });
	// two names for one bare repository
	await daemon.client.call("projectAdd", { body: { slug: "bare", path: bare } });
	mkdirSync(path.join(other, "x"));
	symlinkSync(bare, path.join(other, "x", "y"));
	expect((await project("bare2", path.join(other, "x", "y"))).code).toBe("CONFLICT");
	// a removed project frees its repository
	await daemon.client.call("projectRemove", { params: { project: "bare" } });
	await daemon.client.call("projectAdd", { body: { slug: "bare3", path: bare } });
	const main = await add({ name: "one", workspace: "main" });
	expect(main.workspace?.path).toBe(repository);
	expect((await refusal(add({ name: "two", workspace: "main" }))).code).toBe("CONFLICT");
	const share = daemon.client.ask("fork", { ...params(main), body: { workspace: "share" } });
	expect((await refusal(share)).code).toBe("CONFLICT");
});
