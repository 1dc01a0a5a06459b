// A journal is never silently shorter than what was acknowledged, whatever happens to the store's files.
import {
	copyFileSync,
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEngine } from "#src/main.ts";
import { acknowledged, expectNothingLost } from "#test/support/acknowledged.ts";
import { runProgram } from "#test/support/process.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const positions = process.env["BROOD_TORTURE"] ? 400 : 24;
let home: string;
/** a home that was killed, with everything that was acknowledged still in the log */
let killed: string;
let acks: { id: number; text: string }[];

beforeAll(async () => {
	home = freshFolder();
	killed = path.join(home, "killed");
	let left = 60;
	const ran = await runProgram("writer", [JSON.stringify({ home: killed }), "x", "1000000"], {
		watch: (line, child) => void (line.startsWith("ack") && --left === 0 && child.kill("SIGKILL")),
	});
	acks = acknowledged(ran.lines);
	expect([ran.signal, acks.length > 50]).toEqual(["SIGKILL", true]);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

let copies = 0;
/** A copy of the killed home, with something done to it. */
function copied(change: (file: string) => void): string {
	const folder = path.join(home, `copy-${++copies}`);
	cpSync(killed, folder, { recursive: true });
	change(path.join(folder, "brood.db"));
	return folder;
}

async function journal(folder: string) {
	await using engine = await startEngine({ home: folder });
	return await engine.reads.events({ after: 0, limit: 1_000_000 });
}

/** The bytes of the store and its log; what SQLite only keeps while it runs does not count. */
const bytesIn = (folder: string): [string, string][] =>
	readdirSync(folder)
		.filter((name) => /^(brood\.db(-wal)?|last-event)$/.test(name) && statSync(path.join(folder, name)).size > 0)
		.map((name) => [name, readFileSync(path.join(folder, name), "hex")]);

describe("after kill -9", () => {
	test("a store with its log has everything: the control", async () => {
		expectNothingLost(acks, await journal(copied(() => {})));
	});

	test("a log that is gone is noticed, the store is left as it is, and with the log back everything is there", async () => {
		const folder = copied((file) => renameSync(`${file}-wal`, `${file}-elsewhere`));
		const before = bytesIn(folder);
		for (let attempt = 0; attempt < 2; attempt++)
			await expect(startEngine({ home: folder })).rejects.toThrow(
				/event \d+ was acknowledged, but the journal ends at event \d+\. Its log .*not touched/,
			);
		expect(bytesIn(folder)).toEqual(before);
		rmSync(path.join(folder, "brood.db-wal"), { force: true });
		renameSync(path.join(folder, "brood.db-elsewhere"), path.join(folder, "brood.db-wal"));
		expectNothingLost(acks, await journal(folder));
	});

	test(`a log that is damaged anywhere (${positions} places) is noticed, or nothing is missing`, {
		timeout: 20_000 + positions * 2000,
	}, async () => {
		const size = statSync(path.join(killed, "brood.db-wal")).size;
		let noticed = 0;
		for (let at = 0; at < positions; at++) {
			const position = Math.floor((size * at) / positions);
			const folder = copied((file) => {
				const bytes = readFileSync(`${file}-wal`);
				bytes.writeUInt8(bytes.readUInt8(position) ^ 0x5a, position);
				writeFileSync(`${file}-wal`, at % 3 === 2 ? bytes.subarray(0, position) : bytes);
			});
			const before = bytesIn(folder);
			const found = await journal(folder).catch((error: Error) => error);
			if (found instanceof Error) {
				noticed++;
				expect(found.message).toMatch(/was acknowledged|damaged|malformed/);
				expect(bytesIn(folder)).toEqual(before);
			} else expectNothingLost(acks, found);
			rmSync(folder, { recursive: true });
		}
		expect(noticed).toBeGreaterThan(positions / 2);
	});

	test("control: without `last-event` the loss is not noticed", async () => {
		const folder = copied((file) => {
			rmSync(`${file}-wal`);
			rmSync(path.join(path.dirname(file), "last-event"));
		});
		expect((await journal(folder)).length).toBeLessThan(acks.length);
	});

	test("an older `last-event`, as after a power cut, changes nothing", async () => {
		const folder = copied((file) => writeFileSync(path.join(path.dirname(file), "last-event"), "0000000000000001\n"));
		expectNothingLost(acks, await journal(folder));
	});
});

describe("a store that was changed by hand", () => {
	test("and is older than what was acknowledged is noticed", async () => {
		const folder = path.join(home, "older");
		await journal(folder);
		copyFileSync(path.join(folder, "brood.db"), path.join(folder, "old.db"));
		await using engine = await startEngine({ home: folder });
		await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "newer" });
		await engine[Symbol.asyncDispose]();
		renameSync(path.join(folder, "old.db"), path.join(folder, "brood.db"));
		await expect(startEngine({ home: folder })).rejects.toThrow(/an older brood\.db was put in its place/);
	});

	test.each(["brood.db*", "brood.db* last-event"])(
		"by `rm %s` in a home with projects is missing, and none is made",
		async (names) => {
			const folder = copied((file) => {
				mkdirSync(path.join(path.dirname(file), "projects", "shop"), { recursive: true });
				for (const name of readdirSync(path.dirname(file)))
					if (name.startsWith("brood.db") || names.includes(name)) rmSync(path.join(path.dirname(file), name));
			});
			await expect(startEngine({ home: folder })).rejects.toThrow(
				/is missing: it is gone, but (last-event|projects) shows that it was here\. No new one was made/,
			);
			expect(readdirSync(folder).filter((name) => name.startsWith("brood.db"))).toEqual([]);
		},
	);

	test("in an empty home is made: the control", async () => {
		const folder = path.join(home, "empty");
		mkdirSync(path.join(folder, "projects"), { recursive: true });
		expect((await journal(folder)).length).toBeGreaterThan(0);
	});

	test("by a backup in its place goes on from the backup, once its log is out of the way", async () => {
		const folder = copied(() => {});
		await using engine = await startEngine({ home: folder });
		const backup = path.join(home, "backup.db");
		await engine.backup(backup);
		const last = await engine.reads.lastEvent();
		await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "after the backup" });
		await engine[Symbol.asyncDispose]();
		copyFileSync(backup, path.join(folder, "brood.db"));
		writeFileSync(path.join(folder, "brood.db-wal"), "the log of the store that was here");
		await expect(startEngine({ home: folder })).rejects.toThrow(
			/it is a backup, but brood\.db-wal is the log of another store/,
		);
		rmSync(path.join(folder, "brood.db-wal"));
		for (let start = 0; start < 2; start++) {
			await using restored = await startEngine({ home: folder });
			expect(await restored.reads.lastEvent()).toBe(last + start);
			await done(restored, { type: "item.append", agent: restored.agentZero.id, kind: "user", text: "from there on" });
		}
	});
});

function replaceByCopy(file: string): void {
	copyFileSync(file, `${file}.other`);
	renameSync(`${file}.other`, file);
}

describe("while the daemon runs", () => {
	const changes: [name: string, change: (file: string) => void][] = [
		["the store is removed", (file) => rmSync(file)],
		["its log is removed", (file) => rmSync(`${file}-wal`)],
		["the home is removed", (file) => rmSync(path.dirname(file), { recursive: true })],
		["the store is replaced", replaceByCopy],
	];
	test.each(changes)("and %s, nothing is acknowledged any more", async (name, change) => {
		const folder = path.join(home, name.replaceAll(" ", "-"));
		const engine = await startEngine({ home: folder });
		const say = (text: string) => done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text });
		await say("before");
		change(path.join(folder, "brood.db"));
		await expect(say("after")).rejects.toThrow(/was removed or replaced while the daemon was running/);
		expect((await engine.failed).message).toMatch(/was removed or replaced/);
		await expect(say("again")).rejects.toThrow();
		await engine[Symbol.asyncDispose]();
	});
});
