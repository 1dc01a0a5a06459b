// What is running of a home, found without the help of whatever keeps it together.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { alive, innerPid } from "#adapters/system/processes.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { homeIdName } from "#contract/own-variables.ts";

/** Everything that carries the home's id or works below `agent-folders`. */
export function processesOf(home: string): number[] {
	if (!existsSync(path.join(home, "id"))) return [];
	const entry = `${homeIdName}=${readFileSync(path.join(home, "id"), "utf8")}`;
	return alive().flatMap(({ pid, environment }) =>
		environment.split("\0").includes(entry) || worksIn(pid, path.join(home, "agent-folders")) ? pid : [],
	);
}

/** The same without the two processes of an agent's wrapper. */
export function insiders(home: string, level: ContainmentLevel): number[] {
	return processesOf(home).filter((pid) => level === "groups" || (innerPid(pid) ?? 1) > 1);
}

/** One of them may take the others along before it is their turn. */
export function killAll(pids: readonly number[]): void {
	for (const pid of pids) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// it is gone already
		}
	}
}

function worksIn(pid: number, folder: string): boolean {
	try {
		return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
	} catch {
		return false;
	}
}

/** Those with exactly this command line, its words ended by NUL. */
export function processesRunning(words: string): number[] {
	return readdirSync("/proc").flatMap((name) => {
		try {
			return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1") === words ? [Number(name)] : [];
		} catch {
			return [];
		}
	});
}

const runs = (command: string, ...args: string[]): boolean =>
	spawnSync(command, args, { stdio: "ignore" }).status === 0;
const mapped = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];

/** What this machine offers, strongest first. */
export const available: ContainmentLevel[] = [
	...(runs("bwrap", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc", "true")
		? (["bubblewrap"] as const)
		: []),
	...(runs("setpriv", "--pdeathsig", "KILL", "unshare", ...mapped, "--pid", "--fork", "--mount-proc", "true")
		? (["namespace"] as const)
		: []),
	"groups",
];

export const hasSandboxes = available.includes("bubblewrap");
/** What `sandbox` of a project's configuration can be here. */
export const sandboxModes = ["off", ...(hasSandboxes ? ["on"] : [])];

export const configure = (home: string, containment: ContainmentLevel): void =>
	writeFileSync(path.join(home, "config.yaml"), `containment: ${containment}\n`);
