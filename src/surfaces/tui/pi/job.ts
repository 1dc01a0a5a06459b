// Whether a shell waits for this program: only then can it be stopped and brought back.
import { readFileSync } from "node:fs";

/** Null where the system does not say. */
export function hasShell(): boolean | null {
	try {
		const own = processOf(process.pid);
		let above = processOf(own.parent);
		// a script is part of the job, and so is what it started
		while (above.group === own.group) above = processOf(above.parent);
		// as the system sees it: a shell is in the same session as its jobs; a window of tmux is a session of its own
		return above.session === own.session;
	} catch {
		return null;
	}
}

function processOf(pid: number): { parent: number; group: number; session: number } {
	// nobody is above the first process
	if (pid === 0) return { parent: 0, group: 0, session: 0 };
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	// the name may have spaces and parentheses
	const [, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return { parent: Number(parent), group: Number(group), session: Number(session) };
}
