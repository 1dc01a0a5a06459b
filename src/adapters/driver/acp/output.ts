// Whether any process in a PID namespace still has its output open.
//
// We hear that a program closed its output when the last copy of it is closed. `unshare` and the reaper keep theirs for
// as long as they live, so it has to be looked up: which processes inside still have it open?
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** False once no process inside has the wrapper's output open; true if that is unknown. */
export function hasOutputOpen(wrapper: number, output: number): boolean {
	const line = linkOf(`/proc/${wrapper}/fd/${output}`);
	const inside = childrenOf(wrapper).flatMap(childrenOf);
	if (line === null || inside.length === 0) return true;
	for (let at = 0; at < inside.length; at++) {
		const pid = inside[at] ?? 0;
		const open = filesOf(pid);
		// of one that just ended, or does not let itself be looked at, nothing is known
		if (open === null || open.includes(line)) return true;
		inside.push(...childrenOf(pid));
	}
	return false;
}

function filesOf(pid: number): (string | null)[] | null {
	try {
		return readdirSync(`/proc/${pid}/fd`).map((file) => linkOf(`/proc/${pid}/fd/${file}`));
	} catch {
		return null;
	}
}

function linkOf(file: string): string | null {
	try {
		return readlinkSync(file);
	} catch {
		return null;
	}
}

function childrenOf(pid: number): number[] {
	try {
		return (readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").match(/\d+/g) ?? []).map(Number);
	} catch {
		return [];
	}
}
