// What a turn and a fork cost does not depend on how many snapshots there are. Counted from outside: a program named
// git, first on the daemon's PATH, writes a line for each time that it is run.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GitEvent } from "#contract/project.ts";
import type { Agent } from "#contract/wire.ts";
import { freshFolder } from "../support/stores.ts";
import { git, params, TestDaemon } from "../support/test-daemon.ts";

const many = 100;
const before = process.env["PATH"];
let shop: TestDaemon;
let log: string;

beforeAll(async () => {
	const folder = freshFolder();
	log = path.join(folder, "runs");
	const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
	mkdirSync(path.join(folder, "bin"));
	writeFileSync(path.join(folder, "bin", "git"), `#!/bin/sh\nprintf '%s\\0' "$*" >> "${log}"\nexec "${real}" "$@"\n`, {
		mode: 0o755,
	});
	process.env["PATH"] = `${path.join(folder, "bin")}:${before}`;
	shop = await TestDaemon.open();
});
afterAll(async () => {
	await shop[Symbol.asyncDispose]();
	process.env["PATH"] = before;
});

test(`an unchanged turn and a fork run as many git processes after ${many} snapshots as after one`, {
	timeout: 120_000,
}, async () => {
	const { add, repository } = await shop.project();
	const agent = await add({});
	const first = await cost(agent);
	// the same commit each time: only the number of snapshots matters
	const commit = git(repository, "rev-parse", `refs/brood/snapshots/${agent.id}/1`);
	const refs = Array.from({ length: many }, (_, at) => `refs/brood/snapshots/${agent.id}/${at + 1}`);
	execFileSync("git", ["update-ref", "--stdin"], {
		cwd: repository,
		input: refs.map((ref) => `update ${ref} ${commit}\n`).join(""),
	});
	// the first turn afterwards finds out that somebody else made snapshots
	await shop.turn(agent, "say hello");
	const later = await cost(agent);
	expect(later).toEqual(first);
	expect((await shop.client.call("snapshots", params(agent))).length).toBeGreaterThanOrEqual(many);
});

test("a turn that changes nothing leaves no git command in the journal; making a worktree, a commit and a merge do", {
	timeout: 120_000,
}, async () => {
	const { add } = await shop.project();
	const agent = await add({});
	await shop.turn(agent, "write a.txt text");
	await shop.turn(agent, "say nothing new");
	const before = await shop.daemon.engine.reads.lastEvent();
	await shop.turn(agent, "say nothing new");
	await shop.client.call("commit", { ...params(agent), body: { message: "work" } });
	await shop.client.call("approve", { ...params(agent), body: {} });
	await shop.restart();
	const ran = await shop.daemon.engine.reads.events({ after: 0, limit: 10_000, kinds: ["git.ran"] });
	const verbs = ran.map(({ id, data }) => ({ id, args: GitEvent.shape.data.parse(data).args.join(" ") }));
	const committed =
		(await shop.daemon.engine.reads.events({ after: before, limit: 1000, kinds: ["workspace.leased"] }))[0]?.id ?? 0;
	expect(verbs.filter(({ id }) => id > before && id < committed)).toEqual([]);
	for (const wanted of [/worktree add/, / commit /, /update-ref|merge/])
		expect(verbs.map(({ args }) => args).join("\n")).toMatch(wanted);
	expect(verbs.filter(({ args }) => /--list|worktree list|update-index/.test(args))).toEqual([]);
});

test("control: a look at each snapshot is counted", async () => {
	const { add, repository } = await shop.project();
	const agent = await add({});
	await shop.turn(agent, "write a.txt text");
	const look = async (): Promise<number> =>
		await counted(async () => {
			for (let at = 0; at < 7; at++) git(repository, "cat-file", "-t", `refs/brood/snapshots/${agent.id}/1`);
		});
	// the least, as for the cost
	expect(Math.min(await look(), await look(), await look())).toBe(7);
});

