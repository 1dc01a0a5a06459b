// Finds the daemon, and starts it on first use. Inside an agent it is always the daemon that started the agent; a
// person on another machine names theirs in the same way, with BROOD_URL and BROOD_TOKEN.
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Address, Client, Refused } from "#client/client.ts";
import { fullName } from "#contract/full-name.ts";
import { type HomeProblem, homeProblem, unreadableFile } from "#contract/home-rule.ts";
import { messageOf } from "#contract/message-of.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { contractVersion } from "#contract/version.ts";
import type { Status } from "#contract/wire.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { version } from "#src/version.ts";
import { send, sendOnSocket, sendTo } from "./daemon-request.ts";
import { printToStderr } from "./print.ts";
import { withProgress } from "./progress.ts";

/** a daemon that restarts is up again within this time; one that was stopped on purpose is not started again */
const restartMs = 10_000;

export function homeOf(env: NodeJS.ProcessEnv = process.env): string {
	return path.resolve(env["BROOD_HOME"] || path.join(os.homedir(), ".brood"));
}

export interface Connected {
	client: Client;
	/** null with an address from the environment */
	home: string | null;
}

export interface RunningDaemon extends Connected {
	status: Status;
}

export async function connect(): Promise<Connected> {
	const given = givenAddress();
	if (given !== null) return { client: new Client(given, send), home: null };
	const announced = announcedClient();
	if (announced !== null) return { client: announced, home: homeOf() };
	const found = await running({ anyContract: true });
	if (found === null) return await start();
	if (found.status.version === version) return found;
	const { replaceOlder } = await import("./upgrade.ts");
	if (await replaceOlder(found.status, homeOf())) return await start();
	if (found.status.contract !== contractVersion) throw new Refused(wrongVersion(found.status));
	return found;
}

let isNotified = false;

/**
 * The connection broke during a wait. A daemon that died is started again; one that was stopped on purpose is waited
 * for.
 */
export async function reconnect(deadline?: AbortSignal): Promise<Connected> {
	if (givenAddress() !== null) return await connect();
	for (;;) {
		const found = await running();
		if (found !== null) return found;
		if (deadline?.aborted) throw new Refused(refuse("TIMEOUT", "Time ran out while the daemon was stopped."));
		if (!isStopped()) return await start();
		if (!isNotified && process.stderr.isTTY) printToStderr("the daemon was stopped; waiting until it is up again");
		isNotified = true;
		await pause(250);
	}
}

/** Somebody stopped this home's daemon on purpose: one that died has left its file. */
export const isStopped = (): boolean => givenAddress() === null && !existsSync(path.join(homeOf(), "daemon.json"));

/** Left by a daemon whose node a copy of its home took over: starting either one only ends the other. */
const replacedFile = (): string => path.join(homeOf(), "replaced");

/** For somebody who says in so many words that the daemon is to start. */
export function allowStart(): void {
	if (givenAddress() === null) rmSync(replacedFile(), { force: true });
}

function refuseReplaced(): void {
	if (!existsSync(replacedFile())) return;
	const why = readFileSync(replacedFile(), "utf8").trim();
	throw new Refused(
		refuse(
			"HOME_UNUSABLE",
			`The daemon is not started by itself: ${why} \`brood up\` starts it and ends the other one.`,
			{
				suggestions: ["brood up"],
			},
		),
	);
}

async function start(): Promise<Connected> {
	checkToken(homeOf());
	refuseReplaced();
	const { launchDaemon } = await import("./start.ts");
	const found = await launchDaemon(homeOf(), running);
	if (!process.argv.includes("--json")) await nameInterruptedTurns(found);
	return found;
}

let areInterruptedTurnsNamed = false;

/**
 * After a crash, or a stop that did not wait. Once, although each of several requests may find that the daemon is gone.
 */
async function nameInterruptedTurns(found: Connected): Promise<void> {
	if (areInterruptedTurnsNamed) return;
	areInterruptedTurnsNamed = true;
	const { interrupted } = await found.client.call("interruptedTurns").catch(() => ({ interrupted: [] }));
	if (interrupted.length === 0) return;
	const names = interrupted.slice(0, 5).map(fullName);
	const more = interrupted.length > names.length ? ` and ${interrupted.length - names.length} more` : "";
	const { retryCommand } = await import("./project-here.ts");
	const command = await retryCommand(found, interrupted);
	printToStderr(
		`The daemon had stopped and interrupted ${interrupted.length === 1 ? "the turn" : `${interrupted.length} turns`} of ${names.join(", ")}${more}; \`${command}\` runs ${interrupted.length === 1 ? "it" : "them"} again.`,
	);
}

