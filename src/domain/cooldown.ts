// A turn that met a usage limit: it failed, its prompt is queued again, and what it was paid from cools down.
import type { AgentState } from "#contract/agent.ts";
import type { Fact } from "#contract/event.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnFinish, TurnState } from "#contract/turn.ts";
import type { Decision } from "./decision.ts";
import { limitedUntil } from "./slots.ts";
import { coolingEnd, limited } from "./subscription.ts";
import { again, closed, ending, type LooseThreads } from "./turn.ts";

export interface LimitSight {
	turn: TurnState;
	/** what its process was given; null if it never was */
	words: string | null;
	/** the place before all others in the queue */
	position: number;
	subscriptions: readonly SubscriptionState[];
	coolDownMs: number;
	now: number;
}

/** The agent is held only if nothing stands in for what cools down; without a subscription it is held alone. */
export function decideLimitedEnd(agent: AgentState, command: TurnFinish, loose: LooseThreads, seen: LimitSight): Decision {
	const { turn, words, position, subscriptions, now } = seen;
	const refusal = closed(agent, turn.id);
	if (refusal) return refusal;
	const until = coolingEnd(command.limit?.until ?? null, now, seen.coolDownMs);
	const cooled = subscriptions.map((each) => (each.name === turn.subscription ? { ...each, coolingUntil: Math.max(until, each.coolingUntil ?? 0) } : each));
	const found = cooled.find((each) => each.name === turn.subscription);
	const fact: Fact[] = found === undefined ? [] : [{ kind: "subscription.cooled", agent: null, data: { name: found.name, until: found.coolingUntil } }];
	// whoever was let through in spite of a limit, and met it, is let through no longer
	const held = found === undefined ? until : limitedUntil({ ...agent, limitWaivedUntil: null }, cooled, now);
	return [
		...ending(agent, turn.id, { ...command, commit: turn.commit }, loose),
		...(words === null ? [] : [again(turn, words, position)]),
		...fact,
		...(held === null ? [] : limited(agent, held)),
	];
}
