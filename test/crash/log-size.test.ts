// SQLite's log is bounded by its bytes, also while somebody reads without a pause.

import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { everyAgent, everyMail } from "#test/support/every.ts";
import { done, spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const limitBytes = 12 * 1024 * 1024;
let home: string;
beforeEach(() => {
	home = freshFolder();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const logBytes = (): number => statSync(path.join(home, "brood.db-wal"), { throwIfNoEntry: false })?.size ?? 0;

/** Small commands that each touch many pages: they write many times their own size. */
async function write(engine: Awaited<ReturnType<typeof startEngine>>, rounds: number): Promise<number> {
	const agents = await Promise.all(Array.from({ length: 60 }, () => spawn(engine, engine.agentZero.id)));
	let [largest, stop] = [0, false];
	const reading = (async () => {
		while (!stop)
			await Promise.all([
				everyAgent(engine.reads),
				engine.reads.events({ after: 0, limit: 300 }),
				engine.reads.openTurns(),
			]);
	})();
	for (let round = 0; round < rounds; round++) {
		// several at a time, as a busy daemon does
		for (let at = 0; at < agents.length; at += 4)
			await Promise.all(
				agents.slice(at, at + 4).map(({ id }) => done(engine, { type: "mail.send", to: id, body: `words ${round}` })),
			);
		largest = Math.max(largest, logBytes());
	}
	stop = true;
	await reading;
	return largest;
}

test("the log stays below its limit under constant reading, and an idle store has none", async () => {
	await using engine = await startEngine({ home });
	const largest = await write(engine, 25);
	expect(statSync(path.join(home, "brood.db")).size).toBeGreaterThan(0);
	expect(largest).toBeGreaterThan(4 * 1024 * 1024);
	expect(largest).toBeLessThan(limitBytes);
	// the index of words is written after the commits, by itself: perhaps after this round has begun
	const afterRound = async (): Promise<number> => {
		await engine.upkeep.round();
		return logBytes();
	};
	await expect.poll(afterRound).toBe(0);
	expect((await everyMail(engine.reads, engine.agentZero.id)).length).toBe(0);
});

test("control: a reader from outside that never ends keeps the log from being written over, and nothing fails", async () => {
	await using engine = await startEngine({ home });
	await spawn(engine, engine.agentZero.id);
	const outside = new DatabaseSync(path.join(home, "brood.db"), { readOnly: true });
	outside.exec("begin");
	outside.prepare("select count(*) from event").get();
	const largest = await write(engine, 25);
	expect(largest).toBeGreaterThan(limitBytes);
	outside.exec("rollback");
	outside.close();
});
