// The shell command of a call, if its input has nothing else that could change what runs.
import type { ShellCommand } from "#contract/approval.ts";

const lineMax = 100_000;
const folderNames: readonly string[] = ["cwd", "workdir", "directory", "dir_path"];
/** They change what is shown, or when it is stopped. */
const harmless: readonly string[] = ["description", "timeout", "timeout_ms", "timeoutMs"];
const shells = /(?:^|\/)(?:ba|z|da)?sh$/;

export function commandIn(tool: string, input: unknown): ShellCommand | null {
	if (tool !== "execute" || typeof input !== "object" || input === null || Array.isArray(input)) return null;
	let line: string | null = null;
	let folder: string | null = null;
	for (const [name, value] of Object.entries<unknown>({ ...input })) {
		if (value === null || value === undefined || value === false || value === "" || harmless.includes(name)) continue;
		if (name === "command") line = lineOf(value);
		else if (folderNames.includes(name) && typeof value === "string" && folder === null) folder = value;
		else return null;
	}
	return line === null || line.length > lineMax ? null : { line: line.toWellFormed(), folder };
}

/** Some programs report `["bash", "-lc", "npm test"]`. */
function lineOf(command: unknown): string | null {
	if (typeof command === "string") return command;
	if (!Array.isArray(command) || command.length !== 3) return null;
	const [shell, option, line]: unknown[] = command;
	const isShell = typeof shell === "string" && shells.test(shell) && (option === "-c" || option === "-lc");
	return isShell && typeof line === "string" ? line : null;
}
