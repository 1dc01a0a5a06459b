// Moving agents between nodes: the tree at the new node is the one of the last snapshot, and nothing of the old one is
// lost.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { Refused } from "#client/client.ts";
import { human, system } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { Agent } from "#contract/wire.ts";
import { moveHere } from "#engine/workspaces/moving.ts";
import { fingerprint } from "#test/support/dirty-trees.ts";
import { at } from "#test/support/in-workspace.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params, refusal } from "#test/support/test-daemon.ts";
import { type TestNode, TwoNodes } from "#test/support/two-nodes.ts";

const now = async ({ client }: TestNode, agent: Agent): Promise<Agent> => await client.call("agent", params(agent));
const move = async ({ client }: TestNode, agent: Agent, to: TestNode): Promise<Agent> =>
	await client.ask("agentMove", { ...params(agent), body: { to: to.id } });

/** Where the files of an agent that was moved away are. */
async function leftAt({ daemon }: TestNode, agent: Agent, node: TestNode): Promise<string | null> {
	const row = await daemon.engine.reads.agent(agent.id);
	return row?.former.findLast((each) => each.node === node.id)?.trash ?? null;
}

/** Files, modes, links, the index and a merge that is not finished. */
function makeDirty(agent: Agent): void {
	const folder = at(agent);
	git(folder, "checkout", "-q", "-b", "side");
	writeFileSync(at(agent, "README.md"), "side\n");
	git(folder, "commit", "-qam", "side");
	git(folder, "checkout", "-q", agent.workspace?.branch ?? "");
	writeFileSync(at(agent, "README.md"), "mine\n");
	git(folder, "commit", "-qam", "mine");
	expect(() => git(folder, "merge", "side")).toThrow();
	writeFileSync(at(agent, "staged.txt"), "staged\n");
	git(folder, "add", "staged.txt");
	writeFileSync(at(agent, "staged.txt"), "and changed\n");
	mkdirSync(at(agent, "deep"));
	writeFileSync(at(agent, "deep", "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
	symlinkSync("deep/run.sh", at(agent, "link"));
}

test("an agent is moved with all its files, from a node that lives and from one that fell", {
	timeout: 120_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const agent = await project.add();
	makeDirty(agent);
	const before = fingerprint(at(agent));

	// a repository without a remote has to be there
	const { name } = (await a.client.call("nodes")).find((each) => each.id === b.id) ?? {};
	expect(await refusal(move(b, agent, b))).toMatchObject({
		code: "CONFLICT",
		message: `${project.slug} has no repository at node ${name}.`,
	});
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	expect(await b.client.call("sites", { params: { project: project.slug } })).toEqual([{ node: b.id, path: site }]);

	// asked at the old node, carried out at the new one
	const moved = await move(a, agent, b);
	expect(moved).toMatchObject({ node: b.id, workspace: { path: expect.stringContaining(b.home) } });
	expect(fingerprint(at(moved))).toEqual(before);
	expect(git(site, "for-each-ref", "--format=%(refname)", "refs/brood/moved")).toBe("");
	expect((await a.client.call("items", params(agent))).at(-1)?.text).toContain("You were moved");
	// the old tree is kept, and said where
	await expect.poll(() => leftAt(b, agent, a), longTimeout).toContain(a.home);
	const trash = (await leftAt(b, agent, a)) ?? "";
	expect(existsSync(at(agent))).toBe(false);
	expect(existsSync(trash)).toBe(true);
	expect(await a.client.call("health", params(agent))).toMatchObject({
		former: [{ node: a.id, trash }],
	});
	// it works there
	expect((await a.client.call("diff", { ...params(moved), query: {} })).files.map(({ path }) => path)).toContain(
		"link",
	);

	// its node falls: what is in the database is enough
	writeFileSync(at(moved, "later.txt"), "later\n");
	await b.client.ask("agentUpload", params(moved));
	const last = fingerprint(at(moved));
	writeFileSync(at(moved, "lost.txt"), "after the last snapshot\n");
	const fallen = await a.daemon.engine.reads.node(b.id);
	await b.daemon[Symbol.asyncDispose]();
	await done(a.daemon.engine, { type: "node.leave", node: b.id }, { as: system, key: null });
	const back = await move(a, agent, a);
	expect(fallen?.epoch).toBe(1);
	expect(back).toMatchObject({ node: a.id, workspace: { path: expect.stringContaining(a.home) } });
	// the branch that it left here is its own
	expect(back.workspace?.branch).toBe(agent.workspace?.branch);
	expect(fingerprint(at(back)).files).toEqual(last.files);
	expect(fingerprint(at(back)).index).toEqual(last.index);

	// the other one comes back: its tree goes into its trash, with what was never in a snapshot
	await nodes.restartB();
	await expect.poll(() => leftAt(a, agent, b), longTimeout).toContain(b.home);
	const kept = (await leftAt(a, agent, b)) ?? "";
	expect(readFileSync(path.join(kept, "files", "lost.txt"), "utf8")).toBe("after the last snapshot\n");
	expect((await now(a, agent)).node).toBe(a.id);

	// what the database has of a deleted agent's files goes with it
	const database = new pg.Client(nodes.url);
	await database.connect();
	const bundles = async () => Number((await database.query("select count(*) from blob")).rows[0].count);
	expect(await bundles()).toBeGreaterThan(0);
	await b.client.ask("agentDelete", { ...params(agent), body: { force: true } });
	await expect.poll(bundles, longTimeout).toBe(0);
	await expect.poll(async () => (await a.daemon.engine.reads.agent(agent.id))?.bundles, longTimeout).toEqual([]);
	await database.end();
});

test("of two moves to one node at once, one is made and the other is refused; an agent can go back at once", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const agent = await project.add();
	writeFileSync(at(agent, "mine.txt"), "mine\n");
	git(at(agent), "add", "--all");
	git(at(agent), "commit", "-qm", "Add mine.txt");
	const head = git(at(agent), "rev-parse", "HEAD");
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });

	const both = await Promise.allSettled([move(a, agent, b), move(b, agent, b)]);
	const refused = both.flatMap((each) => (each.status === "rejected" ? [each.reason.refusal] : []));
	expect(refused).toMatchObject([{ code: "AGENT_BUSY", message: `${agent.handle} is being moved.` }]);
	const moved = await now(a, agent);
	expect(moved.node).toBe(b.id);
	expect(git(at(moved), "rev-parse", "HEAD")).toBe(head);
	expect(git(site, "rev-parse", moved.workspace?.branch ?? "")).toBe(head);
	expect(await a.client.call("health", params(agent))).toMatchObject({ healthy: true });

	// whether or not its first tree is in the trash yet
	writeFileSync(at(moved, "later.txt"), "later\n");
	const arrived = async () => (await move(a, agent, a).catch(() => now(a, agent))).node;
	await expect.poll(arrived, longTimeout).toBe(a.id);
	const back = await now(a, agent);
	expect(readFileSync(at(back, "later.txt"), "utf8")).toBe("later\n");
	await expect.poll(() => leftAt(a, agent, b), longTimeout).toContain(b.home);
	expect(await a.client.call("health", params(agent))).toMatchObject({ healthy: true });
});

