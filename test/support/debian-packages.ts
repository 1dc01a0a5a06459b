// Programs that tests start and npm does not bring. Where that is possible, what is missing is installed, so that
// `npm test` alone works on a fresh machine. Tests that need a program that cannot be had are skipped.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";

/** For tests of a failing disk, of the strongest containment, and of the terminal. */
const programs = { strace: "strace", bwrap: "bubblewrap", tmux: "tmux" };

export function installPrograms(): void {
	const missing = Object.entries(programs).filter(([name]) => findProgram([name]) === null);
	if (missing.length > 0) installPackages(missing.map(([, name]) => name));
}

/** The path of the first of these programs that this machine has. */
export function findProgram(names: readonly string[]): string | null {
	for (const folder of (process.env["PATH"] ?? "").split(":"))
		for (const name of names) {
			const file = path.join(folder, name);
			try {
				accessSync(file, constants.X_OK);
				return file;
			} catch {}
		}
	return null;
}

/** Does nothing where this user may not install packages, or the machine is no Debian. */
export function installPackages(names: readonly string[]): void {
	if (process.getuid?.() !== 0) return;
	const aptGet = (...args: string[]): void => void spawnSync("apt-get", args, { stdio: "ignore", timeout: 300_000 });
	aptGet("update");
	aptGet("install", "-y", "--no-install-recommends", ...names);
}
