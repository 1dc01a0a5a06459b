// What this machine can carry.
import os from "node:os";

const gibibyte = 1024 ** 3;

/**
 * How many turns may be at work at one time if nobody says: most of them wait for a model, so memory is what runs out
 * first.
 */
export function machineTurns(machine = { cores: os.availableParallelism(), bytes: memoryBytes() }): number {
	return Math.max(2, Math.min(8 * machine.cores, Math.floor((2 * machine.bytes) / gibibyte)));
}

/**
 * How many idle agents keep their processes, and how much memory these may have together, an eighth of what there is.
 * Few enough to leave the machine to others, many enough that agents at work by turns do not start a process for each.
 */
export function machineIdle(machine = { cores: os.availableParallelism(), bytes: memoryBytes() }): {
	idleProcessesMax: number;
	idleBytesMax: number;
} {
	return { idleProcessesMax: Math.max(8, 12 * machine.cores), idleBytesMax: Math.floor(machine.bytes / 8) };
}

/**
 * All that there is, not what is free just now: the same machine should give the same answer. A container may have
 * less.
 */
function memoryBytes(): number {
	const constrained = process.constrainedMemory();
	return constrained > 0 && constrained < os.totalmem() ? constrained : os.totalmem();
}
