// A project with agents at two nodes: there is one base, that of its home.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { system } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { freshRepository } from "#test/support/repository.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params, refusal } from "#test/support/test-daemon.ts";
import { startNode, type TestNode, TwoNodes } from "#test/support/two-nodes.ts";

/** A commit in the agent's workspace, made by a person who sits there. */
function committed(agent: Agent, file: string): string {
	writeFileSync(at(agent, file), `${file}\n`);
	git(at(agent), "add", "--all");
	git(at(agent), "commit", "-qm", `Add ${file}`);
	return git(at(agent), "rev-parse", "HEAD");
}

const tip = (repository: string): string => git(repository, "rev-parse", "main");
const siteAdd = (node: TestNode, slug: string, there: string, at: TestNode) =>
	node.client.call("siteAdd", { params: { project: slug }, body: { node: at.id, path: there } });

test("a site is a clone; merges reach the project's home, and the bases of other nodes follow it", {
	timeout: 120_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const { slug, repository } = project;
	const of = { params: { project: slug } };

	// control: another repository, with commits of its own
	const foreign = await refusal(siteAdd(a, slug, freshRepository({ "README.md": "one\n", other: "1\n" }), b));
	expect(foreign).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("no commit in common") });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", repository, site);
	// nothing may come from there by itself
	git(site, "remote", "remove", "origin");
	await siteAdd(a, slug, site, b);

	const far = await project.add();
	const near = await project.add();
	const idle = await project.add();
	const moved = await a.client.ask("agentMove", { ...params(far), body: { to: b.id } });
	const other = await a.client.ask("agentMove", { ...params(idle), body: { to: b.id } });

	// a merge at the home is seen at the site
	const first = committed(near, "near.txt");
	const approved = await b.client.ask("approve", { ...params(near), body: { strategy: "ff" } });
	expect(approved.synced.map(({ handle, updated: went }) => [handle, went])).toEqual([
		[far.handle, true],
		[idle.handle, true],
	]);
	expect([tip(repository), tip(site), git(at(moved), "rev-parse", "HEAD")]).toEqual([first, first, first]);

	// a merge of the moved agent is made at the home, asked at either node
	const second = committed(moved, "far.txt");
	writeFileSync(at(moved, "loose.txt"), "not committed\n");
	expect(await refusal(a.client.ask("approve", { ...params(far), body: {} }))).toMatchObject({
		code: "WORKTREE_DIRTY",
	});
	git(at(moved), "clean", "-qf");
	expect(await refusal(a.client.ask("approve", { ...params(far), body: { commit: first } }))).toMatchObject({
		code: "CONFLICT",
	});
	expect(tip(repository)).toBe(first);
	const merged = await a.client.ask("approve", { ...params(far), body: { strategy: "merge" } });
	expect(merged.merged).toMatchObject({ reviewed: second, base: "main", before: first });
	expect([tip(repository), tip(site)]).toEqual([merged.merged.commit, merged.merged.commit]);
	expect(git(repository, "show", "main:far.txt")).toBe("far.txt");
	expect(Object.fromEntries(merged.synced.map(({ handle, updated: went }) => [handle, went]))).toEqual({
		[far.handle]: true,
		[near.handle]: true,
		[idle.handle]: true,
	});

	// what a person commits at the home reaches an agent at the site by a sync of the project, or its own
	git(repository, "commit", "-q", "--allow-empty", "-m", "By hand");
	const synced = await b.client.ask("syncProject", { ...of, body: {} });
	expect(synced.synced.filter((each) => each.updated)).toHaveLength(3);
	expect(git(at(other), "rev-parse", "HEAD")).toBe(tip(repository));
	git(repository, "commit", "-q", "--allow-empty", "-m", "By hand again");
	expect(await a.client.ask("sync", { ...params(other), body: {} })).toMatchObject({ updated: true });
	expect([tip(site), git(at(other), "rev-parse", "HEAD")]).toEqual([tip(repository), tip(repository)]);

	// commits that only the site's base has would be merged unseen
	git(site, "commit", "-q", "--allow-empty", "-m", "Only here");
	const third = committed(moved, "third.txt");
	const seen = tip(repository);
	expect(await refusal(a.client.ask("approve", { ...params(far), body: {} }))).toMatchObject({
		code: "CONFLICT",
		message: expect.stringMatching(/^At node \S+: main in .* has 1 commit that main at the project's home node lacks/),
		suggestions: [expect.stringMatching(/^at node \S+: git -C \//)],
	});
	expect(tip(repository)).toBe(seen);
	git(site, "reset", "-q", "--hard", "HEAD^");

	// outside of an approve nobody merges through the route that nodes use
	const direct = { ...of, body: { agent: far.id, commit: third } };
	expect(await refusal(a.client.ask("siteMerge", direct))).toMatchObject({ code: "CONFLICT" });

	// the home moves to the site: merges are made there, and the former home follows
	const config = path.join(a.home, "projects", slug, "config.yaml");
	const moveTo = (node: TestNode) => a.client.ask("projectMove", { ...of, body: { to: node.id } });
	writeFileSync(config, "merge: ff\n");
	expect(await refusal(moveTo(b))).toMatchObject({ message: expect.stringContaining("config.yaml") });
	rmSync(config);
	expect(await refusal(moveTo(a))).toMatchObject({ code: "CONFLICT" });
	const home = async () => (await a.daemon.engine.reads.project(project.slug))?.node;
	expect([(await moveTo(b)).path, await home()]).toEqual([site, b.id]);
	expect(await a.client.call("sites", of)).toEqual([{ node: a.id, path: repository }]);
	expect(await b.client.ask("sync", { ...params(near), body: {} })).toMatchObject({ updated: true });
	const fourth = committed(near, "fourth.txt");
	const there = await a.client.ask("approve", { ...params(near), body: { strategy: "ff" } });
	expect(there.merged.commit).toBe(fourth);
	expect([tip(site), tip(repository)]).toEqual([fourth, fourth]);
	// an issue with work is in the repository of the home
	const issue = await a.client.call("issueAdd", { ...of, body: { title: "Begun" } });
	await b.client.ask("issueAssign", {
		params: { issue: `${slug}#${issue.number}` },
		body: { agent: `${slug}/${far.handle}` },
	});
	expect(await refusal(moveTo(a))).toMatchObject({ code: "CONFLICT", details: { issues: [issue.number] } });
	const about = { params: { issue: `${slug}#${issue.number}` } };
	// its turn may be running, and then its agent is on its way
	const isDone = async (asked: Promise<unknown>): Promise<boolean> =>
		await asked.then(
			() => true,
			() => false,
		);
	await expect.poll(() => isDone(b.client.ask("issueUnassign", { ...about, body: {} })), longTimeout).toBe(true);
	await expect.poll(() => isDone(b.client.ask("issueDelete", about)), longTimeout).toBe(true);
	expect([(await moveTo(a)).path, await home()]).toEqual([repository, a.id]);
	const before = tip(repository);

	// without the home there is no merge, and the agents of a node that is away are named
	await done(b.daemon.engine, { type: "node.leave", node: a.id }, { as: system, key: null });
	expect(await refusal(b.client.ask("approve", { ...params(far), body: {} }))).toMatchObject({ code: "NODE_DOWN" });
	expect(await refusal(b.client.ask("sync", { ...params(far), body: {} }))).toMatchObject({ code: "NODE_DOWN" });
	expect(tip(repository)).toBe(before);

	// the home is taken from a node that is gone only by force: what its base alone had stays there
	git(repository, "commit", "-q", "--allow-empty", "-m", "Seen nowhere else");
	const alone = tip(repository);
	const take = (force: boolean) => b.client.ask("projectMove", { ...of, body: { to: b.id, force } });
	expect(await refusal(take(false))).toMatchObject({
		code: "NODE_DOWN",
		suggestions: [`brood project move ${slug} --to ${(await b.daemon.engine.reads.node(b.id))?.name} --force`],
	});
	expect([await home(), tip(site)]).toEqual([a.id, before]);
	expect([(await take(true)).path, await home()]).toEqual([site, b.id]);
	const taken = await b.client.ask("approve", { ...params(far), body: { strategy: "merge" } });
	expect(tip(site)).toBe(taken.merged.commit);
	expect(git(site, "show", "main:third.txt")).toBe("third.txt");
	expect(tip(repository)).toBe(alone);
	// it comes back as a site, which keeps its commit and says so instead of following
	await a.daemon[Symbol.asyncDispose]();
	await using back = (await startNode(nodes.url, {}, a.home)).daemon;
	expect((await back.engine.reads.project(project.slug))?.node).toBe(b.id);
	const behind = await refusal(b.client.ask("sync", { ...params(near), body: {} }));
	expect(behind).toMatchObject({ code: "CONFLICT" });
	expect(tip(repository)).toBe(alone);
});
