// Finding the daemon, and starting it on first use. Inside an agent the daemon is the one that started it, and none
// other.
import { existsSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Address, Client, Refused } from "#client/client.ts";
import { homeProblem } from "#contract/home-rule.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { contractVersion } from "#contract/version.ts";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#src/holders.ts";
import { printToStderr } from "./print.ts";
import { send, sendTo } from "./send.ts";

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

/**
 * The daemon went away while somebody waits. One that died is started again; one that was stopped is waited for, since
 * somebody wanted that.
 */
export async function reconnect(deadline?: AbortSignal): Promise<Connected> {
	if (givenAddress() !== null) return await connect();
	for (let told = false; ; told = true) {
		const found = await running();
		if (found !== null) return found;
		if (deadline?.aborted) throw new Refused(refuse("TIMEOUT", "Time ran out while the daemon was stopped."));
		if (existsSync(path.join(homeOf(), "daemon.json"))) return await start();
		if (!told && process.stderr.isTTY) printToStderr("the daemon was stopped; waiting until it is up again");
		await pause(250);
	}
}

async function start(): Promise<Connected> {
	const { startDaemon } = await import("./start.ts");
	return await startDaemon(homeOf(), running);
}

/** What an agent's process was given; such a process has no business with the daemon of any home. */
export function givenAddress({ BROOD_URL: url, BROOD_TOKEN: token }: NodeJS.ProcessEnv = process.env): Address | null {
	return url === undefined || token === undefined ? null : { url, token };
}

/** A client of the daemon that has this home, if it answers. */
export async function running(): Promise<Connected | null> {
	const home = homeOf();
	checkHome(home);
	const at = address(home);
	if (at === null) return null;
	try {
		const client = new Client(at, sendTo(home), () => address(home));
		const status = await client.call("status");
		if (!isSameFolder(status.home, home)) return null;
		if (status.contract !== contractVersion) throw new Refused(olderOrNewer(status));
		return { client, status };
	} catch (error) {
		if (!(error instanceof Refused)) return null;
		if (error.refusal.code === "CONFLICT") throw error;
		// somebody else took the port of a daemon that is gone, and says nothing: that is nobody's silence but theirs
		if (error.refusal.code === "TIMEOUT" && holdersOf(home)?.length !== 0) throw error;
		return null;
	}
}

/** A home may be known by several names: one of them may be a link. */
function isSameFolder(one: string, other: string): boolean {
	const [a, b] = [one, other].map((folder) => statSync(folder, { throwIfNoEntry: false }));
	return one === other || (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino);
}

/** Before anything in it is believed. */
function checkHome(home: string): void {
	const found = statSync(home, { throwIfNoEntry: false });
	const problem = found === undefined ? null : homeProblem(home, found, process.getuid?.() ?? null);
	if (problem !== null)
		throw new Refused(refuse("HOME_UNUSABLE", problem.message, { suggestions: problem.suggestions }));
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
