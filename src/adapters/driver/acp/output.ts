// Whether any process in a PID namespace still has its output open.
//
// A pipe ends when its last writer closes it. `unshare` and the reaper keep it open for as long as they live, so the
// processes inside are checked through /proc.
import { readdirSync, readlinkSync } from "node:fs";
import { attempt } from "../../system/errors.ts";
import { childrenOf } from "../../system/processes.ts";

/** False once no process inside has the wrapper's output open; true if that is unknown. */
export function hasOutputOpen(wrapper: number, output: number): boolean {
	const pipe = linkOf(`/proc/${wrapper}/fd/${output}`);
	const inside = childrenOf(wrapper).flatMap(childrenOf);
	if (pipe === null || inside.length === 0) return true;
	for (let at = 0; at < inside.length; at++) {
		const pid = inside[at] ?? 0;
		const open = filesOf(pid);
		// unknown for a process that just ended, or that may not be read
		if (open === null || open.includes(pipe)) return true;
		inside.push(...childrenOf(pid));
	}
	return false;
}

const filesOf = (pid: number): (string | null)[] | null =>
	attempt(() => readdirSync(`/proc/${pid}/fd`).map((file) => linkOf(`/proc/${pid}/fd/${file}`)), null);

const linkOf = (file: string): string | null => attempt(() => readlinkSync(file), null);
