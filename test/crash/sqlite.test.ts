// The embedded store after disk errors, kills and changes by other programs.
import { createHash } from "node:crypto";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertVersion } from "#adapters/store/sqlite/connection.ts";
import { startEngine } from "#src/main.ts";
import { acknowledged, expectNothingLost } from "#test/support/acknowledged.ts";
import { runProgram } from "#test/support/process.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

const rounds = process.env["BROOD_TORTURE"] ? 1000 : 8;
let home: string;
beforeAll(() => {
	home = freshFolder();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function journal(folder: string) {
	await using engine = await startEngine({ home: folder });
	return await engine.reads.events({ after: 0, limit: 1_000_000 });
}

test("kill -9 at any moment loses nothing that was acknowledged", { timeout: rounds * 5000 }, async () => {
	const folder = path.join(home, "killed");
	const acks: { id: number; text: string }[] = [];
	for (let round = 0; round < rounds; round++) {
		// from the first acknowledgement to far into the run, spread over the rounds
		let left = 1 + ((round * 7919) % 400);
		const ran = await runProgram("writer", [JSON.stringify({ home: folder }), String(round), "1000000", "16"], {
			watch: (line, child) => {
				if (line.startsWith("ack") && --left === 0) child.kill("SIGKILL");
			},
		});
		expect(ran.signal).toBe("SIGKILL");
		acks.push(...acknowledged(ran.lines));
	}
	expect(acks.length).toBeGreaterThan(rounds * 50);
	expectNothingLost(acks, await journal(folder));
});

test("eight processes that start at the same moment make one store and one agent 0", async () => {
	const place = JSON.stringify({ home: path.join(home, "eight") });
	const go = Promise.withResolvers<string>();
	const starts = Array.from({ length: 8 }, () =>
		runProgram("starter", [place], { input: go.promise, watch: (line) => void (line === "ready" && ready()) }),
	);
	let waiting = 8;
	const ready = (): void => {
		if (--waiting === 0) go.resolve("go\n");
	};
	const ran = await Promise.all(starts);
	const found = ran.map(({ lines, errors }) => lines.find((line) => line.startsWith("agent")) ?? errors);
	expect(found[0]).toMatch(/^agent \S{22}$/);
	expect([...new Set(found)]).toEqual([found[0]]);
	const events = await journal(path.join(home, "eight"));
	expect(events.filter((event) => event.kind === "agent.spawned")).toHaveLength(1);
	expect(readdirSync(path.join(home, "eight")).filter((file) => file.includes(".new-"))).toEqual([]);
});

describe("a disk that fails", () => {
	const strace = (...inject: string[]): string[] => [
		"strace",
		"-f",
		"-qq",
		"-o",
		"/dev/null",
		"-e",
		"trace=fsync,pwrite64",
		...inject.flatMap((rule) => ["-e", `inject=${rule}`]),
	];

	test("in fsync ends every acknowledgement and the process, and loses nothing before it", async () => {
		const folder = path.join(home, "fsync");
		await journal(folder);
		const ran = await runProgram("writer", [JSON.stringify({ home: folder }), "eio", "100000"], {
			through: strace("fsync:error=EIO:when=30+"),
		});
		const acks = acknowledged(ran.lines);
		expect(acks.length).toBeGreaterThan(0);
		expect(ran.code).toBe(70);
		expect(ran.lines.at(-1)).toMatch(/^failed: The store could not make its last changes durable/);
		expectNothingLost(acks, await journal(folder));
	});

	test("by being full refuses, says so, loses nothing, and goes on when there is space again", async () => {
		const folder = path.join(home, "full");
		await journal(folder);
		const ran = await runProgram("writer", [JSON.stringify({ home: folder }), "enospc", "2000"], {
			through: strace("pwrite64:error=ENOSPC:when=200..260"),
		});
		expect(ran.lines.at(-1)).toBe("over");
		expect(ran.code).toBe(0);
		const faults = ran.lines.filter((line) => line.startsWith("fault"));
		expect(faults.length).toBeGreaterThan(0);
		expect(faults.filter((line) => !line.startsWith("fault full"))).toEqual([]);
		const lastFault = ran.lines.findLastIndex((line) => line.startsWith("fault"));
		expect(ran.lines.slice(lastFault).filter((line) => line.startsWith("ack")).length).toBeGreaterThan(0);
		const events = await journal(folder);
		expectNothingLost(acknowledged(ran.lines), events);
		const refusedTexts = new Set(faults.map((line) => line.split(" ")[2]));
		expect(events.filter((event) => event.text !== null && refusedTexts.has(event.text))).toEqual([]);
	});
});

test.runIf(process.getuid?.() === 0)("a disk that fills up for real refuses and keeps the daemon alive", async () => {
	const folder = path.join(home, "small");
	mkdirSync(folder);
	const through = ["unshare", "--mount", "sh", "-c", `mount -t tmpfs -o size=24m none "${folder}" && exec "$@"`, "sh"];
	const ran = await runProgram(
		"writer",
		[JSON.stringify({ home: path.join(folder, "home") }), "small", "600", "4", "60000"],
		{ through },
	);
	const faults = ran.lines.filter((line) => line.startsWith("fault"));
	expect(faults.length).toBeGreaterThan(50);
	expect(faults.filter((line) => !line.startsWith("fault full"))).toEqual([]);
	expect(acknowledged(ran.lines).length).toBeGreaterThan(100);
	expect(ran.lines.at(-1)).toBe("over");
});

test("a home that cannot be written is reported, and nothing is made in it", async () => {
	const folder = path.join(home, "read-only");
	mkdirSync(folder);
	const place = JSON.stringify({ home: path.join(folder, "home") });
	const root = process.getuid?.() === 0;
	// root may write anywhere but to a file system that is mounted read-only
	const through = root
		? [
				"unshare",
				"--mount",
				"sh",
				"-c",
				`mount --bind "${folder}" "${folder}" && mount -o remount,ro,bind "${folder}" && exec "$@"`,
				"sh",
			]
		: ["sh", "-c", `chmod 500 "${folder}"; exec "$@"`, "sh"];
	const ran = await runProgram("writer", [place, "x", "1"], { through });
	expect(ran.lines).toEqual([expect.stringMatching(/^cannot start: .*(EROFS|EACCES|read-only|permission)/i)]);
	expect(ran.code).toBe(1);
	expect(readdirSync(folder)).toEqual([]);
});

describe("a store that is not as it should be", () => {
	const fingerprint = (folder: string): string[] =>
		readdirSync(folder).map(
			(file) =>
				`${file} ${createHash("sha256")
					.update(readFileSync(path.join(folder, file)))
					.digest("hex")}`,
		);
	const prepared = async (name: string): Promise<{ folder: string; file: string }> => {
		const folder = path.join(home, name);
		await using engine = await startEngine({ home: folder });
		for (let at = 0; at < 50; at++)
			await done(engine, { type: "item.append", agent: engine.agentZero.id, kind: "user", text: "words ".repeat(200) });
		return { folder, file: path.join(folder, "brood.db") };
	};

	const damages: [name: string, damage: (file: string) => void, says: RegExp][] = [
		["that is empty", (file) => truncateSync(file, 0), /damaged: it is empty/],
		["that is cut off", (file) => truncateSync(file, 60), /damaged: it is cut off/],
		[
			"whose header is wrong",
			(file) => writeFileSync(file, "not a database, but long enough to have a header of its own. ".repeat(10)),
			/damaged: its header/,
		],
		["that is gone", (file) => rmSync(file), /missing: it is gone/],
		["of another program", otherProgram, /database of another program/],
		["of a newer Brood", newer, /newer Brood.*not touched/],
	];
	test.each(damages)("%s is reported and left as it is", async (name, damage, says) => {
		const { folder, file } = await prepared(name.replaceAll(" ", "-"));
		damage(file);
		const before = fingerprint(folder);
		await expect(startEngine({ home: folder })).rejects.toThrow(says);
		expect(fingerprint(folder)).toEqual(before);
	});

	test("whose pages are damaged is reported and never replaced", async () => {
		const { folder, file } = await prepared("pages");
		const bytes = readFileSync(file);
		bytes.fill(0xa5, 4096 * 2, 4096 * 6);
		writeFileSync(file, bytes);
		await expect(startEngine({ home: folder })).rejects.toThrow(/damaged|malformed/);
		expect(readFileSync(file).equals(bytes)).toBe(true);
	});

	test("of an unreleased Brood is reported, and its rows are left as they are", async () => {
		const { folder, file } = await prepared("unreleased");
		using database = new DatabaseSync(file);
		database.exec("update migration set name = 'of another checkout'; pragma wal_checkpoint(truncate)");
		const before = readFileSync(file);
		await expect(startEngine({ home: folder })).rejects.toThrow(/unreleased Brood.*not touched/);
		expect(readFileSync(file).equals(before)).toBe(true);
	});

	test("can be brought back from a copy", async () => {
		const { folder, file } = await prepared("restored");
		copyFileSync(file, `${file}.copy`);
		rmSync(file);
		await expect(startEngine({ home: folder })).rejects.toThrow(/gone/);
		copyFileSync(`${file}.copy`, file);
		expect((await journal(folder)).filter((event) => event.kind === "user")).toHaveLength(50);
	});

	test("does not let anybody change its journal", async () => {
		const { file } = await prepared("append-only");
		const database = new DatabaseSync(file);
		expect(() => database.exec("update event set text = 'other words'")).toThrow(/append-only/);
		expect(() => database.exec("delete from event")).toThrow(/append-only/);
		database.close();
	});

	function newer(file: string): void {
		const database = new DatabaseSync(file);
		database.exec("pragma user_version = 9999");
		database.close();
	}

	function otherProgram(file: string): void {
		const database = new DatabaseSync(file);
		database.exec("pragma application_id = 1");
		database.close();
	}
});

test("an SQLite that can corrupt the store is refused", () => {
	for (const version of ["3.51.2", "3.40.1", "3.9.0", undefined])
		expect(() => assertVersion(version)).toThrow(/needs 3\.51\.3/);
	for (const version of ["3.51.3", "3.53.4", "4.0.0", "3.100.0"]) expect(() => assertVersion(version)).not.toThrow();
	expect(existsSync(home)).toBe(true);
});
