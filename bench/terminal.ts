// What the terminal costs: a key in a thread of 1,000 items and of 100,000, a key to the screen while ten agents
// stream, and the first frame among 1,000 agents. The last two go through a real pty, into a terminal emulator.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import headless from "@xterm/headless";
import { median, percentile, type Result } from "./table.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const brood = path.join(root, "dist/brood.cjs");
const lengths = [1000, 100_000];
const streams = { agents: 10, perSecond: 100, keys: 300, perKeyMs: 40 };
const crowd = 1000;
const starts = 7;

export async function terminal(): Promise<Result[]> {
	await run(process.execPath, ["tools/build.ts"], { cwd: root });
	return [await inDaemon(keyCost), await inDaemon(keyToScreen), await inDaemon(firstFrame)];
}

class BenchDaemon implements AsyncDisposable {
	readonly folder = mkdtempSync(path.join(os.tmpdir(), "brood-terminal-"));
	readonly #process: ChildProcess;
	readonly #lines: AsyncIterator<string>;
	url = "";
	token = "";

	constructor() {
		const file = fileURLToPath(new URL("./terminal-daemon.ts", import.meta.url));
		this.#process = spawn(process.execPath, [file, path.join(this.folder, "home")], {
			stdio: ["pipe", "pipe", "inherit"],
		});
		if (this.#process.stdout === null) throw new Error("no pipe");
		this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
	}

	async up(): Promise<this> {
		({ url: this.url, token: this.token } = JSON.parse((await this.#lines.next()).value));
		return this;
	}

	// biome-ignore lint/suspicious/noExplicitAny: what the command answers
	async ask(line: string): Promise<any> {
		this.#process.stdin?.write(`${line}\n`);
		return JSON.parse((await this.#lines.next()).value).done;
	}

	/** The terminal of a release in a pty, on a home of its own. */
	open(): Pty {
		const env = { BROOD_URL: this.url, BROOD_TOKEN: this.token, BROOD_HOME: path.join(this.folder, "client") };
		return new Pty(this.folder, env);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#process.stdin?.end();
		await once(this.#process, "exit");
		rmSync(this.folder, { recursive: true, force: true });
	}
}

async function inDaemon(measure: (daemon: BenchDaemon) => Promise<Result>): Promise<Result> {
	await using daemon = new BenchDaemon();
	return await measure(await daemon.up());
}

async function keyCost(daemon: BenchDaemon): Promise<Result> {
	const rows: { typed: number; paged: number; mib: number }[][] = lengths.map(() => []);
	const agents: string[] = await daemon.ask(`agents ${lengths.length}`);
	for (const [at, length] of lengths.entries()) await daemon.ask(`items ${length} ${agents[at]}`);
	for (let round = 0; round < 3; round++)
		for (const [at, agent] of agents.entries()) {
			const file = fileURLToPath(new URL("./terminal-process.ts", import.meta.url));
			const home = path.join(daemon.folder, `client-${at}`);
			const args = ["--expose-gc", file, daemon.url, daemon.token, home, agent];
			rows[at]?.push(JSON.parse((await run(process.execPath, args)).stdout));
		}
	const costs = rows.map((all) => ({
		typed: median(all.map(({ typed }) => typed)),
		paged: median(all.map(({ paged }) => paged)),
		mib: median(all.map(({ mib }) => mib)),
	}));
	const ratio = (of: "typed" | "paged" | "mib"): number => (costs[1]?.[of] ?? 0) / (costs[0]?.[of] ?? 1);
	const value = Math.max(ratio("typed"), ratio("mib"));
	return {
		title: "A key in a thread of many items: CPU of the terminal with its frame, and its heap",
		columns: ["items", "typed, ms", "page up, ms", "heap, MiB"],
		rows: costs.map(({ typed, paged, mib }, at) => [(lengths[at] ?? 0).toLocaleString("en"), typed, paged, mib]),
		ratio: { name: "100,000 items beside 1,000, a typed key or the heap", value, target: "≤ 1.2", met: value <= 1.2 },
	};
}

/** A program in a pty, and the screen that it has drawn. */
class Pty implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #screen = new headless.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
	#drawn: () => void = () => {};

	constructor(cwd: string, env: Record<string, string>) {
		const line = `stty cols 120 rows 40; exec ${process.execPath} ${brood}`;
		this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
			cwd,
			env: { PATH: process.env["PATH"] ?? "", HOME: cwd, TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
		});
		this.#child.stdout?.on("data", (data: Buffer) => this.#screen.write(data, () => this.#drawn()));
	}

	type(data: string): void {
		this.#child.stdin?.write(data);
	}

	row(at: number): string {
		return this.#screen.buffer.active.getLine(at)?.translateToString(true) ?? "";
	}

	/** The row of the input is the last but one. */
	get input(): string {
		return this.row(38).trimEnd();
	}

	/** Agents are there: the row above the input names the one that is shown. */
	get isWhole(): boolean {
		return /^\[|^↑/.test(this.row(37));
	}

	async until(holds: () => boolean, timeoutMs = 30_000): Promise<void> {
		if (holds()) return;
		const late = AbortSignal.timeout(timeoutMs);
		await new Promise<void>((resolve, reject) => {
			late.addEventListener("abort", () => reject(new Error(`the screen never came: ${this.input}`)));
			this.#drawn = () => {
				if (holds()) resolve();
			};
		});
		this.#drawn = () => {};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.kill("SIGKILL");
		await once(this.#child, "exit");
	}
}

async function keyToScreen(daemon: BenchDaemon): Promise<Result> {
	const agents: string[] = await daemon.ask(`agents ${streams.agents}`);
	await using it = daemon.open();
	await it.until(() => it.isWhole);
	// every thread has been open once, so that all of them are kept up to date
	for (let agent = 0; agent < streams.agents; agent++) it.type(agent === 0 ? "\u001B[1;5B" : "\u001B[1;5C");
	const measured = async (): Promise<number[]> => {
		const times: number[] = [];
		let typed = "";
		for (let key = 0; key < streams.keys; key++) {
			const letter = String.fromCharCode(97 + (key % 26));
			typed = typed.length === 60 ? letter : typed + letter;
			const start = performance.now();
			it.type(typed.length === 1 && key > 0 ? `\u0003${letter}` : letter);
			await it.until(() => it.input === `> ${typed}`);
			times.push(performance.now() - start);
			await new Promise((resume) => setTimeout(resume, streams.perKeyMs));
		}
		it.type("\u0003");
		await it.until(() => it.input === ">");
		const burst = "abcdefghijklmnopqrstuvwxyz".repeat(4);
		for (const letter of burst) it.type(letter);
		// a key that is lost never comes
		await it.until(() => it.input === `> ${burst}`);
		it.type("\u0003");
		await it.until(() => it.input === ">");
		return times;
	};
	const idle = await measured();
	await daemon.ask(`stream ${streams.perSecond} ${agents.join(",")}`);
	const busy = await measured();
	await daemon.ask("quiet");
	const value = percentile(busy, 0.95);
	return {
		title: "A key to the screen, through a pty, ms",
		columns: ["", "median", "p95", "keys"],
		rows: [
			["idle", percentile(idle, 0.5), percentile(idle, 0.95), idle.length],
			["10 agents, 100 items/s each", percentile(busy, 0.5), value, busy.length],
		],
		ratio: { name: "p95 while ten agents stream, no key lost", value, target: "≤ 50", met: value <= 50 },
	};
}

async function firstFrame(daemon: BenchDaemon): Promise<Result> {
	await daemon.ask(`agents ${crowd}`);
	const times: number[] = [];
	for (let start = 0; start < starts; start++) {
		const before = performance.now();
		await using it = daemon.open();
		await it.until(() => it.isWhole);
		times.push(performance.now() - before);
	}
	const value = median(times);
	return {
		title: "From the command to the first whole frame, ms",
		columns: ["agents", "median", "fastest"],
		rows: [[crowd.toLocaleString("en"), value, Math.min(...times)]],
		ratio: { name: "with 1,000 agents", value, target: "≤ 500", met: value <= 500 },
	};
}
