// Files that whoever started this program had open and handed down without meaning to: editors and terminals often do.
// Every process that we start would inherit them as well, and an open folder of outside is a way out of a sandbox. What
// Node itself opens, and what it was given on purpose, is marked so that it is not handed down.
import { closeSync, readdirSync, readFileSync } from "node:fs";

const closedOnExec = 0o2000000;
const standardMax = 2;

/**
 * Closes what would be handed down, but for the standard three. Where there is no list of them there is no sandbox
 * either.
 */
export function closeInherited(): number {
	return listed().filter((file) => file > standardMax && isHandedDown(file) && isClosed(file)).length;
}

function listed(): number[] {
	try {
		return readdirSync("/proc/self/fd").map(Number);
	} catch {
		return [];
	}
}

function isHandedDown(file: number): boolean {
	try {
		const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1];
		return flags !== undefined && (Number.parseInt(flags, 8) & closedOnExec) === 0;
	} catch {
		return false;
	}
}

function isClosed(file: number): boolean {
	try {
		closeSync(file);
		return true;
	} catch {
		return false;
	}
}
