// A process group that we made: every command is started in one of its own (`detached`), so that what it starts ends
// with it.

/** Nothing happens if nobody is left in it, or if the process was never started. */
export function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, name);
	} catch {
		// nobody is left in it
	}
}
