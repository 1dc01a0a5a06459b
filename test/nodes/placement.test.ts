// Where agents live: at the node that is named, where their type and its credentials are, and where there is room; and
// what keeps them from being moved.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { vendors } from "#adapters/driver/vendors/vendors.ts";
import type { AgentState } from "#contract/agent.ts";
import { SubscriptionName } from "#contract/ids.ts";
import { NodeId, type NodeState } from "#contract/node.ts";
import { isRefusal } from "#contract/refusal.ts";
import { refusedMove } from "#domain/agent/move.ts";
import { chooseNode, chooseNodeAfterFall } from "#domain/agent/placement.ts";
import { upload } from "#engine/workspaces/uploading.ts";
import { shell } from "#test/support/cli.ts";
import { live } from "#test/support/given.ts";
import { at } from "#test/support/in-workspace.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params, refusal } from "#test/support/test-daemon.ts";
import { TwoNodes } from "#test/support/two-nodes.ts";

const [a1, b1, c1] = ["a", "b", "c"].map((word) => NodeId.parse(word));
if (a1 === undefined || b1 === undefined || c1 === undefined) throw new Error("three ids");

test("an agent without files goes to the node with its type, its credentials and the most room; a named one is refused by name", () => {
	const node = (id: NodeId, more: Partial<NodeState> = {}): NodeState => ({
		...{ id, name: `node-${id}`, epoch: 1, startId: "x", state: "up", turnsMax: 4, types: ["claude"], version: "1" },
		...{ schema: 1, joinedAt: 1, fellAt: null },
		...more,
	});
	const without = {
		...{ workspace: null, workspacePlan: null, project: null },
		parent: { ...live("a"), supervisor: null },
	};
	const placed = (nodes: readonly NodeState[], more: object = {}, node?: NodeId, notHere?: true) => {
		const found = chooseNode({ ...without, nodes, asked: a1, type: "claude", ...more }, { node, notHere });
		return isRefusal(found) ? found.message : (found.node ?? null);
	};
	const parent: AgentState = { ...live("a"), supervisor: null };
	const all = [node(a1, { types: [] }), node(b1), node(c1)];
	// whoever is asked has looked for the program itself
	expect(placed(all, { parent })).toBe("a");
	expect(placed(all, { parent }, undefined, true)).toBe("b");
	const elsewhere = { parent: { ...parent, supervisor: live("z").id, node: a1 }, asked: c1 };
	expect(placed(all, { ...elsewhere, busy: new Map([[c1, 1]]) })).toBe("b");
	expect(placed(all, { ...elsewhere, busy: new Map([[b1, 2]]) })).toBe("c");
	expect(placed([node(a1, { types: [] }), node(b1, { state: "draining" }), node(c1)], elsewhere)).toBe("c");
	expect(placed(all, elsewhere, b1)).toBe("b");
	expect(placed(all, elsewhere, a1)).toContain("cannot run at node node-a: it is not installed there. It is at node-b");
	expect(placed([node(b1, { state: "down" })], {}, b1)).toBe("Node node-b is down.");
	// a node that runs as many turns as it may is passed over for one that certainly has the program and has room
	const full = new Map([[a1, 4]]);
	expect(placed(all, { parent, busy: full })).toBe("b");
	expect(placed(all, { parent, busy: full }, a1)).toBe("a");
	expect(placed(all, { parent, busy: full, type: "acp" })).toBe("a");
	expect(placed(all, { parent, busy: full, workspacePlan: {} })).toBe("a");
	expect(placed(all, { parent, busy: new Map([a1, b1, c1].map((id) => [id, 4])) })).toBe("a");
	// credentials that a node lacks count like a type that it lacks
	const withoutCredentials = (id: NodeId) => (id === b1 ? [{ name: SubscriptionName.parse("work") }] : []);
	expect(placed(all, { ...elsewhere, busy: new Map([[c1, 3]]), withoutCredentials })).toBe("c");
	expect(placed(all, { ...elsewhere, withoutCredentials }, b1)).toBe(
		"Subscription work has no credentials at node node-b.",
	);
	// where one has the program without credentials, these are what is missing
	const lacking = chooseNode(
		{ ...without, ...elsewhere, nodes: all.slice(0, 2), type: "claude", withoutCredentials },
		{ node: a1 },
	);
	expect(lacking).toMatchObject({
		message:
			"Agents of type claude cannot run at node node-a: it is not installed there. It is at node-b, where subscription work has no credentials.",
		suggestions: [
			"brood subscription configure work --node node-b --config-dir FOLDER (or --variables FILE)",
			"at node node-a: brood setup claude",
			"brood node list",
		],
	});
	// after a fall one that cannot run at the node that noticed it goes elsewhere, or stays
	const again = (nodes: readonly NodeState[], asked: NodeId) =>
		chooseNodeAfterFall({ type: "claude", nodes, withoutCredentials }, asked);
	expect([again(all, c1), again(all, a1), again(all.slice(0, 2), a1)]).toEqual([c1, c1, null]);
	// nor is one moved to where it could not run
	const moved = (to: NodeState) =>
		refusedMove(
			{ ...live("b"), type: "claude", node: c1 },
			{ to, nodes: all, sharing: 0, subscriptions: [], projects: [] },
		);
	expect(moved(node(a1, { types: [] }))?.message).toContain("cannot run at node node-a: it is not installed there");
	expect(moved(node(b1))).toBeNull();
});

