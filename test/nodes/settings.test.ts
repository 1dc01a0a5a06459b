// A project's settings are those of its home node, also for its agents at other nodes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { system } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params, refusal } from "#test/support/test-daemon.ts";
import { startNode, type TestNode, TwoNodes } from "#test/support/two-nodes.ts";

function configure({ home }: TestNode, slug: string, text: string): void {
	mkdirSync(path.join(home, "projects", slug), { recursive: true });
	writeFileSync(path.join(home, "projects", slug, "config.yaml"), text);
}

/** A project of A's with a site at B. */
async function shared(nodes: TwoNodes) {
	const project = await nodes.project({ "README.md": "one\n" });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	const { slug } = project;
	await nodes.a.client.call("siteAdd", { params: { project: slug }, body: { node: nodes.b.id, path: site } });
	return { ...project, site };
}

const move = async ({ client }: TestNode, agent: Agent, to: TestNode): Promise<Agent> =>
	await client.ask("agentMove", { ...params(agent), body: { to: to.id } });
const nameOf = async ({ daemon, id }: TestNode): Promise<string | undefined> =>
	(await daemon.engine.reads.node(id))?.name;

/** What a command says in the agent's process; the reason if its turn cannot start. */
async function said({ client }: TestNode, agent: Agent, command: string): Promise<string | null> {
	const { turn: before } = await lastOf(client, agent);
	await client.call("prompt", { ...params(agent), body: { text: `run (${command}) 2>&1; echo "exit $?"` } });
	const ended = async (): Promise<boolean> => {
		const now = await client.call("agent", params(agent));
		return now.holds.length > 0 || (now.turn === null && (await lastOf(client, agent)).turn !== before);
	};
	await expect.poll(ended, longTimeout).toBe(true);
	const { holds } = await client.call("agent", params(agent));
	return holds.length > 0 ? (holds[0]?.reason ?? "") : (await lastOf(client, agent)).text;
}

async function lastOf(client: TestNode["client"], agent: Agent): Promise<{ turn: number | null; text: string | null }> {
	const last = (await client.call("items", params(agent))).findLast(({ kind }) => kind === "tool_result");
	return { turn: last?.id ?? null, text: last?.text ?? null };
}

describe.runIf(hasSandboxes)("a project whose home node asks for a sandbox", () => {
	test("has one for its agents at every node, and none is looser than the settings say", {
		timeout: 120_000,
	}, async () => {
		await using nodes = await TwoNodes.open();
		const { a, b } = nodes;
		const { slug, add } = await shared(nodes);
		const secret = (node: TestNode) => `cat ${path.join(node.home, "token")}`;
		for (const { home } of [a, b]) writeFileSync(path.join(home, "token"), "the owner's");

		// control: without a sandbox it can be read
		const plain = await add();
		await move(a, plain, b);
		expect(await said(a, plain, secret(b))).toContain("the owner's");

		configure(a, slug, "sandbox: on\nsetup: touch made\n");
		// its first snapshot is being taken
		const hasty = await add();
		expect((await move(a, hasty, b)).node).toBe(b.id);
		const agent = await add();
		expect(await said(a, agent, secret(a))).not.toContain("the owner's");
		const moved = await move(a, agent, b);
		expect(existsSync(at(moved, "made"))).toBe(true);
		expect(await said(a, agent, `${secret(b)}; touch ${path.join(b.home, "written")}`)).toMatch(/No such file/);
		expect(existsSync(path.join(b.home, "written"))).toBe(false);
		// what was made before is not run on without one
		expect(await said(a, plain, secret(b))).toContain("before the project asked for a sandbox");

		// a file at the site loosens nothing, and is named
		configure(b, slug, "sandbox: off\nsnapshots: local\n");
		expect(await said(a, agent, secret(b))).toMatch(/No such file/);
		const ignored = {
			code: "PROJECT_CONFIG",
			text: `${slug}: projects/${slug}/config.yaml of this node says sandbox: "off", snapshots: "local". That is not used: the settings of its home node, ${await nameOf(a)}, are`,
		};
		expect(await a.client.call("health", params(agent))).toMatchObject({ healthy: false, issues: [ignored] });
		await b.client.call("projects", { query: { check: "true" } });
		expect((await b.client.call("status")).problems).toMatchObject([
			{ what: `project ${slug}`, text: ignored.text.replace(`${slug}: `, "") },
		]);
		rmSync(path.join(b.home, "projects", slug, "config.yaml"));
		expect(await a.client.call("health", params(agent))).toEqual({
			...{ healthy: true, issues: [] },
			former: [{ node: a.id, trash: expect.any(String) }],
		});
	});
});

test("settings of a home node that is gone count at its sites, and are not lost with it", {
	timeout: 120_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const { slug, add } = await shared(nodes);
	const of = { params: { project: slug } };
	configure(a, slug, "setup: echo first > made\nmerge: ff\nenv: [TOKEN=secret]\n");
	const agent = await add();
	await b.client.ask("agentUpload", params(agent)).catch(() => null);
	configure(a, slug, "setup: echo second > made\nmerge: ff\nenv: [TOKEN=secret]\n");
	const other = await add();
	expect((await move(a, other, b)).node).toBe(b.id);
	const row = await b.daemon.engine.reads.project(slug);
	// values of variables are never in the journal
	expect(row?.homeConfig).toEqual({ setup: "echo second > made", merge: "ff" });
	await expect
		.poll(async () => (await b.daemon.engine.reads.agent(agent.id))?.bundles.length, longTimeout)
		.toBeGreaterThan(0);
	await a.daemon[Symbol.asyncDispose]();
	await done(b.daemon.engine, { type: "node.leave", node: a.id }, { as: system, key: null });
	const moved = await move(b, agent, b);
	expect(readFileSync(at(moved, "made"), "utf8")).toBe("second\n");

	// another home node has to have them
	const take = () => b.client.ask("projectMove", { ...of, body: { to: b.id, force: true } });
	expect(await refusal(take())).toMatchObject({
		code: "CONFLICT",
		message: expect.stringContaining('There it said setup: "echo second > made", merge: "ff".'),
	});
	configure(b, slug, "merge: ff\nsetup: echo third > made\n");
	expect(await refusal(take())).toMatchObject({
		message: expect.stringContaining('said setup: "echo second > made".'),
	});
	configure(b, slug, "merge: ff\nsetup: echo second > made\n");
	expect((await take()).node).toBe(b.id);
	await using _back = (await startNode(nodes.url, {}, a.home)).daemon;
});

test("the .brood.yaml of the home node's base counts at its sites, whatever their own base has", {
	timeout: 120_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const { slug, add, repository, site } = await shared(nodes);
	const of = { params: { project: slug } };
	const write = (folder: string, text: string): void => {
		writeFileSync(path.join(folder, ".brood.yaml"), `setup: echo ${text} > made\n`);
		// what is ignored does not come along: it is made at the site
		writeFileSync(path.join(folder, ".gitignore"), "made\n");
		git(folder, "add", ".brood.yaml", ".gitignore");
		git(folder, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", text);
	};
	const approve = async (): Promise<void> => {
		const { fingerprint } = await a.client.call("projectSettings", of);
		await a.client.call("projectApprove", { ...of, body: { fingerprint: fingerprint ?? "" } });
	};
	// nobody has synced the site; then its own base has another one
	for (const text of ["first", "second"]) {
		write(repository, text);
		await approve();
		expect(readFileSync(at(await move(a, await add(), b), "made"), "utf8")).toBe(`${text}\n`);
		if (text === "first") write(site, "the site's");
	}
	expect(git(site, "log", "-1", "--format=%s")).toBe("the site's");
});
