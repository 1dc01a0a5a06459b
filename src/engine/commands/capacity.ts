// What is left of slots and places, counted from the rows as they are in this transaction.
import type { Limits } from "#contract/limits.ts";
import type { TurnLease } from "#contract/subscription.ts";
import type { Capacity } from "#domain/slots.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export async function capacityOf(
	work: UnitOfWork,
	{ turnsMax }: Limits,
): Promise<Omit<Capacity, "leases"> & { leases: TurnLease[] }> {
	const [subscriptions, projects] = [await work.tx.subscriptions(), await work.tx.projects()];
	const { at: now, monotonic, node } = work.envelope;
	const [leases, nodes] = [await work.tx.turnLeases(), await work.tx.nodes()];
	return { subscriptions, projects, leases, nodes, node, turnsMax, now, monotonic };
}

/** A wall-clock time on the monotonic clock; unchanged while the two agree. */
export const toMonotonic = (until: number, { at, monotonic }: { at: number; monotonic: number }): number =>
	Math.abs(monotonic - at) < 1000 ? until : until - at + monotonic;
