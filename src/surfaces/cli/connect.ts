// Finding the daemon, and starting it on first use. Inside an agent the daemon is the one that started it, and none other.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Address, Client, Refused } from "#client/client.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { contractVersion } from "#contract/version.ts";
import type { Status } from "#contract/wire.ts";
import { programPath } from "#src/programs.ts";
import { send } from "./send.ts";

const startMs = 20_000;
/** a daemon waits most of its life: it need not keep room for garbage */
const frugal = ["--max-semi-space-size=2"];

export function homeOf(env: NodeJS.ProcessEnv = process.env): string {
	return path.resolve(env["BROOD_HOME"] || path.join(os.homedir(), ".brood"));
}

export interface Connected {
	client: Client;
	/** what the daemon said when it was found; null inside an agent, which does not ask */
	status: Status | null;
}

export async function connect(): Promise<Connected> {
	const given = givenAddress();
	if (given !== null) return { client: new Client(given, send), status: null };
	return (await running()) ?? (await start());
}

/** The daemon went away while somebody waits. One that died is started again; one that was stopped is waited for, since somebody wanted that. */
export async function reconnect(patience?: AbortSignal): Promise<Connected> {
	if (givenAddress() !== null) return await connect();
	for (let told = false; ; told = true) {
		const found = await running();
		if (found !== null) return found;
		if (patience?.aborted) throw new Refused(refuse("TIMEOUT", "Time ran out while the daemon was stopped."));
		if (existsSync(path.join(homeOf(), "daemon.json"))) return await start();
		if (!told && process.stderr.isTTY) process.stderr.write("the daemon was stopped; waiting until it is up again\n");
		await pause(250);
	}
}

/** What an agent's process was given; such a process has no business with the daemon of any home. */
export function givenAddress({ BROOD_URL: url, BROOD_TOKEN: token }: NodeJS.ProcessEnv = process.env): Address | null {
	return url === undefined || token === undefined ? null : { url, token };
}

/** A client of the daemon that has this home, if it answers. */
export async function running(): Promise<Connected | null> {
	const home = homeOf();
	const at = address(home);
	if (at === null) return null;
	try {
		const client = new Client(at, send, () => address(home));
		const status = await client.call("status");
		if (status.home !== home) return null;
		if (status.contract !== contractVersion) throw new Refused(olderOrNewer(status));
		return { client, status };
	} catch (error) {
		if (error instanceof Refused && error.refusal.code === "CONFLICT") throw error;
		return null;
	}
}

/** What the daemon of this home wrote down about itself, or the last one did. */
function address(home: string): Address | null {
	try {
		const { url }: { url: string } = JSON.parse(readFileSync(path.join(home, "daemon.json"), "utf8"));
		return { url, token: readFileSync(path.join(home, "token"), "utf8").trim() };
	} catch {
		return null;
	}
}

function olderOrNewer({ contract, version }: Status): Refusal {
	const words = `The daemon (${version}) speaks contract ${contract}, this program ${contractVersion}: stop it with the program that started it, then try again.`;
	return refuse("CONFLICT", words, { details: { daemon: contract, client: contractVersion } });
}

/** In a session of its own, with what Node prints in the home, and without what the shell happens to have in its environment. */
export async function start(): Promise<Connected> {
	const home = homeOf();
	mkdirSync(home, { recursive: true, mode: 0o700 });
	const out = openSync(path.join(home, "daemon.out"), "a", 0o600);
	const child = spawn(process.execPath, [...frugal, programPath("daemon"), "--home", home, "--background"], {
		detached: true,
		stdio: ["ignore", out, out],
		env: cleaned(process.env),
		cwd: home,
	});
	child.unref();
	const ended = new Promise<string>((resolve) => child.once("exit", (code) => resolve(`it exited with ${code}`)));
	for (const until = performance.now() + startMs; performance.now() < until; ) {
		const found = await running();
		if (found !== null) return found;
		const how = await Promise.race([ended, pause(50).then(() => null)]);
		// somebody else may have been quicker
		if (how !== null) {
			const other = await running();
			if (other !== null) return other;
			throw new Error(`The daemon did not start (${how}): ${lastWords(home)}`);
		}
	}
	throw new Error(`The daemon did not answer within ${startMs / 1000} s. See brood logs.`);
}

function lastWords(home: string): string {
	const file = path.join(home, "daemon.out");
	return (
		readFileSync(file, "utf8")
			.trimEnd()
			.split("\n")
			.at(-1)
			?.replace(/^brood: /, "") || `see ${file}`
	);
}

function cleaned(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(GIT_|npm_|NODE_OPTIONS$|BROOD_(TOKEN|AGENT|URL|MARK)$)/.test(name)));
}
