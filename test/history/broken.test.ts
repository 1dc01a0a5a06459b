// A damaged store: a history with a missing ancestor or a cycle is refused, never shown as a shorter one.
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, test } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { startEngine } from "#src/main.ts";
import { done, spawn } from "#test/support/say.ts";
import { durable, freshTestStore, type TestStore } from "#test/support/stores.ts";

const damages = {
	"with an ancestor missing": (middle: AgentState) => [
		`update agent set lineage = 999999 where lineage = (select seq from agent where id = '${middle.id}')`,
	],
	"with a circle in it": (middle: AgentState, leaf: AgentState) => [
		`update agent set lineage = (select seq from agent where id = '${leaf.id}') where id = '${middle.id}'`,
	],
	"of an agent that is its own ancestor": (_: AgentState, leaf: AgentState) => [
		`update agent set lineage = seq where id = '${leaf.id}'`,
	],
};

describe.each(durable)("on %s", (flavor) => {
	test.each(Object.entries(damages))("a history %s is HISTORY_BROKEN; every other agent goes on", async (_, damage) => {
		await using testStore = await freshTestStore(flavor);
		const [root, middle, leaf] = await family(testStore);
		await tamper(testStore, damage(middle, leaf));
		await using engine = await startEngine(testStore.location);
		expect(await engine.queries.context(leaf.id)).toMatchObject({
			code: "HISTORY_BROKEN",
			details: { agent: leaf.id },
		});
		expect(await engine.queries.context(root.id)).toMatchObject({ items: [{ text: "root" }, { kind: "fork" }] });
		expect((await engine.reads.agent(leaf.id))?.life).toBe("live");
		await done(engine, { type: "item.append", agent: root.id, kind: "user", text: "still here" });
	});

	test("a clear makes a broken history whole again, because nothing before it is looked at", async () => {
		await using testStore = await freshTestStore(flavor);
		const [, middle, leaf] = await family(testStore);
		await tamper(testStore, damages["with an ancestor missing"](middle));
		await using engine = await startEngine(testStore.location);
		await done(engine, { type: "context.clear", agent: leaf.id });
		expect(await engine.queries.context(leaf.id)).toEqual({ items: [] });
	});
});

async function family(testStore: TestStore): Promise<[AgentState, AgentState, AgentState]> {
	await using engine = await testStore.open();
	const made: AgentState[] = [];
	for (const name of ["root", "middle", "leaf"]) {
		const parent = made.at(-1);
		const agent = await spawn(engine, parent?.id ?? engine.agentZero.id, {
			name,
			context: parent ? "inherit" : "fresh",
		});
		await expect.poll(async () => (await engine.reads.agent(agent.id))?.life).toBe("live");
		await done(engine, { type: "item.append", agent: agent.id, kind: "user", text: name });
		made.push(agent);
	}
	const [root, middle, leaf] = made;
	if (!root || !middle || !leaf) throw new Error("a family of three");
	return [root, middle, leaf];
}

async function tamper(testStore: TestStore, statements: readonly string[]): Promise<void> {
	if ("home" in testStore.location) {
		const file = path.join(testStore.location.home, "brood.db");
		const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
		for (const statement of statements) expect(database.prepare(statement).run().changes).toBe(1);
		database.close();
	} else if ("url" in testStore.location) {
		const client = new pg.Client(testStore.location.url);
		await client.connect();
		await client.query("alter table agent drop constraint agent_lineage_fkey");
		for (const statement of statements) expect((await client.query(statement)).rowCount).toBe(1);
		await client.end();
	}
}
