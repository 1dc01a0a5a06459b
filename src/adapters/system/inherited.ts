// File descriptors that the parent process leaked to us, as editors and terminals often do. Every process that we start
// would inherit them, and an open folder is a way out of a sandbox. What Node opens itself is close-on-exec.
import { closeSync, readdirSync, readFileSync } from "node:fs";
import { attempt } from "./errors.ts";

const closedOnExec = 0o2000000;
const standardMax = 2;

/** Closes inheritable descriptors except the standard three. Without /proc there is no sandbox either. */
export function closeInherited(): number {
	const files = attempt(() => readdirSync("/proc/self/fd"), []).map(Number);
	return files.filter((file) => file > standardMax && isInheritable(file) && close(file)).length;
}

function isInheritable(file: number): boolean {
	const info = attempt(() => readFileSync(`/proc/self/fdinfo/${file}`, "utf8"), "");
	const flags = /^flags:\s+(\d+)$/m.exec(info)?.[1];
	return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0;
}

/** False if it was closed already. */
const close = (file: number): boolean =>
	attempt(() => {
		closeSync(file);
		return true;
	}, false);
