// Starts an agent's process for a turn, with its session, settings and subscription.
import type { AgentState } from "#contract/agent.ts";
import { credentialAt, type SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { settingsOf } from "../commands/agent.ts";
import { type Driver, newSession, type StartedProcess } from "../ports/driver.ts";
import type { Reads } from "../ports/store.ts";
import { instructionsOf, sessionStartOf } from "./session-start.ts";

export async function startProcess(
	{ driver, reads }: { driver: Driver; reads: Reads },
	turn: TurnState,
	agent: AgentState,
	signal: AbortSignal,
): Promise<StartedProcess> {
	const subscribed = subscriptionOfTurn(reads, turn);
	if (!driver.keepsSession(agent))
		return await driver.startProcess(agent, turn.id, signal, { subscription: await subscribed, ...newSession });
	const [subscription, settings, opening] = await Promise.all([
		subscribed,
		settingsOf(reads, agent.settings),
		sessionStartOf(reads, agent, turn),
	]);
	const { options } = settings;
	const systemPrompt = instructionsOf(settings);
	return await driver.startProcess(agent, turn.id, signal, { subscription, systemPrompt, options, ...opening });
}

/** With the credentials that it has at the turn's node. */
async function subscriptionOfTurn(reads: Reads, { subscription, node }: TurnState): Promise<SubscriptionState | null> {
	const all = subscription === null ? [] : await reads.subscriptions();
	const found = all.find(({ name }) => name === subscription);
	if (found === undefined) return null;
	const { credential = found.credential } = { credential: credentialAt(found, node) };
	return { ...found, credential };
}
