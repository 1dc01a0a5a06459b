// What an empty turn and a fork cost as one quantity grows: snapshots, turns, other agents. Homes with 1, 100 and 1,000
// of them run at the same time and are measured in turn; the ratio matters.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, fromResponse } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";
import { startDaemon } from "#src/main.ts";
import { median, type Result } from "./table.ts";
import { inHome } from "./turns.ts";

const sizes = [1, 100, 1000];
const rounds = 21;
const forksEvery = 3;

export async function flat(): Promise<Result[]> {
	return [
		await inHome((home) => grow(home, "snapshots", moreSnapshots)),
		await inHome((home) => grow(home, "turns", moreTurns)),
		await inHome((home) => grow(home, "agents", moreAgents)),
	];
}

interface MeasuredDaemon {
	client: Client;
	agent: Agent;
	repository: string;
	daemon: Awaited<ReturnType<typeof startDaemon>>;
}

type More = (setup: MeasuredDaemon, from: number, to: number) => Promise<void>;

async function grow(home: string, what: string, more: More): Promise<Result> {
	await using daemons = new AsyncDisposableStack();
	const setups: MeasuredDaemon[] = [];
	for (const size of sizes) setups.push(await setup(path.join(home, String(size)), daemons, size, more));
	const turns = sizes.map((): number[] => []);
	const forked = sizes.map((): number[] => []);
	// in turn, each round starting with another one, so that noise hits all of them alike
	for (let round = 0; round < rounds; round++) {
		for (const at of sizes.keys()) {
			const which = (round + at) % sizes.length;
			const there = setups[which];
			if (there === undefined) throw new Error("no such setup");
			turns[which]?.push(await turn(there, "say hello"));
			if (round % forksEvery === 0) forked[which]?.push(await fork(there));
		}
	}
	const rows = sizes.map((size, at): [string, number, number] => [
		`${size.toLocaleString("en")} ${what}`,
		median(turns[at] ?? []),
		median(forked[at] ?? []),
	]);
	const [first, last] = [rows[0], rows.at(-1)];
	if (first === undefined || last === undefined) throw new Error("nothing was measured");
	const worst = Math.max(last[1] / first[1], last[2] / first[2]);
	return {
		title: `A turn that changes nothing, and a fork, among many ${what}, ms`,
		columns: ["", "unchanged turn", "fork"],
		rows,
		ratio: {
			name: `the slower of the two with 1,000 ${what}, beside one`,
			value: worst,
			target: "≤ 1.5",
			met: worst <= 1.5,
		},
	};
}

async function setup(home: string, daemons: AsyncDisposableStack, size: number, more: More): Promise<MeasuredDaemon> {
	const repository = makeRepository(path.join(home, "repository"));
	const daemon = daemons.use(await startDaemon({ home: path.join(home, "home") }));
	// a long idle connection may just have been closed; each command has a key, so a retry is safe
	const client = new Client(daemon, async (url, request) =>
		fromResponse(await fetch(url, request).catch(() => fetch(url, request))),
	);
	await client.call("projectAdd", { body: { slug: "bench", path: repository } });
	const agent = await client.ask("agentAddTo", {
		key: randomUUID(),
		params: { project: "bench" },
		body: { name: "one", type: "scripted" },
	});
	const made = { client, agent, repository, daemon };
	await turn(made, "write a.txt text");
	await more(made, 1, size);
	for (let at = 0; at < 3; at++) await turn(made, "say hello");
	return made;
}

function makeRepository(folder: string): string {
	mkdirSync(folder, { recursive: true });
	const git = (...args: string[]): void =>
		void execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: folder });
	git("init", "-q", "-b", "main");
	for (let at = 0; at < 50; at++) writeFileSync(path.join(folder, `file-${at}.txt`), `text ${at}\n`);
	git("add", "-A");
	git("commit", "-qm", "begin");
	return folder;
}

async function turn({ client, agent, daemon }: MeasuredDaemon, text: string): Promise<number> {
	using events = daemon.engine.publisher.follow();
	const from = performance.now();
	await client.call("prompt", { key: randomUUID(), params: { agent: agent.id }, body: { text } });
	for (;;) {
		const batch = await events.next();
		if (batch === null) throw new Error("the events ended");
		if (batch.some((event) => event.kind === "turn.ended" && event.agent === agent.id)) return performance.now() - from;
	}
}

/** A fork whose workspace is ready; it is deleted again, so that only the measured quantity grows. */
async function fork({ client, agent }: MeasuredDaemon): Promise<number> {
	const from = performance.now();
	const child = await client.ask("fork", { key: randomUUID(), params: { agent: agent.id }, body: {} });
	const ms = performance.now() - from;
	await client.call("agentDelete", {
		key: randomUUID(),
		params: { agent: child.id },
		body: { force: true, deleteBranch: true, reason: "bench" },
	});
	return ms;
}

/** Many snapshot refs to one commit: only their number matters. The next turn finds them. */
async function moreSnapshots({ agent, repository }: MeasuredDaemon, from: number, to: number): Promise<void> {
	const commit = execFileSync("git", ["rev-parse", `refs/brood/snapshots/${agent.id}/1`], {
		cwd: repository,
		encoding: "utf8",
	}).trim();
	const input = Array.from(
		{ length: to - from },
		(_, at) => `update refs/brood/snapshots/${agent.id}/${from + at + 1} ${commit}\n`,
	).join("");
	execFileSync("git", ["update-ref", "--stdin"], { cwd: repository, input });
}

async function moreTurns(setup: MeasuredDaemon, from: number, to: number): Promise<void> {
	for (let at = from; at < to; at++) await turn(setup, "say hello");
}

/** Other agents of the project, each with its own worktree. */
async function moreAgents({ client }: MeasuredDaemon, from: number, to: number): Promise<void> {
	const atOnce = 8;
	for (let at = from; at < to; at += atOnce) {
		const some = Array.from({ length: Math.min(atOnce, to - at) }, (_, more) => at + more);
		await Promise.all(
			some.map((number) =>
				client.ask("agentAddTo", {
					key: randomUUID(),
					params: { project: "bench" },
					body: { name: `other-${number}`, type: "scripted" },
				}),
			),
		);
	}
}
