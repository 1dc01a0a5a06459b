// The folders of deleted agents go once they are expired, and only agents that have one are looked up.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { KeyFiles } from "#adapters/driver/key-files.ts";
import { dayMs, retention } from "#contract/retention.ts";
import { startEngine } from "#src/main.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";
import { sweepersOf } from "./sweepers.ts";

test("the folders of expired agents are removed, those of others stay", async () => {
	const home = freshFolder();
	await using engine = await startEngine({ memory: true });
	const add = (name: string) => spawn(engine, engine.agentZero.id, { name, workspace: "none" });
	const [deleted, living, bare] = [await add("deleted"), await add("living"), await add("bare")];
	const folders = [
		path.join(home, "agent-folders", "_", "deleted"),
		path.join(home, "vendors", deleted.id),
		path.join(home, "agent-folders", "_", "living"),
		path.join(home, "vendors", living.id),
		path.join(home, "agent-folders", "_", "nobody"),
		path.join(home, "vendors", "not-an-id"),
	];
	for (const folder of folders) mkdirSync(folder, { recursive: true });
	for (const { id } of [deleted, bare]) await done(engine, { type: "agent.delete", agent: id, force: true });
	const asked = new Set<string>();
	const reads = {
		...engine.reads,
		agentByHandle: (...names: Parameters<typeof engine.reads.agentByHandle>) => {
			asked.add(names[1]);
			return engine.reads.agentByHandle(...names);
		},
		agentsWith: (ids: Parameters<typeof engine.reads.agentsWith>[0]) => {
			for (const id of ids) asked.add(id);
			return engine.reads.agentsWith(ids);
		},
	};
	const sweep = sweepersOf(home, new KeyFiles(home, () => "salt")).at(-1);
	const there = () => folders.map((folder) => existsSync(folder));
	await sweep?.({ now: engine.now(), retention, reads });
	expect(there()).toEqual([true, true, true, true, true, true]);
	await sweep?.({ now: engine.now() + (retention.trashDays + 1) * dayMs, retention, reads });
	expect(there()).toEqual([false, false, true, true, true, true]);
	expect([...asked].sort()).toEqual(["deleted", "living", "nobody", deleted.id, living.id].sort());
});
