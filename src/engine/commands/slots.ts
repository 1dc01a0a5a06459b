// What the deciders of subscriptions and slots have to see.
import type { AgentId, SubscriptionName } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { Decision } from "#domain/decision.ts";
import type { Capacity } from "#domain/slots.ts";
import { decideLimit, decideRemoveSubscription } from "#domain/subscription.ts";
import type { Decided, Work } from "../work.ts";
import { onAgent } from "./agent.ts";

/** A time that somebody read from the clock on the wall, on the steady one; while the two agree it stays as it is. */
export const steadyOf = (until: number, { at, steady }: { at: number; steady: number }): number => (Math.abs(steady - at) < 1000 ? until : until - at + steady);

/** What is left, counted from the rows as they are in this transaction. */
export async function capacityOf(work: Work, { turnsMax }: Limits): Promise<Omit<Capacity, "leases"> & { leases: readonly LeaseState[] }> {
	const [subscriptions, projects] = [await work.tx.subscriptions(), await work.tx.projects()];
	return { subscriptions, projects, leases: await work.tx.leases(), turnsMax, now: work.envelope.at, steady: work.envelope.steady };
}

export async function onSubscription(work: Work, name: SubscriptionName, decide: (all: readonly SubscriptionState[]) => Decision): Promise<Decided> {
	return { decision: decide(await work.tx.subscriptions()), subject: { subscription: name } };
}

export async function removeSubscription(work: Work, name: SubscriptionName): Promise<Decided> {
	const turns = (await work.tx.openTurns()).filter((turn) => turn.subscription === name).length;
	return await onSubscription(work, name, (all) => decideRemoveSubscription(all, name, turns));
}

export async function limitAgent(work: Work, id: AgentId): Promise<Decided> {
	const seen = { subscriptions: await work.tx.subscriptions(), projects: await work.tx.projects(), now: work.envelope.steady };
	return await onAgent(work, id, (agent) => decideLimit(agent, seen));
}