test("only an idle agent is moved, to a node that is up, and only if nothing changed meanwhile", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const plain = await a.client.ask("agentAdd", { body: { type: "scripted", workspace: "none" } });
	expect(await refusal(a.client.ask("agentMove", { ...params(plain), body: { to: "nowhere" } }))).toMatchObject({
		code: "NOT_FOUND",
	});
	const { name } = (await a.client.call("nodes")).find(({ id }) => id === a.id) ?? {};
	expect(await refusal(move(b, plain, a))).toMatchObject({
		code: "CONFLICT",
		message: `${plain.handle} is at node ${name} already.`,
	});
	// its node dies while it uploads
	const row = await a.daemon.engine.reads.agent((await (await nodes.project()).add()).id);
	if (row === undefined) expect.unreachable();
	const died = async () => refuse("NODE_DOWN", "The request may have been carried out.");
	expect(await moveHere(b.daemon.engine.moving, row, { force: false }, { actor: human }, died)).toMatchObject({
		code: "NODE_DOWN",
		message: expect.stringMatching(`^Nothing was moved: node ${name} stopped before`),
	});
	// without files nothing has to be made
	expect((await move(a, plain, b)).node).toBe(b.id);
	const from = { node: a.id, epoch: 1, turnEndedIn: null, snapshot: null };
	const again = { type: "agent.move", agent: plain.id, from };
	// control: from another node than it is at
	const outcome = await a.daemon.engine.dispatch({ actor: human, key: null, command: Object(again) });
	expect(outcome).toMatchObject({ refused: { code: "AGENT_BUSY" } });
	await done(b.daemon.engine, { type: "node.drain", node: a.id });
	expect(await move(b, plain, a).catch((error) => (error instanceof Refused ? error.refusal.code : error))).toBe(
		"NODE_DOWN",
	);
	await done(b.daemon.engine, { type: "node.resume", node: a.id });
	// the kill of an agent at another node is answered when its processes are gone
	const prompt = await a.client.ask("prompt", { ...params(plain), body: { text: "sleep 600000" } });
	await expect
		.poll(
			async () => (await a.client.call("turns", params(plain))).find((each) => each.prompt === prompt.id)?.state,
			longTimeout,
		)
		.toBeDefined();
	expect(await refusal(move(a, plain, a))).toMatchObject({ code: "AGENT_BUSY" });
	await a.client.ask("kill", { ...params(plain), body: {} });
	const said = await a.daemon.engine.reads.newestOfKind(plain.id, "agent.processesEnded", Number.MAX_SAFE_INTEGER);
	expect(said).toBeDefined();
});

