// Errands: what is asked at one node and carried out at another one that has the files and processes.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { system } from "#contract/ids.ts";
import { NodeId } from "#contract/node.ts";
import type { Store } from "#engine/ports/store.ts";
import { startEngine } from "#src/main.ts";
import { at } from "#test/support/in-workspace.ts";
import { done } from "#test/support/say.ts";
import { flavors, freshTestStore } from "#test/support/stores.ts";
import { git, params, refusal } from "#test/support/test-daemon.ts";
import { TwoNodes } from "#test/support/two-nodes.ts";

const [me, other] = [NodeId.parse("node-a"), NodeId.parse("node-b")];
const asNode = (node: NodeId) => ({
	...{ node, name: node, startId: randomUUID(), types: ["scripted"], version: "1", schema: 1 },
});
const bySystem = { as: system, key: null };

describe.each(flavors)("%s", (flavor) => {
	test("an errand is asked once, taken by one life of a node, answered once, and deleted", async () => {
		await using testStore = await freshTestStore(flavor);
		const opened: Store[] = [];
		await using engine = await startEngine(
			testStore.location,
			{},
			{
				node: asNode(me),
				opened: (store) => void opened.push(store),
			},
		);
		await done(engine, { type: "node.join", ...asNode(other), turnsMax: 2 }, bySystem);
		const { errands } = opened[0] ?? engineHasNoStore();
		const errand = (id: string, epoch = 1) => ({ id, node: other, epoch, asker: me, request: "{}", at: 5 });
		expect([await errands.ask(errand("x")), await errands.ask(errand("x"))]).toEqual([true, true]);
		// another life of the node, and a node that does not exist
		expect(await errands.ask(errand("late", 2))).toBe(false);
		expect(await errands.ask({ ...errand("lost"), node: NodeId.parse("nobody") })).toBe(false);
		for (const wrong of [
			{ node: me, epoch: 1 },
			{ node: other, epoch: 2 },
		])
			expect(await errands.take(wrong)).toEqual([]);
		// whoever asks before it is taken gets nothing, and cannot answer it
		await errands.answer("x", "too early");
		expect(await errands.answers(["x"])).toEqual([]);
		const mine = { node: other, epoch: 1 };
		const taken = await errands.take(mine);
		expect([taken, await errands.take(mine)]).toEqual([[{ id: "x", request: "{}" }], [{ id: "x", request: "{}" }]]);
		await errands.answer("x", "first\0é");
		await errands.answer("x", "second");
		expect(await errands.answers(["x", "y"])).toEqual([{ id: "x", answer: "first\0é" }]);
		expect(await errands.take(mine)).toEqual([]);

		// one that was not taken can be withdrawn, and is not taken afterwards
		await errands.ask(errand("not taken"));
		expect([await errands.withdraw("not taken"), await errands.withdraw("not taken")]).toEqual([true, false]);
		expect([await errands.withdraw("x"), await errands.take(mine)]).toEqual([false, []]);

		// the end of a life answers what is open, and nothing is asked or taken afterwards
		for (const id of ["taken", "asked"]) {
			await errands.ask(errand(id));
			if (id === "taken") await errands.take(mine);
		}
		await done(engine, { type: "node.fall", node: other, epoch: 1, beats: 0 }, bySystem);
		for (const { answer } of await errands.answers(["taken", "asked"]))
			expect(JSON.parse(answer)).toMatchObject({ status: 503, body: expect.stringContaining("NODE_DOWN") });
		expect(await errands.answers(["taken", "asked"])).toHaveLength(2);
		await errands.answer("taken", "too late");
		expect((await errands.answers(["taken"]))[0]?.answer).toContain("stopped answering");
		expect(await errands.ask(errand("after"))).toBe(false);
		// so does leaving, and a new start
		await done(engine, { type: "node.join", ...asNode(other), turnsMax: 2 }, bySystem);
		await errands.ask(errand("again", 3));
		await done(engine, { type: "node.join", ...asNode(other), turnsMax: 2 }, bySystem);
		await errands.ask(errand("leaves", 4));
		await done(engine, { type: "node.leave", node: other }, bySystem);
		const said = (await errands.answers(["again", "leaves"])).map(({ id, answer }) => [id, JSON.parse(answer).body]);
		expect(Object.fromEntries(said)).toEqual({
			again: expect.stringContaining("was started again"),
			leaves: expect.stringContaining("was stopped"),
		});

		expect([await errands.drop(5, 100), await errands.drop(6, 2), await errands.drop(6, 100)]).toEqual([0, 2, 3]);
		expect(await errands.answers(["x", "taken", "asked"])).toEqual([]);
	});
});

const engineHasNoStore = (): never => {
	throw new Error("the engine opened no store");
};

test("verbs that need files are carried out where the files are, and answered word for word", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const project = await nodes.project({ "README.md": "one\n" });
	const agent = await project.add();
	expect(agent.workspace?.path).toContain(a.home);
	writeFileSync(at(agent, "README.md"), "two\n");
	const asked = { ...params(agent), query: {} };
	expect(await b.client.call("diff", asked)).toEqual(await a.client.call("diff", asked));
	expect((await b.client.call("diff", asked)).patch).toContain("+two");
	const commit = { ...params(agent), body: { message: "Said at the other node" } };
	const made = await b.client.call("commit", commit);
	expect(git(at(agent), "log", "-1", "--format=%H %s")).toBe(`${made.commit} Said at the other node`);
	// a refusal is the other node's as well
	expect(await refusal(b.client.call("commit", commit))).toMatchObject({ code: "AGENT_NO_COMMIT" });
	const fork = await b.client.ask("fork", { ...params(agent), body: { type: "scripted" } });
	expect(fork).toMatchObject({ workspace: { path: expect.stringContaining(a.home) } });
	expect(
		(await b.client.call("issueAdd", { params: { project: project.slug }, body: { title: "There" } })).number,
	).toBe(1);
	const { name } = (await b.client.call("nodes")).find(({ id }) => id === a.id) ?? {};
	expect(await b.client.call("issue", { params: { issue: `${project.slug}#1` } })).toMatchObject({
		artifacts: { path: expect.stringContaining(a.home), nodeName: name },
	});
	const approved = await b.client.ask("approve", { ...params(agent), body: {} });
	expect(git(project.repository, "log", "-1", "--format=%H")).toBe(approved.merged.commit);

	// the node stops: everybody who asks is told so
	await done(b.daemon.engine, { type: "node.leave", node: a.id }, bySystem);
	expect(await refusal(b.client.call("diff", asked))).toMatchObject({
		code: "NODE_DOWN",
		suggestions: ["brood node list"],
	});
});

test("an issue is shown from rows while its project's node is down; its files are said to be out of reach", async () => {
	await using nodes = await TwoNodes.open();
	const { a, b } = nodes;
	const { slug } = await nodes.project();
	const { number } = await a.client.ask("issueAdd", { params: { project: slug }, body: { title: "Far away" } });
	const of = { params: { issue: `${slug}#${number}` } };
	const before = await a.client.ask("issueComment", { ...of, body: { text: "said" } });
	const { name } = (await b.client.call("nodes")).find(({ id }) => id === a.id) ?? {};
	await a.daemon[Symbol.asyncDispose]();
	expect(await b.client.call("issue", of)).toEqual({ ...before, artifacts: null, filesAtNodeName: name });
	// control: what changes it waits for its node
	expect(await refusal(b.client.ask("issueEdit", { ...of, body: { title: "Nearer" } }))).toMatchObject({
		code: "NODE_DOWN",
	});
});
