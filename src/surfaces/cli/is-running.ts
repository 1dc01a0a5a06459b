import { readFileSync } from "node:fs";

export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		// a zombie still has its pid
		return !/^\d+ \(.*\) Z/s.test(statOf(pid));
	} catch {
		return false;
	}
}

function statOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch {
		return "";
	}
}
