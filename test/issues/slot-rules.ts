// The rules of places, slots, limits and hours that no history may break, checked on the journal alone.
import { AgentEvent } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { SubscriptionEvent } from "#contract/subscription.ts";
import { TurnEvent } from "#contract/turn.ts";
import { quietUntil } from "#domain/quiet.ts";

type Schedule = Extract<SubscriptionEvent, { kind: "subscription.added" }>["data"] & { coolingUntil: number };

export interface SlotHistory {
	/** in sentences */
	wrong: string[];
	/** the most turns that were at work at one time, on each subscription and on the machine */
	most: Map<string, number>;
	/** after each event that changed it */
	used: { at: number; used: ReadonlyMap<string, number> }[];
}

export const machine = "the machine";

/** Follows every turn from its start to its end. For histories in which nobody waits inside a turn. */
export function slotHistory(events: readonly Event[], { turnsMax }: { turnsMax: number }): SlotHistory {
	const plans = new Map<string, Schedule>();
	const types = new Map<string, string>();
	/** the subscription of every turn that is at work */
	const working = new Map<number, string | null>();
	const history: SlotHistory = { wrong: [], most: new Map(), used: [] };
	for (const event of events) {
		const subscription = event.agent === null ? SubscriptionEvent.safeParse(event).data : undefined;
		if (subscription !== undefined) learn(subscription);
		const agent = event.agent === null ? undefined : AgentEvent.safeParse(event).data;
		if (agent?.kind === "agent.spawned" && event.agent !== null) types.set(event.agent, agent.data.type);
		const turn = event.agent === null ? undefined : TurnEvent.safeParse(event).data;
		if (turn?.kind === "turn.started") begin(event, turn.data);
		if (turn?.kind === "turn.ended") working.delete(turn.data.turn);
		if (turn?.kind === "turn.started" || turn?.kind === "turn.ended")
			history.used.push({ at: event.at, used: counted() });
	}
	return history;

	function learn(fact: SubscriptionEvent): void {
		if (fact.kind === "subscription.added") plans.set(fact.data.name, { ...fact.data, coolingUntil: 0 });
		const plan = plans.get(fact.data.name);
		if (fact.kind === "subscription.coolDownChanged" && plan !== undefined) plan.coolingUntil = fact.data.until ?? 0;
		if (fact.kind === "subscription.configured" && plan !== undefined) Object.assign(plan, fact.data);
	}

	function begin(event: Event, { subscription, manual }: Extract<TurnEvent, { kind: "turn.started" }>["data"]): void {
		const no = (rule: string): void => void history.wrong.push(`event ${event.id}: ${rule}`);
		working.set(event.id, subscription ?? null);
		const type = types.get(event.agent ?? "") ?? "";
		if (working.size > turnsMax) no(`${working.size} turns are at work, the machine has room for ${turnsMax}`);
		const needed = [...plans.values()].some((plan) => plan.type === type);
		if (needed !== (subscription !== undefined)) no(`a turn of a ${type} agent ${needed ? "without" : "with"} a slot`);
		const plan = plans.get(subscription ?? "");
		if (plan === undefined) return;
		const used = counted().get(plan.name) ?? 0;
		if (used > plan.maxConcurrent)
			no(`${used} turns are at work on ${plan.name}, which has ${plan.maxConcurrent} slots`);
		if (plan.type !== type) no(`a ${type} agent works on ${plan.name}, which is for ${plan.type}`);
		if (manual === true) return;
		if (plan.coolingUntil > event.at) no(`a turn began on ${plan.name} while it cooled down`);
		if (quietUntil(plan.quiet, event.at) !== null) no(`a turn began on ${plan.name} in its quiet hours`);
	}

	function counted(): Map<string, number> {
		const used = new Map([[machine, working.size]]);
		for (const subscription of working.values())
			if (subscription !== null) used.set(subscription, (used.get(subscription) ?? 0) + 1);
		for (const [name, count] of used) history.most.set(name, Math.max(history.most.get(name) ?? 0, count));
		return used;
	}
}
