// The daemon's log: what is written into it, what never is, and that a fault which nobody caught ends in it and not in
// the daemon's end.
import { spawn as start } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openMemory } from "#adapters/store/memory/store.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { fileLog } from "#adapters/system/log.ts";
import { limits } from "#contract/limits.ts";
import type { LogEntry } from "#contract/log.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import { Engine } from "#engine/engine.ts";
import { noLog } from "#engine/ports/log.ts";
import { shell } from "#test/support/cli.ts";
import { spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

let now = Date.UTC(2026, 0, 1);
const clock = { now: () => now };
const entries = (home: string, file = "daemon.log"): LogEntry[] =>
	readFileSync(path.join(home, file), "utf8")
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line));

test("an entry says when, how bad, who and what, with the error and its causes", () => {
	const home = freshFolder();
	using log = fileLog({ home, clock });
	log.warn(
		"git",
		"A snapshot could not be taken",
		{ agent: "a1", turn: 7 },
		new Error("outer", { cause: new Error("inner") }),
	);
	log.debug("git", "nobody asked for this");
	log.setLevel("debug");
	log.debug("git", "somebody asked for this");
	const [first, second] = entries(home);
	expect(first).toMatchObject({
		at: "2026-01-01T00:00:00.000Z",
		level: "warn",
		source: "git",
		text: "A snapshot could not be taken",
		about: { agent: "a1", turn: 7 },
	});
	expect(first?.fault).toMatch(/^Error: outer\n {4}at [\s\S]*caused by Error: inner\n {4}at /);
	expect(second).toMatchObject({ level: "debug", text: "somebody asked for this" });
});

test("secrets are not written: by value, by shape and by place", () => {
	const home = freshFolder();
	using log = fileLog({ home, clock, secrets: ["correct horse battery"] });
	log.hide("another long word");
	const token = "a".repeat(20) + "B".repeat(23);
	log.error(
		"listener",
		`correct horse battery ${token} Bearer abc https://me:pw@host/x sk-ant-0123456789abcdef`,
		{ of: "another long word" },
		new Error(`with ${token}`),
	);
	const text = readFileSync(path.join(home, "daemon.log"), "utf8");
	for (const secret of ["correct horse", token, "abc ", "me:pw", "sk-ant", "another long"])
		expect([secret, text.includes(secret)]).toEqual([secret, false]);
	expect(text.match(/\[secret\]/g)?.length).toBe(7);
	// the control: what is not a secret is written
	expect(text).toContain("https://[secret]@host/x");
});

test("what somebody else said goes in bounded and without control characters", () => {
	const home = freshFolder();
	using log = fileLog({ home, clock });
	log.warn("agent", `\u001b]52;c;AAAA\u0007 \u009b31m \u202e ${"x".repeat(100_000)}`, { agent: "\u001b[8mhidden" });
	const line = readFileSync(path.join(home, "daemon.log"), "utf8");
	expect(line.length).toBeLessThan(1500);
	expect(/(?!\n)[\p{Cc}\p{Cf}]/u.test(line)).toBe(false);
	expect(line).toContain("u001b]52;c;AAAA");
});

test("the log has a bounded number of bounded files, which only their owner can read", () => {
	const home = freshFolder();
	writeFileSync(path.join(home, "daemon.log"), "an older daemon made it\n");
	chmodSync(path.join(home, "daemon.log"), 0o644);
	using log = fileLog({ home, clock, bytesMax: 2000, files: 3 });
	for (let n = 0; n < 200; n++) {
		now += 10_000;
		log.info("test", `entry ${n} ${"x".repeat(100)}`);
	}
	const files = readdirSync(home).sort();
	expect(files).toEqual(["daemon.log", "daemon.log.1", "daemon.log.2"]);
	for (const file of files) {
		const { size, mode } = statSync(path.join(home, file));
		expect(size).toBeLessThanOrEqual(2000);
		expect(mode & 0o777).toBe(0o600);
	}
	const kept = [...entries(home, "daemon.log.2"), ...entries(home, "daemon.log.1"), ...entries(home)].map(({ text }) =>
		Number(text.split(" ")[1]),
	);
	expect(kept.at(-1)).toBe(199);
	// nothing is missing in between
	expect(kept).toEqual(kept.map((_, at) => 200 - kept.length + at));
	expect(kept.length).toBeGreaterThan(15);
});

