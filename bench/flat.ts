// What a turn that changes nothing and a fork cost when there is much of something: snapshots, turns, other agents. Each of the
// three grows to 1, 100 and 1,000 in a home of its own, and what matters is the ratio within one run.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "#client/client.ts";
import type { Agent } from "#contract/wire.ts";
import { startDaemon } from "#src/main.ts";
import { median, type Result } from "./table.ts";
import { inHome } from "./turns.ts";

const sizes = [1, 100, 1000];
const rounds = 15;
const forks = 5;

export async function flat(): Promise<Result[]> {
	return [
		await inHome((home) => grow(home, "snapshots", moreSnapshots)),
		await inHome((home) => grow(home, "turns", moreTurns)),
		await inHome((home) => grow(home, "agents", moreAgents)),
	];
}

interface Scene {
	client: Client;
	agent: Agent;
	repository: string;
	daemon: Awaited<ReturnType<typeof startDaemon>>;
}

type More = (scene: Scene, from: number, to: number) => Promise<void>;

async function grow(home: string, what: string, more: More): Promise<Result> {
	const repository = makeRepository(path.join(home, "repository"));
	await using daemon = await startDaemon({ home: path.join(home, "home") });
	const client = new Client(daemon);
	await client.call("projectAdd", { body: { slug: "bench", path: repository } });
	const agent = await client.ask("agentAddTo", { params: { project: "bench" }, body: { name: "one", type: "scripted" } });
	const scene = { client, agent, repository, daemon };
	await turn(scene, "write a.txt text");
	const rows: [string, number, number][] = [];
	let there = 1;
	for (const size of sizes) {
		await more(scene, there, size);
		there = size;
		for (let at = 0; at < 3; at++) await turn(scene, "say hello");
		const turns: number[] = [];
		const forked: number[] = [];
		for (let round = 0; round < rounds; round++) turns.push(await turn(scene, "say hello"));
		for (let round = 0; round < forks; round++) forked.push(await fork(scene));
		rows.push([`${size.toLocaleString("en")} ${what}`, median(turns), median(forked)]);
	}
	const [first, last] = [rows[0], rows.at(-1)];
	if (first === undefined || last === undefined) throw new Error("nothing was measured");
	const worst = Math.max(last[1] / first[1], last[2] / first[2]);
	return {
		title: `A turn that changes nothing, and a fork, among many ${what}, ms`,
		columns: ["", "unchanged turn", "fork"],
		rows,
		ratio: { name: `the slower of the two with 1,000 ${what}, beside one`, value: worst, target: "≤ 1.5", met: worst <= 1.5 },
	};
}

function makeRepository(folder: string): string {
	mkdirSync(folder, { recursive: true });
	const git = (...args: string[]): void => void execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: folder });
	git("init", "-q", "-b", "main");
	for (let at = 0; at < 50; at++) writeFileSync(path.join(folder, `file-${at}.txt`), `text ${at}\n`);
	git("add", "-A");
	git("commit", "-qm", "begin");
	return folder;
}

async function turn({ client, agent, daemon }: Scene, text: string): Promise<number> {
	using events = daemon.engine.publisher.follow();
	const from = performance.now();
	await client.call("prompt", { params: { agent: agent.id }, body: { text } });
	for (;;) {
		const batch = await events.next();
		if (batch === null) throw new Error("the events ended");
		if (batch.some((event) => event.kind === "turn.ended" && event.agent === agent.id)) return performance.now() - from;
	}
}

/** A fork whose workspace is ready; it is taken away again, so that only what is meant to grow does. */
async function fork({ client, agent }: Scene): Promise<number> {
	const from = performance.now();
	const child = await client.ask("fork", { params: { agent: agent.id }, body: {} });
	const ms = performance.now() - from;
	await client.call("agentDelete", { params: { agent: child.id }, body: { force: true, branch: true, reason: "bench" } });
	return ms;
}

/** The same commit under many numbers: what is looked at is how many there are. The turn afterwards finds them. */
async function moreSnapshots({ agent, repository }: Scene, from: number, to: number): Promise<void> {
	const commit = execFileSync("git", ["rev-parse", `refs/brood/snapshots/${agent.id}/1`], { cwd: repository, encoding: "utf8" }).trim();
	const input = Array.from({ length: to - from }, (_, at) => `update refs/brood/snapshots/${agent.id}/${from + at + 1} ${commit}\n`).join("");
	execFileSync("git", ["update-ref", "--stdin"], { cwd: repository, input });
}

async function moreTurns(scene: Scene, from: number, to: number): Promise<void> {
	for (let at = from; at < to; at++) await turn(scene, "say hello");
}

/** Others of the same project, each with a worktree of its own. */
async function moreAgents({ client }: Scene, from: number, to: number): Promise<void> {
	const atOnce = 8;
	for (let at = from; at < to; at += atOnce) {
		const some = Array.from({ length: Math.min(atOnce, to - at) }, (_, more) => at + more);
		await Promise.all(some.map((number) => client.ask("agentAddTo", { params: { project: "bench" }, body: { name: `other-${number}`, type: "scripted" } })));
	}
}