test("each verb runs as many git processes as it needs, and no more", { timeout: 120_000 }, async () => {
	const { add } = await shop.project();
	const counts = new Map<string, number>();
	const count = async <T>(verb: string, work: () => Promise<T>): Promise<T> => {
		writeFileSync(log, "");
		const done = await work();
		counts.set(verb, Math.min(counts.get(verb) ?? Number.POSITIVE_INFINITY, commandsIn(log).length));
		return done;
	};
	// the least counts, as for the cost
	for (let round = 1; round <= 2; round++) {
		const agent = await count("add", async () => await add({}));
		const asked = { ...params(agent), body: {} };
		await shop.turn(agent, `write a.txt ${round}`);
		await count("turn", async () => await shop.turn(agent, "say nothing new"));
		await count("turn that writes", async () => await shop.turn(agent, "write b.txt text"));
		await count("diff", async () => await shop.client.call("diff", params(agent)));
		await count("fork", async () => await shop.client.ask("fork", asked));
		await count("restore", async () => await shop.client.call("restore", { ...asked, body: { snapshot: "1" } }));
		await count("commit", async () => await shop.client.call("commit", { ...asked, body: { message: "work" } }));
		await count("sync", async () => await shop.client.call("sync", asked));
		await count("approve", async () => await shop.client.call("approve", asked));
		await count("delete", async () => await shop.client.call("agentDelete", asked));
	}
	expect([...counts].filter(([verb, least]) => !(least > 0 && least <= (processesMax[verb] ?? 0)))).toEqual([]);
});

test("the parts of a diff between two objects are cut from one list of its files; a folder is looked at each time", async () => {
	const { add } = await shop.project();
	const agent = await add({});
	await shop.turn(agent, "write a.txt text\nwrite b.txt text");
	const lists = async (part: (of: string) => Promise<{ patch: string }>): Promise<number> => {
		writeFileSync(log, "");
		for (const of of ["a.txt", "b.txt", "a.txt"]) expect((await part(of)).patch).toContain(`+++ b/${of}`);
		return commandsIn(log).filter((args) => args.includes("--numstat")).length;
	};
	const snapshot = { params: { agent: agent.id, snapshot: "1" } };
	expect(await lists(async (of) => await shop.client.call("snapshot", { ...snapshot, query: { path: of } }))).toBe(1);
	expect(await lists(async (of) => await shop.client.call("diff", { ...params(agent), query: { path: of } }))).toBe(3);
});

/** one less for a fork where the disk shares blocks */
const processesMax: Readonly<Record<string, number>> = {
	add: 4,
	turn: 6,
	"turn that writes": 9,
	diff: 6,
	fork: 14,
	restore: 17,
	commit: 4,
	sync: 8,
	approve: 34,
	delete: 9,
};

/**
 * A turn that writes, so that there is a snapshot of this moment, then some that do not, then forks. The least counts:
 * what the daemon does on the side may run in the same moment, and only adds.
 */
async function cost(agent: Agent): Promise<{ turn: number; fork: number }> {
	await shop.turn(agent, "write a.txt text");
	await shop.turn(agent, "say nothing new");
	const least = async (work: () => Promise<unknown>): Promise<number> => {
		const counts = [];
		for (let at = 0; at < 3; at++) counts.push(await counted(async () => void (await work())));
		return Math.min(...counts);
	};
	const turn = await least(async () => await shop.turn(agent, "say nothing new"));
	const fork = await least(async () => await shop.client.ask("fork", { ...params(agent), body: {} }));
	expect(Math.min(turn, fork)).toBeGreaterThan(3);
	return { turn, fork };
}

async function counted(work: () => Promise<void>): Promise<number> {
	writeFileSync(log, "");
	await work();
	return commandsIn(log).length;
}

/** One entry for each process; a message may have several lines. */
const commandsIn = (file: string): string[] => readFileSync(file, "utf8").split("\0").slice(0, -1);
