// The memory of another process, as the kernel tells it.
import { readFileSync } from "node:fs";

/** `VmRSS` is all that is resident, `RssAnon` its own part, `RssFile` the programs that it shares with others. */
export function residentMib(pid: number, part: "VmRSS" | "RssAnon" | "RssFile" = "VmRSS"): number {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(new RegExp(`^${part}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}
