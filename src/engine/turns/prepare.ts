// Getting an agent's process ready for a turn, with all that it has to know before its first words.
import type { AgentState } from "#contract/agent.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { settingsOf } from "../commands/agent.ts";
import { type Driver, newSession, type Prepared } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import { instructionsOf, sessionStartOf } from "./catch-up.ts";

export async function prepare(
	{ driver, reads }: { driver: Driver; reads: Reads },
	turn: TurnState,
	agent: AgentState,
	signal: AbortSignal,
): Promise<Prepared> {
	if (!driver.keepsSession(agent))
		return await driver.prepare(agent, turn.id, signal, {
			subscription: await subscriptionOfTurn(reads, turn),
			...newSession,
		});
	const [subscription, settings, opening] = await Promise.all([
		subscriptionOfTurn(reads, turn),
		settingsOf(reads, agent.settings),
		sessionStartOf(reads, agent, turn),
	]);
	const told = { systemPrompt: instructionsOf(settings), options: settings.options };
	return await driver.prepare(agent, turn.id, signal, { subscription, ...told, ...opening });
}

async function subscriptionOfTurn(reads: Reads, { subscription }: TurnState): Promise<SubscriptionState | null> {
	return subscription === null
		? null
		: ((await reads.subscriptions()).find(({ name }) => name === subscription) ?? null);
}
