// Process groups. Every command is started in its own (`detached`), so that its children end with it.
import { attempt } from "./errors.ts";

/** Without effect if the group is empty, or the process was never started. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
	if (pid !== undefined) attempt(() => process.kill(-pid, name), false);
}

/** SIGTERM, and SIGKILL after the grace unless the result is called before: it has ended. */
export function endGroup(pid: number | undefined, graceMs: number): () => void {
	signalGroup(pid, "SIGTERM");
	const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
	return () => clearTimeout(timer);
}
