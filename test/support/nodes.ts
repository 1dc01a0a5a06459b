// Daemons as processes of their own on one PostgreSQL, each with its own home and behind its own proxy.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "#client/client.ts";
import { type LossyProxy, lossyProxy } from "./lossy-proxy.ts";
import { programPath } from "./programs.ts";
import { freshDatabase, freshFolder } from "./stores.ts";

export class NodeProcess implements AsyncDisposable {
	readonly name: string;
	readonly home = freshFolder();
	readonly proxy: LossyProxy;
	/** past the proxy */
	readonly database: string;
	#child: ChildProcess | null = null;
	#url = "";

	private constructor(name: string, database: string, proxy: LossyProxy) {
		this.name = name;
		this.database = database;
		this.proxy = proxy;
		// the long forms queue more than a person would
		const config = `node: {name: ${name}}\nlimits: {queueLengthMax: 1000000}\n`;
		writeFileSync(path.join(this.home, "config.yaml"), config);
	}

	/** Not started yet. */
	static async on(database: string, name: string): Promise<NodeProcess> {
		return new NodeProcess(name, database, await lossyProxy(database));
	}

	/** With this program, or what another version of it is. */
	async start(program?: string): Promise<void> {
		const child = this.#spawn(program);
		child.stderr.on("data", (chunk) => process.stderr.write(chunk));
		for await (const line of createInterface(child.stdout)) {
			const [, url] = / is up at (\S+) /.exec(line) ?? [];
			if (url === undefined) continue;
			this.#url = url;
			child.stdout.resume();
			return;
		}
		throw new Error(`${this.name} did not start`);
	}

	/** What a daemon says that does not come up. */
	async refusal(program?: string): Promise<string> {
		const child = this.#spawn(program);
		const said = (await Promise.all([child.stdout, child.stderr].map(textOf))).join("");
		if ((await this.ended()) === 0 || / is up at /.test(said)) throw new Error(`${this.name} came up`);
		return said;
	}

	#spawn(program = programPath("programs/daemon")): ChildProcessByStdio<null, Readable, Readable> {
		const env = { ...process.env, BROOD_DATABASE_URL: this.proxy.url };
		const args = [program, "--home", this.home, "--port", "0"];
		const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
		this.#child = child;
		// of a round among hundreds nothing else tells why a daemon ended that no test killed
		if (process.env["BROOD_TORTURE"] !== undefined)
			child.on("exit", (code, signal) => (code !== null || !child.killed) && this.#tellEnd(code ?? signal));
		return child;
	}

	#tellEnd(code: number | string | null): void {
		const log = readFileSync(path.join(this.home, "daemon.log"), "utf8").trimEnd().split("\n").slice(-10);
		process.stderr.write(`${this.name} ended with ${code}. Its log:\n${log.join("\n")}\n`);
	}

	get address(): { url: string; token: string } {
		return { url: this.#url, token: readFileSync(path.join(this.home, "token"), "utf8").trim() };
	}

	get client(): Client {
		return new Client(this.address);
	}

	signal(name: NodeJS.Signals): void {
		this.#child?.kill(name);
	}

	/** The pid of the process that watches this daemon. */
	watchdog(): number {
		const mine = `brood-watchdog\0${this.#child?.pid}\0`;
		const found = commandLines().find(({ line }) => line.includes(mine));
		if (found === undefined) throw new Error(`${this.name} has no watchdog`);
		return found.pid;
	}

	/** The exit code, or the signal that ended it. */
	async ended(): Promise<number | string> {
		const child = this.#child;
		if (child === null) throw new Error(`${this.name} was never started`);
		if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
		return child.exitCode ?? child.signalCode ?? "unknown";
	}

	/** The ids that this node's stream has from the beginning up to the n-th event of this kind. */
	async streamUntil(kind: string, count: number): Promise<number[]> {
		const seen: number[] = [];
		let left = count;
		const stop = new AbortController();
		for await (const message of this.client.follow({ after: 0 }, stop.signal)) {
			if (!("event" in message)) continue;
			seen.push(message.event.id);
			if (message.event.kind === kind && --left === 0) break;
		}
		stop.abort();
		return seen;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.proxy.heal();
		if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) {
			this.signal("SIGKILL");
			await this.ended();
		}
		await this.proxy[Symbol.asyncDispose]();
	}
}

export interface Cluster extends AsyncDisposable {
	readonly nodes: readonly NodeProcess[];
	/** of the database itself, past all proxies */
	readonly url: string;
}

export async function startNodes(...names: string[]): Promise<Cluster> {
	const url = await freshDatabase();
	const nodes = await Promise.all(names.map((name) => NodeProcess.on(url, name)));
	// the others find the first one there: a node that was alone when it was last heard of does not fall by itself
	const [first, ...others] = nodes;
	await first?.start();
	await Promise.all(others.map((node) => node.start()));
	return {
		nodes,
		url,
		async [Symbol.asyncDispose]() {
			for (const node of nodes) await node[Symbol.asyncDispose]();
		},
	};
}

/** Counts processes from the outside: those that sleep for this time, and of these the ones that are not stopped. */
export function counted(time: string): { there: number; running: number; pids: number[] } {
	const found = commandLines().flatMap(({ pid, line }) => {
		const state = line.startsWith(`sleep\0${time}\0`) ? stateOf(pid) : "X";
		return state === "Z" || state === "X" ? [] : { pid, state };
	});
	const running = found.filter(({ state }) => state !== "T");
	return { there: found.length, running: running.length, pids: found.map(({ pid }) => pid) };
}

/** By pid, with when each was first seen: a process that is older than a second has become what it is. */
let known = new Map<number, { line: string; since: number }>();
const youngMs = 1000;

function commandLines(): { pid: number; line: string }[] {
	const now = performance.now();
	const found = readdirSync("/proc").flatMap((name) => {
		const before = known.get(Number(name));
		if (before !== undefined && now - before.since > youngMs) return [[Number(name), before] as const];
		try {
			const line = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "latin1") : "";
			return line === "" ? [] : [[Number(name), { line, since: before?.since ?? now }] as const];
		} catch {
			return [];
		}
	});
	known = new Map(found);
	return found.map(([pid, { line }]) => ({ pid, line }));
}

function stateOf(pid: number): string {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		return stat.charAt(stat.lastIndexOf(")") + 2);
	} catch {
		return "X";
	}
}

/**
 * between two looks; what takes seconds is looked at less often, because each look takes time from what is waited for
 */
const lookMs = { first: 20, longest: 200 };

/** Looks again and again until `check` says so; the time that it took. */
export async function eventually(
	what: string,
	check: () => boolean | Promise<boolean>,
	timeout = 40_000,
): Promise<number> {
	const from = performance.now();
	for (let ms = lookMs.first; !(await check()); ms = Math.min(ms * 1.3, lookMs.longest)) {
		if (performance.now() - from > timeout) throw new Error(`not within ${timeout / 1000} s: ${what}`);
		await pause(ms);
	}
	return performance.now() - from;
}
