// Starts an agent's process for a turn, with its session, settings and subscription.
import type { AgentState } from "#contract/agent.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { settingsOf } from "../commands/agent.ts";
import { type Driver, newSession, type Prepared } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import { instructionsOf, sessionStartOf } from "./session-start.ts";

export async function prepare(
	{ driver, reads }: { driver: Driver; reads: Reads },
	turn: TurnState,
	agent: AgentState,
	signal: AbortSignal,
): Promise<Prepared> {
	const subscribed = subscriptionOfTurn(reads, turn);
	if (!driver.keepsSession(agent))
		return await driver.prepare(agent, turn.id, signal, { subscription: await subscribed, ...newSession });
	const [subscription, settings, opening] = await Promise.all([
		subscribed,
		settingsOf(reads, agent.settings),
		sessionStartOf(reads, agent, turn),
	]);
	const { options } = settings;
	const systemPrompt = instructionsOf(settings);
	return await driver.prepare(agent, turn.id, signal, { subscription, systemPrompt, options, ...opening });
}

async function subscriptionOfTurn(reads: Reads, { subscription }: TurnState): Promise<SubscriptionState | null> {
	return subscription === null
		? null
		: ((await reads.subscriptions()).find(({ name }) => name === subscription) ?? null);
}
