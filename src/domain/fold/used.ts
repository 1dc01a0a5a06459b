// The usage in an item: counted only inside a turn, and only if its data is valid.
import type { StampedItemEvent } from "#contract/event.ts";
import type { SubscriptionName } from "#contract/ids.ts";
import { type Usage, UsageData } from "#contract/usage.ts";

export interface Used {
	turn: number;
	usage: Usage;
	subscription: SubscriptionName | null;
}

export function usedIn({ turn, data }: Pick<StampedItemEvent, "turn" | "data">): Used | null {
	const reported = turn == null ? undefined : UsageData.safeParse(data).data;
	if (turn == null || reported === undefined) return null;
	const { subscription = null, ...usage } = reported;
	return { turn, usage, subscription };
}
