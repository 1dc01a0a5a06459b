// Defaults from the size of this machine.
import os from "node:os";

const gibibyte = 1024 ** 3;

/** Default number of concurrent turns: at most eight for each core, and one for each half GiB of memory. */
export function machineTurns(machine = { cores: os.availableParallelism(), bytes: memoryBytes() }): number {
	return Math.max(2, Math.min(8 * machine.cores, Math.floor((2 * machine.bytes) / gibibyte)));
}

/**
 * How many idle agents keep their processes, and how much memory these may use together: an eighth. Few enough for
 * other programs, many enough that agents that alternate keep their processes.
 */
export function machineIdle(machine = { cores: os.availableParallelism(), bytes: memoryBytes() }): {
	idleProcessesMax: number;
	idleBytesMax: number;
} {
	return { idleProcessesMax: Math.max(8, 12 * machine.cores), idleBytesMax: Math.floor(machine.bytes / 8) };
}

/** Total memory and not free memory, so that the result is stable. A container may have less. */
function memoryBytes(): number {
	const constrained = process.constrainedMemory();
	return constrained > 0 && constrained < os.totalmem() ? constrained : os.totalmem();
}

/** The machine's name, as a node's name may be written. */
export const machineName = (host = os.hostname()): string =>
	host
		.replace(/[^A-Za-z0-9._-]/g, "-")
		.replace(/^[^A-Za-z0-9]+/, "")
		.slice(0, 64) || "node";