test("an agent that was never given a turn, or was there before a site, is moved from a node that is gone", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const early = await project.add();
	writeFileSync(at(early, "README.md"), "before the site\n");
	const uploaded = async ({ id }: Agent) => (await b.daemon.engine.reads.agent(id))?.bundles.length;
	expect(await a.client.call("health", params(early))).toMatchObject({
		notUploaded: { since: null, reason: `${project.slug} has no repository at another node` },
	});
	expect((await now(b, early)).movable).toBe(false);
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	await expect.poll(() => uploaded(early), longTimeout).toBe(1);
	const late = await project.add();
	await expect.poll(() => uploaded(late), longTimeout).toBe(1);
	expect(await a.client.call("health", params(early))).not.toHaveProperty("notUploaded");
	await a.daemon[Symbol.asyncDispose]();
	expect((await b.client.call("agents", { query: {} })).map(({ movable }) => movable)).not.toContain(false);
	expect(readFileSync(at(await move(b, early, b), "README.md"), "utf8")).toBe("before the site\n");
	expect(readFileSync(at(await move(b, late, b), "README.md"), "utf8")).toBe("one\n");
});

test("of an agent that is moved in the middle of a rebase its branch is known, not where HEAD is", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	const agent = await project.add();
	const tree = at(agent);
	git(tree, "checkout", "-q", "-b", "other");
	writeFileSync(at(agent, "README.md"), "two\n");
	git(tree, "commit", "-qam", "two");
	git(tree, "checkout", "-q", agent.workspace?.branch ?? "");
	writeFileSync(at(agent, "README.md"), "three\n");
	git(tree, "commit", "-qam", "three");
	expect(() => git(tree, "rebase", "other")).toThrow();
	await move(b, agent, b);
	const { issues } = await b.client.call("health", params(agent));
	expect(issues.map(({ code }) => code)).toEqual(["OTHER_BRANCH", "OPERATION_OPEN"]);
});