test("a subscription is used only at nodes where its credentials were named", { timeout: 60_000 }, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const cli = shell(a.home);
	const add = (more: object) => a.client.ask("agentAdd", { body: { type: "scripted", workspace: "none", ...more } });
	const early = await add({ node: b.id });
	expect(early.node).toBe(b.id);
	const file = path.join(freshFolder(), "work.env");
	writeFileSync(file, "KEY=1\n", { mode: 0o600 });
	await a.client.ask("subscriptionAdd", { body: { name: "work", type: "scripted", credential: { envFile: file } } });

	// what was there before waits, and every surface says why
	const [why] = (await b.client.call("availability", { query: {} })).filter(({ id }) => id === early.id);
	expect(why?.reason).toContain("subscription work has no credentials at node");
	await b.client.ask("prompt", { ...params(early), body: { text: "echo hello" } });
	expect(await refusal(add({ node: b.id }))).toMatchObject({ code: "CONFLICT", details: { subscription: "work" } });
	expect((await a.client.call("nodes")).map((each) => [each.id, each.withoutCredentials])).toEqual(
		expect.arrayContaining([
			[a.id, []],
			[b.id, ["work"]],
		]),
	);
	expect((await cli.brood("node", "list")).out).toContain("brood subscription configure work --node");
	const [seen] = await b.client.call("subscriptions");
	expect(seen).toMatchObject({ name: "work", problem: expect.stringContaining("no credentials at this node") });
	// also of an agent without files
	expect(await a.client.call("health", params(early))).toEqual({
		...{ healthy: true, issues: [] },
		withoutCredentials: ["work"],
	});
	const doctor = (await shell(b.home).json("doctor")).data;
	const advice = doctor.findings.find((each: { name: string }) => each.name === "subscription work");
	expect(advice?.fix).toMatch(/^brood subscription configure work --node \S+ /);
	// control: at the node that has them all is well
	expect((await a.client.call("subscriptions"))[0]?.problem).toBeNull();
	const here = await add({});
	expect(here.node).toBe(a.id);
	const move = () => cli.json("agent", "move", here.handle, "--to", b.id);
	expect(await move()).toMatchObject({ code: 1, error: { code: "CONFLICT", details: { subscription: "work" } } });

	const turns = async () => (await a.client.call("turns", params(early))).map(({ state }) => state);
	expect(await turns()).toEqual([]);

	// named there, from here; keys do not travel
	const keys = { node: b.id, keys: { KEY: "2" } };
	const of = { params: { subscription: "work" } };
	expect(await refusal(a.client.ask("subscriptionConfigure", { ...of, body: keys }))).toMatchObject({
		code: "VALIDATION_ERROR",
	});
	const there = path.join(freshFolder(), "there.env");
	const lost = await cli.json("subscription", "configure", "work", "--node", b.id, "--variables", there);
	expect(lost).toMatchObject({ code: 1, error: { code: "VALIDATION_ERROR" } });
	writeFileSync(there, "KEY=2\n", { mode: 0o600 });
	expect((await cli.json("subscription", "configure", "work", "--node", b.id, "--env-file", there)).code).toBe(0);
	expect((await b.client.call("subscription", of)).credential).toEqual({ envFile: there });
	expect((await a.client.call("subscription", of)).credential).toEqual({ envFile: file });
	await expect.poll(turns, longTimeout).toEqual(["completed"]);
	expect((await move()).code).toBe(0);
	expect((await a.client.call("agent", params(here))).node).toBe(b.id);

	// what was installed since a node's start is known elsewhere as soon as that node looks
	const typesOfB = async () => (await a.client.call("nodes")).find(({ id }) => id === b.id)?.types;
	const claude = path.join(b.home, "adapters", "claude", "node_modules", vendors["claude"]?.package ?? "");
	mkdirSync(claude, { recursive: true });
	writeFileSync(path.join(claude, "package.json"), JSON.stringify({ version: "1.0.0" }));
	expect(await typesOfB()).not.toContain("claude");
	const { name } = (await a.client.call("nodes")).find(({ id }) => id === b.id) ?? {};
	expect(await refusal(a.client.ask("agentAdd", { body: { type: "claude", node: b.id } }))).toMatchObject({
		message: `Agents of type claude cannot run at node ${name}: it is not installed there. No node has it.`,
		suggestions: [`at node ${name}: brood setup claude`, "brood node list"],
	});
	expect(await refusal(b.client.ask("setup", { params: { type: "nothing" } }))).toMatchObject({
		code: "VALIDATION_ERROR",
	});
	expect(await typesOfB()).toContain("claude");
});

