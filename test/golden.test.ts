// A store of every release is kept, and this program opens each of them and finds in it what was there.
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { contentsOf } from "./support/golden.ts";
import { done, say, spawn } from "./support/say.ts";
import { freshDatabase, freshFolder } from "./support/stores.ts";

const folder = path.join(import.meta.dirname, "golden");
const releases = readdirSync(folder);
const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));

test("this release has its golden store", () => expect(releases).toContain(version));

describe.each(releases)("the store of %s", (release) => {
	const expected = (name: string) => JSON.parse(readFileSync(path.join(folder, release, name), "utf8"));

	test("opens from its SQLite file and goes on", async () => {
		const home = freshFolder();
		copyFileSync(path.join(folder, release, "brood.db"), path.join(home, "brood.db"));
		await using engine = await startEngine({ home });
		expect(await contentsOf(engine)).toEqual(expected("sqlite.json"));
		await goesOn(engine);
		rmSync(home, { recursive: true, force: true });
	});

	test("opens from its PostgreSQL dump and goes on", async () => {
		const url = await freshDatabase("template1");
		const client = new pg.Client(url);
		await client.connect();
		await client.query(readFileSync(path.join(folder, release, "postgres.sql"), "utf8"));
		await client.end();
		await using engine = await startEngine({ url });
		expect(await contentsOf(engine)).toEqual(expected("postgres.json"));
		await goesOn(engine);
	});

	async function goesOn(engine: Awaited<ReturnType<typeof startEngine>>): Promise<void> {
		const child = await spawn(engine, engine.agentZero.id, { context: "inherit" });
		await done(engine, { type: "item.append", agent: child.id, kind: "user", text: "new words" });
		expect(
			await say(engine, { type: "agent.kill", agent: engine.agentZero.id }, { key: "golden-refusal" }),
		).toMatchObject({
			refused: { code: "CANNOT_KILL_ROOT" },
			replayed: true,
		});
	}
});
