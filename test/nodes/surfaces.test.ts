// The command line and the agents' tools at a node that is not the agent's.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { knownToNode, questionFor } from "#surfaces/cli/uninstall.ts";
import { shell } from "#test/support/cli.ts";
import { at } from "#test/support/in-workspace.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params } from "#test/support/test-daemon.ts";
import { TwoNodes } from "#test/support/two-nodes.ts";

test("the command line reaches an agent's files and processes through another node", { timeout: 60_000 }, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const agent = await project.add({ name: "far" });
	writeFileSync(at(agent, "README.md"), "two\n");
	// not disposed: that would stop the daemon, which is this process
	const there = shell(b.home);
	const name = `${project.slug}/far`;
	expect((await there.brood("diff", name)).out).toContain("+two");
	expect((await there.json("commit", name, "-m", "From afar")).data).toMatchObject({ branch: agent.workspace?.branch });
	expect(git(at(agent), "log", "-1", "--format=%s")).toBe("From afar");
	expect((await there.brood("agent", "health", name)).out).toContain("healthy");
	// all that are listed are at one node, and that is not the one that is asked
	const { name: home } = (await a.client.call("nodes")).find(({ id }) => id === a.id) ?? {};
	expect((await there.brood("ps", "--project", project.slug)).out).toMatch(
		new RegExp(`^AGENT.* NODE .*\\nfar .* ${home} .*brood/far \\+1 −1 1 ahead `),
	);
	// its turn begins at its own node, and is stopped there
	expect((await there.json("prompt", name, "run sleep 600")).code).toBe(0);
	const turns = async () => (await a.client.call("turns", params(agent))).map(({ state }) => state);
	await expect.poll(turns, longTimeout).toEqual(["open"]);
	// what its process does is known everywhere, a beat later
	await expect.poll(async () => (await b.client.call("agent", params(agent))).turn?.phase, longTimeout).toBe("tool");
	expect((await there.brood("interrupt", name)).code).toBe(0);
	expect(await turns()).toEqual(["interrupted"]);
	expect((await there.brood("project", "site", "list", project.slug)).out).toBe(
		`${home}  ${project.repository}  (home node)\nno other node has this project's repository\n`,
	);
	// paths of another machine are named with their node
	expect((await there.brood("project", "show", project.slug)).out).toBe(
		`${project.slug}  ${project.repository}  at node ${home}\n`,
	);
	expect((await there.brood("project", "list")).out).toMatch(new RegExp(`^${project.slug} +${home} +/`, "m"));
	// a site there, and files that no snapshot holds: the command says what stays behind
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	// in its folder a command means the project; in no project's folder it says so
	expect((await shell(b.home, site).brood("project", "show")).out).toBe(
		`${project.slug}  ${project.repository}  at node ${home}\n`,
	);
	expect(await shell(b.home, freshFolder()).json("project", "show")).toMatchObject({
		code: 1,
		error: { code: "VALIDATION_ERROR", message: "This directory is in no project: name one." },
	});
	mkdirSync(at(agent, "nested"));
	git(at(agent, "nested"), "init", "-q");
	const moved = await there.brood("agent", "move", name, "--to", b.id);
	expect(moved.out).toMatch(/^moved .*\n {2}nested did not come along: not in the snapshot\.\n$/);
	const { name: other } = (await a.client.call("nodes")).find(({ id }) => id === b.id) ?? {};
	expect((await there.json("node", "fall", b.id)).error?.message).toBe(
		`Node ${other} is the one that you asked, and it answers.`,
	);
	expect((await there.brood("events", "--kind", "agent.moved")).out).toContain(` node ${other}, `);
	const missing = await there.json("agent", "move", name, "--to", "nowhere");
	expect(missing).toMatchObject({ code: 1, error: { code: "NOT_FOUND", suggestions: ["brood node list"] } });
});

test("uninstall removes what its own node has on this machine, and no snapshot of another node", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const [far, near] = [await project.add({ name: "far" }), await project.add({ name: "near" })];
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	const moved = await a.client.ask("agentMove", { ...params(far), body: { to: b.id } });
	const zero = (await a.client.call("agents", { query: {} })).find(({ handle }) => handle === "init");
	const inB = {
		projects: [site],
		agents: [far.id],
		workspaces: [{ agent: `${project.slug}/far`, folder: at(moved) }],
		isStoreInHome: false,
	};
	expect(await knownToNode(b.client)).toEqual(inB);
	const inA = await knownToNode(a.client);
	expect([inA.projects, inA.agents.toSorted()]).toEqual([[project.repository], [zero?.id, near.id].toSorted()]);
	expect(questionFor("/home/b", inB, "")).toBe(
		"Remove /home/b with the worktrees and snapshots of its agents, and Brood's refs in 1 repository? Commits that only a clone has, and repositories added by URL, are lost; branches stay, and so do the conversations in the database.",
	);
});

test("an agent of a vendor uses its tools on an agent of the other node, and is prompted there", {
	timeout: 60_000,
}, async () => {
	const vendor = { command: process.execPath, args: [testProgram("tool-agent")], leavesNothing: false };
	await using nodes = await TwoNodes.open({ programs: { vendor } });
	const { a, b } = nodes;
	const far = await a.client.call("agentAdd", { body: { name: "far", type: "scripted" } });
	const near = await b.client.call("agentAdd", { body: { name: "near", type: "vendor", policy: "full" } });
	expect([far.node, near.node]).toEqual([a.id, b.id]);
	const said = async (): Promise<string[]> =>
		(await a.client.call("items", params(near))).flatMap(({ kind, text }) =>
			kind === "assistant" ? (text ?? "") : [],
		);
	const tools = ['send {"agent":"far","body":"from afar"}', "list_agents", 'wait {"agents":["far"]}'];
	await a.client.call("prompt", { ...params(near), body: { text: tools.join("\n") } });
	await expect.poll(async () => (await said()).length, longTimeout).toBeGreaterThanOrEqual(tools.length);
	const answers = (await said()).slice(0, tools.length).map((text) => JSON.parse(text));
	expect(answers.map(({ error }) => error)).toEqual([false, false, false]);
	expect(answers[1].text).toMatch(/^far .*, at another node$/m);
	expect(answers[1].text).toMatch(/^near .*, you: .*queue \d+$/m);
	// the mail was delivered by the node of the agent that got it
	const mails = async () =>
		(await b.client.call("mail", params(far))).map(({ from, body, state }) => [from, body, state === "accepted"]);
	await expect.poll(mails, longTimeout).toEqual([[`agent:${near.id}`, "from afar", false]]);
});

test("an agent whose node was removed is deleted only without its files, with --force", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const agent = await b.client.call("agentAdd", { body: { name: "left", type: "scripted" } });
	await a.client.call("kill", params(agent));
	await b.daemon[Symbol.asyncDispose]();
	const there = shell(a.home);
	// control: while its node may come back, the files are that node's to check
	expect((await there.json("agent", "delete", agent.id, "--force")).error).toMatchObject({
		code: "NODE_DOWN",
		details: { state: "left" },
	});
	await a.client.call("nodeRemove", { params: { node: b.id } });
	expect((await there.json("agent", "delete", agent.id)).error).toMatchObject({
		code: "NODE_DOWN",
		suggestions: [`brood agent delete ${agent.id} --force`],
	});
	expect((await there.brood("agent", "delete", agent.id, "--force")).code).toBe(0);
	expect((await a.client.call("agent", params(agent))).label).toBe("deleted");
});
