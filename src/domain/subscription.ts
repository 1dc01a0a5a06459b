// Subscriptions: add, change, remove, and cool down after a usage limit.
import type { AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import type { SubscriptionName } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type {
	Credential,
	SubscriptionAdd,
	SubscriptionConfigure,
	SubscriptionCool,
	SubscriptionState,
} from "#contract/subscription.ts";
import type { Decision } from "./decision.ts";
import { type Capacity, candidates, limitedUntil } from "./slots.ts";

/** The node that is asked: it has looked at the files that the command names. */
interface By {
	node: NodeId | null;
}

export function decideAddSubscription(
	all: readonly SubscriptionState[],
	command: SubscriptionAdd,
	by: By = { node: null },
): Decision {
	const { type: _, name, agentType, ...terms } = command;
	if (present(all, name) !== undefined)
		return refuse("CONFLICT", `There is already a subscription ${name}.`, {
			suggestions: [`brood subscription show ${name}`],
		});
	if (agentType === "human") return refuse("VALIDATION_ERROR", "A human agent needs no subscription.");
	const refusal = wrongFallback(all, { name, type: agentType, fallback: terms.fallback });
	const data = { name, type: agentType, ...terms, ...ownPath(terms.credential, by) };
	return refusal ?? [{ kind: "subscription.added", agent: null, data }];
}

export function decideConfigureSubscription(
	all: readonly SubscriptionState[],
	{ type: _, name, ...request }: SubscriptionConfigure,
	by: By = { node: null },
): Decision {
	const now = present(all, name);
	if (now === undefined) return unknown(name);
	const { maxConcurrent = now.maxConcurrent, fallback = now.fallback, quiet = now.quiet } = request;
	const refusal = wrongFallback(all, { name, type: now.type, fallback });
	const data = { name, maxConcurrent, ...credentialsWith(now, request.credential, by), fallback, quiet };
	return refusal ?? [{ kind: "subscription.configured", agent: null, data }];
}

const ownPath = (credential: Credential, { node }: By) => (credential !== null && node !== null ? { node } : {});

/** Named at another node than the subscription's, a path is one more; else it replaces the one that there is. */
function credentialsWith(
	{ credential: now, node: first, credentials = [] }: SubscriptionState,
	credential: Credential | undefined,
	by: By,
): Pick<SubscriptionState, "credential" | "node" | "credentials"> {
	const { node } = by;
	if (credential === undefined) return { credential: now };
	if (now === null || node === null || first === undefined || first === node)
		return { credential, ...ownPath(credential, by) };
	const others = credentials.filter((each) => each.node !== node);
	return { credential: now, credentials: [...others, { node, credential }] };
}

/** Refused while a turn is open, also one that waits: it will claim its slot again. */
export function decideRemoveSubscription(
	all: readonly SubscriptionState[],
	name: SubscriptionName,
	turns: number,
): Decision {
	if (present(all, name) === undefined) return unknown(name);
	if (turns > 0)
		return refuse(
			"CONFLICT",
			`${turns} turn${turns === 1 ? "" : "s"} of ${name} ${turns === 1 ? "is" : "are"} still open.`,
			{ details: { turns }, suggestions: [`brood subscription show ${name}`] },
		);
	return [{ kind: "subscription.removed", agent: null, data: { name } }];
}

export function decideCool(all: readonly SubscriptionState[], { name, until }: SubscriptionCool): Decision {
	const now = present(all, name);
	if (now === undefined) return unknown(name);
	return now.coolingUntil === until
		? []
		: [{ kind: "subscription.coolDownChanged", agent: null, data: { name, until } }];
}

/**
 * Sets the `limit` hold when a cool-down leaves an agent nothing else to use, and clears it when the cool-down ends,
 * early or not.
 */
export function decideLimitHold(
	agent: AgentState,
	facts: Pick<Capacity, "subscriptions" | "projects" | "now">,
): Decision {
	if (agent.life !== "live") return [];
	const hold = agent.holds.find(({ kind }) => kind === "limit");
	const until = limitedUntil(agent, facts);
	if (until !== null) return hold?.until === until ? [] : limited(agent, until);
	// without a subscription only the hold itself has the end time
	const over = hold !== undefined && ((hold.until ?? 0) <= facts.now || candidates(agent, facts).length > 0);
	return over ? [{ kind: "agent.unheld", agent: agent.id, data: { holds: ["limit"] } }] : [];
}

export const limited = (agent: AgentState, until: number): NewEvent[] => [
	{
		kind: "agent.held",
		agent: agent.id,
		data: { hold: "limit", reason: `a usage limit, until ${new Date(until).toISOString()}`, until },
	},
];

/** The end of a limit: the reported time, within bounds. Never at once, so that no agent retries in a tight loop. */
export function coolingEnd(until: number | null, now: number, defaultMs: number): number {
	return Math.min(Math.max(until ?? now + defaultMs, now + shortestMs), now + longestMs);
}

const shortestMs = 1000;
const longestMs = 31 * 24 * 60 * 60 * 1000;

/** Refuses to bind an agent to a subscription that does not exist or is for another type. */
export function wrongBinding(
	all: readonly SubscriptionState[],
	name: SubscriptionName | null,
	agentType: string,
): Refusal | null {
	if (name === null) return null;
	const found = present(all, name);
	if (found === undefined) return unknown(name);
	if (found.type === agentType) return null;
	return refuse("VALIDATION_ERROR", `${name} is for agents of the type ${found.type}, not ${agentType}.`, {
		details: { type: found.type },
	});
}

function wrongFallback(
	all: readonly SubscriptionState[],
	{ name, type, fallback }: { name: string; type: string; fallback: SubscriptionName | null },
): Refusal | null {
	if (fallback === name) return refuse("VALIDATION_ERROR", "A subscription cannot be its own fallback.");
	return wrongBinding(all, fallback, type);
}

const present = (all: readonly SubscriptionState[], name: string): SubscriptionState | undefined =>
	all.find((each) => each.name === name && each.removedAt === null);

const unknown = (name: string): Refusal =>
	refuse("NOT_FOUND", `There is no subscription ${name}.`, { suggestions: ["brood subscription list"] });