test("one source, or one agent, cannot fill the log; what is left out is counted", () => {
	const home = freshFolder();
	const log = fileLog({ home, clock });
	for (let n = 0; n < 1000; n++) log.warn("turns", "a bad message", { agent: "hostile" });
	for (let n = 0; n < 5; n++) log.warn("turns", "a bad message", { agent: "other" });
	log[Symbol.dispose]();
	const all = entries(home);
	expect(all.filter(({ about }) => about?.["agent"] === "hostile")).toHaveLength(30);
	expect(all.filter(({ about }) => about?.["agent"] === "other")).toHaveLength(5);
	expect(all.at(-1)).toMatchObject({ level: "warn", source: "turns hostile", text: "970 more entries were left out" });
});

test("a folder that is gone, or cannot be written, costs the entry and nothing else", () => {
	using log = fileLog({ home: path.join(freshFolder(), "nowhere"), clock });
	expect(() => log.error("test", "lost")).not.toThrow();
});

test("a fault that nobody caught is a line in the log, and the daemon goes on", { timeout: 60_000 }, async () => {
	const home = freshFolder();
	const program = (name: string): string => path.join(import.meta.dirname, "../..", name);
	const child = start(
		process.execPath,
		[
			"--import",
			program("test/programs/fault-on-signal.ts"),
			program("src/programs/daemon.ts"),
			"--home",
			home,
			"--port",
			"0",
		],
		{
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], HOME: home, OPENAI_API_KEY: "very-secret-word" },
		},
	);
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const until = async (words: RegExp): Promise<string> => {
		for (;;) {
			const { value, done } = await lines.next();
			if (done === true) throw new Error(`the daemon ended before it said ${words}`);
			if (words.test(value)) return value;
		}
	};
	await until(/is up at/);
	for (const words of [
		/A failure that nobody waited for/,
		/An exception that nobody caught/,
		/An exception that nobody caught/,
	]) {
		child.kill("SIGWINCH");
		await until(words);
	}
	const { url }: { url: string } = JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
	expect(await (await fetch(`${url}/api/health`)).json()).toEqual({ status: "ok", proofNonce: expect.any(String) });
	const errors = entries(home).filter(({ level }) => level === "error");
	expect(errors.map(({ fault }) => fault?.split("\n")[0])).toEqual([
		"Error: nobody waits for this promise",
		"Error: nobody catches this, with a token: Bearer [secret]",
		"Error: nobody listens to this",
	]);
	child.kill("SIGTERM");
	expect(await once(child, "exit")).toEqual([0, null]);
});

test("`brood logs` shows the log when no daemon runs, by level, and as JSON", { timeout: 60_000 }, async () => {
	await using cli = shell();
	expect(await cli.brood("logs")).toMatchObject({ code: 0, out: "nothing in the log at level info or above\n" });
	expect(existsSync(path.join(cli.home, "daemon.json"))).toBe(false);
	const log = fileLog({ home: cli.home, clock, bytesMax: 400 });
	for (const n of [1, 2, 3, 4]) log.info("test", `entry ${n}`);
	log.warn("git", "it failed", { agent: "a1" }, new Error("because"));
	log[Symbol.dispose]();
	expect((await cli.brood("logs", "-n", "3")).out).toMatch(
		/info {2}test: entry 3\n.*info {2}test: entry 4\n.*warn {2}git: it failed agent=a1\n {4}Error: because\n {8}at /,
	);
	expect((await cli.json("logs", "--level", "warn")).data).toMatchObject([
		{ level: "warn", source: "git", text: "it failed" },
	]);
	expect((await cli.brood("logs", "--level", "loud")).code).toBe(2);
});

test("a part of the daemon that fails again and again is named by `status`, and the others work", async () => {
	const said: string[] = [];
	const log = { ...noLog, error: (source: string, text: string) => void said.push(`${source}: ${text}`) };
	const store = openMemory(batchRunner(limits));
	Object.assign(store.reads, { openWaits: () => Promise.reject(new Error("a row that nobody can read")) });
	await using engine = await Engine.start({ store, driver: null, limits, clock: systemClock, ids: randomIds, log });
	await expect.poll(() => engine.degraded).toMatchObject([{ name: "waits", reason: "a row that nobody can read" }]);
	expect(said).toEqual(["parts: waits failed again; it is tried again in 60 s"]);
	// the control: provisioning, another part, still does its work
	const agent = await spawn(engine, engine.agentZero.id, { name: "alice", workspace: "none" });
	await expect.poll(async () => (await engine.reads.agent(agent.id))?.life).toBe("live");
});
