// Process groups. Every command is started in its own (`detached`), so that its children end with it.
import { attempt } from "./errors.ts";

/** Without effect if the group is empty, or the process was never started. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
	if (pid !== undefined) attempt(() => process.kill(-pid, name), false);
}
