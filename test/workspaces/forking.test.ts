// A fork of an idle agent takes a lease on its parent's workspace, which must end whatever the store does meanwhile.
import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { human } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { type Store, StoreFault } from "#engine/ports/store.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";
import { World } from "#test/support/world.ts";

test("a fork frees its parent's workspace, however often the store fails meanwhile", async () => {
	const world = new World(freshFolder());
	mkdirSync(world.repository, { recursive: true });
	world.git(world.repository, "init", "-qb", "main");
	world.git(world.repository, "config", "user.email", "a@b");
	world.git(world.repository, "config", "user.name", "a");
	world.commit(world.repository, { "a.txt": "a" });
	const memory = openMemory(batchRunner(limits));
	const faults: StoreFault["kind"][] = [];
	const commit: Store["commit"] = async (batch) => {
		const fault = batch.some(({ command }) => command.type === "workspace.free") ? faults.shift() : undefined;
		if (fault !== undefined) throw new StoreFault(fault, "come back later");
		return await memory.commit(batch);
	};
	const { workspaces } = world;
	const parts = { store: { ...memory, commit }, driver: null, limits, clock: systemClock, ids: randomIds, workspaces };
	await using engine = await Engine.start(parts);
	await done(engine, { type: "project.add", slug: world.project.slug, path: world.repository, base: "main" });
	const parent = await spawn(engine, engine.agentZero.id, { project: world.project.slug, workspace: "new" });
	await expect.poll(async () => (await engine.reads.agent(parent.id))?.life).toBe("live");
	faults.push("full", "unavailable");
	const command = { type: "agent.spawn" as const, parent: parent.id, context: "fresh" as const };
	const forked = await engine.spawn({ actor: human, key: null, command });
	expect(forked).toMatchObject({
		done: { agent: { workspacePlan: { parent: parent.id, snapshot: expect.any(String) } } },
	});
	expect({ faults, lease: (await engine.reads.agent(parent.id))?.lease ?? null }).toEqual({ faults: [], lease: null });
});