test("what cannot be moved says why: too large, kept local, or its node does not answer", {
	timeout: 60_000,
}, async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const site = path.join(freshFolder(), "site");
	git("/", "clone", "-q", project.repository, site);
	const agent = await project.add();
	const move = (to: string, body: object = {}) =>
		a.client.ask("agentMove", { ...params(agent), body: { to, ...body } });
	const health = () => a.client.call("health", params(agent));

	// without a site nothing is kept by itself. The limit, lowered: what is larger is not kept, and said since when
	const { moving, reads } = a.daemon.engine;
	const { workspaces } = moving;
	const row = await reads.agent(agent.id);
	if (workspaces === null || row === undefined) throw new Error("an agent with files");
	const asked: number[] = [];
	const small = new Proxy(workspaces, {
		get: (target, name) =>
			name === "bundle"
				? async (...[checkout, request]: Parameters<typeof workspaces.bundle>) => {
						asked.push(request.bytesMax);
						return await workspaces.bundle(checkout, { ...request, bytesMax: 100 });
					}
				: Reflect.get(target, name),
	});
	expect(await upload({ ...moving, workspaces: small }, row)).toMatchObject({ code: "TOO_LARGE" });
	expect(asked).toEqual([64 * 1024 * 1024]);
	expect((await health()).notUploaded?.reason).toContain("too large");
	// control: with the limit as it is
	expect(await upload(moving, row)).toBeNull();
	expect((await health()).notUploaded?.reason).toBe(`${project.slug} has no repository at another node`);

	await a.client.call("siteAdd", { params: { project: project.slug }, body: { node: b.id, path: site } });
	// a new one begins where the project is, and can be moved then
	const { name } = (await a.client.call("nodes")).find(({ id }) => id === b.id) ?? {};
	expect(await refusal(project.add({ node: b.id }))).toMatchObject({
		code: "CONFLICT",
		suggestions: [`add it without --node, then: brood agent move NAME --to ${name}`],
	});

	// kept local: neither after a turn nor for a move
	const folder = path.join(a.home, "projects", project.slug);
	mkdirSync(folder, { recursive: true });
	writeFileSync(path.join(folder, "config.yaml"), "snapshots: local\n");
	const kept = (await reads.agent(agent.id))?.bundles.length;
	writeFileSync(at(agent, "more.txt"), "more\n");
	expect(await refusal(move(b.id))).toMatchObject({ message: expect.stringContaining("snapshots: local") });
	expect((await reads.agent(agent.id))?.bundles).toHaveLength(kept ?? -1);

	// by force from the last snapshot that was kept: what changed since stays behind
	const moved = await move(b.id, { force: true });
	expect(moved.node).toBe(b.id);
	expect([existsSync(at(moved, "README.md")), existsSync(at(moved, "more.txt"))]).toEqual([true, false]);
});