test("an agent whose last snapshot is only at a node that is gone is moved by force alone, and is told what it has", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	const agent = await project.add();
	const uploaded = async () => (await nodes.b.daemon.engine.reads.agent(agent.id))?.bundles.length;
	await expect.poll(uploaded, longTimeout).toBe(1);
	mkdirSync(path.join(a.home, "projects", project.slug), { recursive: true });
	writeFileSync(path.join(a.home, "projects", project.slug, "config.yaml"), "snapshots: local\n");
	await a.client.ask("prompt", { ...params(agent), body: { text: "write later.txt words" } });
	const snapshots = async () => (await a.client.call("snapshots", params(agent))).length;
	await expect.poll(snapshots, longTimeout).toBe(2);
	const { name } = (await b.client.call("nodes")).find(({ id }) => id === a.id) ?? {};
	const tooLarge = { type: "agent.upload", agent: agent.id, reason: "it is too large" } as const;
	await done(a.daemon.engine, tooLarge, { as: system, key: null });
	await a.daemon[Symbol.asyncDispose]();

	expect(await refusal(move(b, agent, b))).toMatchObject({
		code: "SNAPSHOT_GONE",
		message: expect.stringContaining(`Its files are only at node ${name}`),
		details: { node: a.id, snapshot: "1" },
	});
	expect((await now(b, agent)).node).toBe(a.id);
	const moved = await b.client.ask("agentMove", { ...params(agent), body: { to: b.id, force: true } });
	const behind = `Your files are as snapshot 1 has them, the newest one in the database: what you changed after it is only at node ${name}.`;
	expect([moved.notes, existsSync(at(moved, "later.txt"))]).toEqual([[behind], false]);
	expect((await b.client.call("items", params(agent))).at(-1)?.text).toBe(behind);
	expect(await b.client.call("health", params(agent))).not.toHaveProperty("notUploaded");

	// the snapshots of its former node are not looked for here
	writeFileSync(at(moved, "new.txt"), "new\n");
	await nodes.b.daemon[Symbol.asyncDispose]();
	await nodes.restartB();
	await expect.poll(uploaded, longTimeout).toBe(2);
	expect(await nodes.b.client.call("health", params(agent))).not.toHaveProperty("notUploaded");
});

test("of an agent that was never uploaded it is said whether its node has to be started for a move", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const { slug, repository, add } = await nodes.project({ "README.md": "one\n" });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", repository, site);
	await a.client.call("siteAdd", { params: { project: slug }, body: { node: b.id, path: site } });
	mkdirSync(path.join(a.home, "projects", slug), { recursive: true });
	writeFileSync(path.join(a.home, "projects", slug, "config.yaml"), "snapshots: local\n");
	const agent = await add();
	const byForce = async () =>
		await refusal(b.client.ask("agentMove", { ...params(agent), body: { to: b.id, force: true } }));
	const name = (await b.daemon.engine.reads.node(a.id))?.name;
	const begin = `No snapshot of ${agent.handle} is in the database: its files are only at node ${name}`;
	expect(await byForce()).toMatchObject({
		code: "SNAPSHOT_GONE",
		message: `${begin}. That node is up: without --force it is asked for one.`,
		suggestions: [`brood agent health ${agent.handle}`],
	});
	await a.daemon[Symbol.asyncDispose]();
	expect(await byForce()).toMatchObject({
		message: `${begin}, which has to be started again.`,
		suggestions: ["brood node list"],
	});
});

test("commits that only origin has are fetched for a move, also from a node that fell", {
	timeout: 120_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const { slug, repository, add } = await nodes.project({ "README.md": "one\n" });
	const [origin, site] = [path.join(freshFolder(), "origin.git"), path.join(freshFolder(), "site")];
	git("/", "clone", "-q", "--bare", repository, origin);
	git(repository, "remote", "add", "origin", origin);
	git("/", "clone", "-q", origin, site);
	await a.client.call("siteAdd", { params: { project: slug }, body: { node: b.id, path: site } });
	git(repository, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "newer", "--allow-empty");
	git(repository, "push", "-q", "origin", "main");
	git(repository, "fetch", "-q", "origin");
	const agent = await add();
	writeFileSync(at(agent, "mine.txt"), "mine\n");
	await a.client.call("agentUpload", params(agent));
	const tip = git(at(agent), "rev-parse", "HEAD");
	// control: the site has none of it
	expect(() => git(site, "cat-file", "-e", tip)).toThrow();
	await a.daemon[Symbol.asyncDispose]();
	await done(b.daemon.engine, { type: "node.leave", node: a.id }, { as: system, key: null });
	const moved = await move(b, agent, b);
	expect([git(at(moved), "rev-parse", "HEAD"), readFileSync(at(moved, "mine.txt"), "utf8")]).toEqual([tip, "mine\n"]);
});
