// Whether a home can be used as it is configured now. The daemon's program looks itself: it knows best.
import { spawnSync } from "node:child_process";
import { programPath } from "#local/programs.ts";

/** What the next daemon would say. */
export function startProblem(home: string): string | null {
	const { status, text } = checkedByDaemon("--check-restart", home, 20_000);
	return status === 0 ? null : text || "The configuration could not be checked.";
}

/** What is wrong with the home's config.yaml; the daemon that runs has read an earlier one. */
export function configProblem(home: string): string | null {
	const { status, text } = checkedByDaemon("--check-config", home, 20_000);
	return status === 0 || text === "" ? null : text;
}

export function checkedByDaemon(
	what: "--check-restart" | "--check-home" | "--check-config",
	home: string,
	timeoutMs: number,
): { status: number | null; text: string } {
	const check = [programPath("programs/daemon"), what, "--home", home];
	const options = { encoding: "utf8", timeout: timeoutMs, killSignal: "SIGKILL" } as const;
	const { status, stderr } = spawnSync(process.execPath, check, options);
	return { status, text: stderr.trim().replace(/^brood: /, "") };
}
