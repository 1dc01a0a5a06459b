// What an item tells of what was used: counted only inside a turn, and only if it can be read as such.
import type { StampedItemEvent } from "#contract/event.ts";
import type { SubscriptionName } from "#contract/ids.ts";
import { type Usage, UsageData } from "#contract/usage.ts";

export interface Used {
	turn: number;
	usage: Usage;
	/** the one that pays, if one does */
	subscription: SubscriptionName | null;
}

export function usedIn({ turn, data }: Pick<StampedItemEvent, "turn" | "data">): Used | null {
	const told = turn == null ? undefined : UsageData.safeParse(data).data;
	if (turn == null || told === undefined) return null;
	const { subscription = null, ...usage } = told;
	return { turn, usage, subscription };
}
