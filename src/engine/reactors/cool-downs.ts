// Holds the agents of a subscription that cools down, and ends these holds when the cool-down ends or is lifted.

import { dataOf, isAbout } from "#contract/event-data.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	clock: Clock;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

export function coolDownsReactor({ reads, dispatch, clock, node }: Parts): Reactor {
	return {
		name: "cool-downs",
		wakes: (event) => isAbout(event, "subscription") || dataOf(event, "agent.held")?.hold === "limit",
		async look(signal) {
			const now = monotonicNow(clock);
			const cooling = (await reads.subscriptions()).filter(
				({ coolingUntil, removedAt }) => removedAt === null && (coolingUntil ?? 0) > now,
			);
			const types = new Set(cooling.map(({ type }) => type));
			const live = (await reads.agents({ life: "live" })).filter((agent) => isOwn(node, agent));
			const affected = live.filter(({ type, holds }) => types.has(type) || holds.some(({ kind }) => kind === "limit"));
			if (signal.aborted) return "done";
			// whether a hold begins or ends is decided inside the transaction
			const result = await dispatchAll(
				dispatch,
				affected.map((agent) => ({ type: "agent.checkLimit", agent: agent.id })),
			);
			const ends = [
				...cooling.map(({ coolingUntil }) => coolingUntil ?? now),
				...affected.flatMap(({ holds }) => holds.flatMap(({ until }) => until ?? [])),
			];
			const next = Math.min(...ends.filter((end) => end > now));
			return result === "again" || !Number.isFinite(next) ? result : { inMs: next - monotonicNow(clock) };
		},
	};
}
