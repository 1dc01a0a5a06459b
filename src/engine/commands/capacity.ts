// What is left of slots and places, counted from the rows as they are in this transaction.
import type { Limits } from "#contract/limits.ts";
import type { LeaseState } from "#contract/subscription.ts";
import type { Capacity } from "#domain/slots.ts";
import type { Work } from "../work.ts";

export async function capacityOf(work: Work, { turnsMax }: Limits): Promise<Omit<Capacity, "leases"> & { leases: LeaseState[] }> {
	const [subscriptions, projects] = [await work.tx.subscriptions(), await work.tx.projects()];
	const { at: now, steady } = work.envelope;
	return { subscriptions, projects, leases: await work.tx.leases(), turnsMax, now, steady };
}

/** A time that somebody read from the clock on the wall, on the steady one; while the two agree it stays as it is. */
export const steadyOf = (until: number, { at, steady }: { at: number; steady: number }): number => (Math.abs(steady - at) < 1000 ? until : until - at + steady);