/** The address in the environment: of an agent's process, or of a person whose daemon is on another machine. */
export function givenAddress({ BROOD_URL: url, BROOD_TOKEN: token }: NodeJS.ProcessEnv = process.env): Address | null {
	return url === undefined || token === undefined ? null : { url, token };
}

/** A client of this home's daemon, if it answers. With `anyContract` the caller looks at the contract itself. */
export async function running({ anyContract = false } = {}): Promise<RunningDaemon | null> {
	const home = homeOf();
	checkHome(home);
	const at = address(home);
	if (at === null) return null;
	try {
		const find = (): Address | null => address(home);
		const status = await new Client(at, sendTo(home), { find }).call("status");
		if (!isSameFolder(status.home, home)) return null;
		if (status.contract !== contractVersion && !anyContract) throw new Refused(wrongVersion(status));
		return { client: new Client(at, withProgress(sendTo(home)), { find, reconnect: findAgain }), home, status };
	} catch (error) {
		if (!(error instanceof Refused)) return null;
		if (error.refusal.code === "CONFLICT") throw error;
		// if nobody holds the home, the daemon is gone and another program took its port without answering
		if (error.refusal.code === "TIMEOUT" && holdersOf(home)?.length !== 0) throw error;
		return null;
	}
}

/**
 * A client of the daemon that `daemon.json` names, without asking it first: it is of this version, and only the home's
 * owner can create the socket in the home. If it does not answer, `findAgain` looks further.
 */
function announcedClient(): Client | null {
	const home = homeOf();
	checkHome(home);
	const at = address(home);
	if (at === null || at.version !== version || at.contract !== contractVersion || at.socket === null) return null;
	return new Client(at, withProgress(sendOnSocket(home)), { find: () => address(home), reconnect: findAgain });
}

/** Null if the daemon was stopped and not replaced. */
async function findAgain(): Promise<Client | null> {
	const deadline = AbortSignal.timeout(restartMs);
	try {
		return (await reconnect(deadline)).client;
	} catch (error) {
		if (deadline.aborted) return null;
		throw error;
	}
}

/** Compares inodes, because one path may be a link. */
function isSameFolder(one: string, other: string): boolean {
	const [a, b] = [one, other].map((folder) => statSync(folder, { throwIfNoEntry: false }));
	return one === other || (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino);
}

/** Called before anything in the home is trusted. */
function checkHome(home: string): void {
	const found = statSync(home, { throwIfNoEntry: false });
	const problem = found === undefined ? null : homeProblem(home, found, process.getuid?.() ?? null);
	if (problem !== null) throw unusable(problem);
}

const unusable = ({ message, suggestions }: HomeProblem): Refused =>
	new Refused(refuse("HOME_UNUSABLE", message, { suggestions }));

/** Without the token a daemon that runs looks like one that does not answer. */
function checkToken(home: string): void {
	const file = path.join(home, "token");
	try {
		if (existsSync(file)) readFileSync(file);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : null;
		throw unusable(unreadableFile(file, { message: messageOf(error), code }));
	}
}

interface Announced {
	url: string;
	socket: string | null;
	version: string;
	contract: number;
}

/** The address that this home's daemon, or its last one, wrote to `daemon.json`. */
function address(home: string): (Address & Announced) | null {
	try {
		const { url, socket, version, contract }: Announced = JSON.parse(
			readFileSync(path.join(home, "daemon.json"), "utf8"),
		);
		return { url, socket, version, contract, token: readFileSync(path.join(home, "token"), "utf8").trim() };
	} catch {
		return null;
	}
}

function wrongVersion({ contract, version: theirs }: Status): Refusal {
	const message = `The daemon is brood ${theirs} (contract ${contract}); this is brood ${version} (contract ${contractVersion}).`;
	return refuse("CONFLICT", message, {
		details: { daemon: contract, client: contractVersion },
		suggestions: ["brood restart"],
	});
}
