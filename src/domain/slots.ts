// Capacity: whether a turn may run now (turnsMax), and on which subscription's slot.
//
// A turn lease is a row for a running turn. What is in use is counted from these rows, in the transaction that takes
// another one. A turn that waits for other agents has none.
import type { AgentState } from "#contract/agent.ts";
import type { SubscriptionName } from "#contract/ids.ts";
import { isActive, type NodeId, type NodeState } from "#contract/node.ts";
import { nodeStateText } from "#contract/node-state-text.ts";
import type { ProjectState } from "#contract/project.ts";
import { credentialAt, type SubscriptionState, type TurnLease } from "#contract/subscription.ts";
import { quietUntil } from "./quiet.ts";

/** A project's rules for usage limits and quiet hours. */
export type ProjectRules = Pick<ProjectState, "slug" | "onLimit" | "quiet">;

export interface Capacity {
	projects: readonly ProjectRules[];
	subscriptions: readonly SubscriptionState[];
	leases: readonly (Pick<TurnLease, "subscription"> & Partial<Pick<TurnLease, "node">>)[];
	/** none where nodes do not matter */
	nodes?: readonly NodeRules[];
	/** the node that asks */
	node?: NodeId | null;
	/** of a node that has no row */
	turnsMax: number;
	now: number;
	/** monotonic time, for the end of cool-downs when the wall clock was changed */
	monotonic?: number;
}

/** How many turns may run at a node, and whether any start there. */
export type NodeRules = Pick<NodeState, "id" | "name" | "state" | "turnsMax">;

/** What is missing. */
export type Shortage =
	| { of: "machine"; limit: number; node?: string }
	| { of: "node"; node: string; state: NodeState["state"] }
	| { of: "credential"; subscription: SubscriptionName; node: string }
	/** `until`: when another subscription becomes usable, because a cool-down or quiet hours end */
	| { of: "slot"; subscription: SubscriptionName; limit: number; until?: number }
	| { of: "time"; why: "cooling" | "quiet"; subscription: SubscriptionName | null; until: number };

export type Claim = { subscription: SubscriptionName | null; node?: NodeId } | { short: Shortage };

export type Claimant = Pick<AgentState, "type" | "subscription" | "limitWaivedUntil" | "project"> &
	Partial<Pick<AgentState, "node">>;

const rulesFor = ({ project }: Claimant, projects: readonly ProjectRules[]): ProjectRules | undefined =>
	projects.find(({ slug }) => slug === project);

/** A human agent's turn runs no process. */
export const countsAgainstTurnsMax = (agent: Pick<AgentState, "type">): boolean => agent.type !== "human";

/** What the turn's event records of its claim; nothing for a human agent. */
export const turnLeaseOf = (
	agent: Pick<AgentState, "type">,
	{ subscription, node }: { subscription: SubscriptionName | null; node?: NodeId },
) =>
	countsAgainstTurnsMax(agent)
		? { place: true as const, ...(subscription !== null && { subscription }), ...(node !== undefined && { node }) }
		: {};

/** Where a turn of the agent runs; null where nodes do not matter. A row without a node belongs to the only node. */
export function nodeIdOf(
	agent: Partial<Pick<AgentState, "node">>,
	{ node, nodes = [] }: Pick<Capacity, "node" | "nodes">,
): NodeId | null {
	return agent.node ?? node ?? (nodes.length === 1 ? (nodes[0]?.id ?? null) : null);
}

/** A place at the agent's node, or why there is none. */
function placeFor(agent: Claimant, capacity: Capacity): { node?: NodeId } | { short: Shortage } {
	const nodeId = nodeIdOf(agent, capacity);
	const { nodes = [], leases } = capacity;
	const node = nodes.find(({ id }) => id === nodeId);
	if (node !== undefined && node.state !== "up") return { short: { of: "node", node: node.name, state: node.state } };
	const limit = node?.turnsMax ?? capacity.turnsMax;
	if (leases.filter((lease) => (lease.node ?? null) === nodeId).length < limit)
		return nodeId === null ? {} : { node: nodeId };
	const named = node !== undefined && nodes.filter(isActive).length > 1 ? { node: node.name } : {};
	return { short: { of: "machine", limit, ...named } };
}

/**
 * Claims capacity for a new turn. A manual turn ignores cool-downs and quiet hours, as it ignores holds, but never a
 * limit.
 */
export function claim(agent: Claimant, capacity: Capacity, manual = false): Claim {
	if (!countsAgainstTurnsMax(agent)) return { subscription: null };
	const place = placeFor(agent, capacity);
	if ("short" in place) return place;
	const { now, monotonic = now } = capacity;
	const hours = manual ? null : quietUntil(rulesFor(agent, capacity.projects)?.quiet ?? null, now);
	if (hours !== null) return { short: { of: "time", why: "quiet", subscription: null, until: hours } };
	const usable = candidates(agent, capacity);
	if (usable.length === 0) {
		const [withoutCredentials] = eligible(agent, capacity);
		return withoutCredentials === undefined
			? { subscription: null, ...place }
			: { short: noCredential(agent, withoutCredentials, capacity) };
	}
	const cooling = usable.filter((each) => !manual && coolsFor(agent, each, monotonic));
	const awake = usable.filter((each) => !cooling.includes(each));
	if (awake.length === 0)
		return { short: soonest("cooling", cooling, (each) => (each.coolingUntil ?? monotonic) + now - monotonic) };
	// a bound agent uses a fallback only while its own subscription cools down or has no credentials at its node
	const choice = isBound(agent, usable) ? awake.slice(0, 1) : awake;
	const open = choice.filter((each) => manual || quietUntil(each.quiet, now) === null);
	if (open.length === 0) return { short: soonest("quiet", choice, (each) => quietUntil(each.quiet, now) ?? now) };
	const [roomiest] = open.toSorted((a, b) => free(b, capacity) - free(a, capacity));
	if (roomiest !== undefined && free(roomiest, capacity) > 0) return { subscription: roomiest.name, ...place };
	const later = [
		...cooling.map((each) => (each.coolingUntil ?? monotonic) + now - monotonic),
		...choice.flatMap((each) => (manual ? null : quietUntil(each.quiet, now)) ?? []),
	];
	return { short: { ...full(roomiest ?? open[0]), ...(later.length > 0 && { until: Math.min(...later) }) } };
}

/**
 * Claims capacity for a turn that continues after a wait: on the same subscription, since its process was started with
 * that one's credentials.
 */
export function claimAgain(agent: Claimant, had: SubscriptionName | null, capacity: Capacity): Claim {
	if (!countsAgainstTurnsMax(agent)) return { subscription: null };
	const place = placeFor(agent, capacity);
	if ("short" in place && place.short.of === "machine") return place;
	const subscription = capacity.subscriptions.find((each) => each.name === had && each.removedAt === null);
	if (subscription !== undefined && free(subscription, capacity) <= 0) return { short: full(subscription) };
	const nodeId = nodeIdOf(agent, capacity);
	return { subscription: had, ...(nodeId !== null && { node: nodeId }) };
}

/**
 * The subscriptions whose slots an agent may use at its node, in order of preference; none if its type has no
 * subscription.
 */
export const candidates = (
	agent: Claimant,
	capacity: Pick<Capacity, "subscriptions" | "projects">,
): SubscriptionState[] => eligible(agent, capacity).filter((each) => credentialAt(each, agent.node) !== undefined);

/** The subscriptions of the agent's type of which its node has no credentials, if it has none that it could use. */
export function withoutCredentialsAt(
	agent: Claimant,
	capacity: Pick<Capacity, "subscriptions" | "projects">,
): readonly SubscriptionState[] {
	return candidates(agent, capacity).length > 0 ? [] : eligible(agent, capacity);
}

/** As `candidates`, whatever credentials the agent's node has. */
function eligible(
	agent: Claimant,
	{ subscriptions, projects }: Pick<Capacity, "subscriptions" | "projects">,
): SubscriptionState[] {
	const ofType = subscriptions.filter((each) => each.type === agent.type && each.removedAt === null);
	const bound = ofType.find((each) => each.name === agent.subscription);
	if (bound === undefined) return ofType;
	return (rulesFor(agent, projects)?.onLimit ?? "fallback") === "fallback" ? chain(bound, ofType) : [bound];
}

const isBound = (agent: Claimant, usable: readonly SubscriptionState[]): boolean =>
	usable[0] !== undefined && usable[0].name === agent.subscription;

/** A subscription and its fallbacks, in order; stops at a cycle. */
function chain(first: SubscriptionState, all: readonly SubscriptionState[]): SubscriptionState[] {
	const found: SubscriptionState[] = [];
	for (let next: SubscriptionState | undefined = first; next !== undefined && !found.includes(next); ) {
		const { fallback }: SubscriptionState = next;
		found.push(next);
		next = all.find((each) => each.name === fallback);
	}
	return found;
}

const isCooling = ({ coolingUntil }: SubscriptionState, now: number): boolean =>
	coolingUntil !== null && coolingUntil > now;

/** An agent that a person resumed may run although the limit has not ended. */
const coolsFor = (agent: Claimant, each: SubscriptionState, now: number): boolean =>
	isCooling(each, now) && (agent.limitWaivedUntil === null || agent.limitWaivedUntil < (each.coolingUntil ?? 0));

/** Of each type with a subscription: the slots that the agents at work leave. */
export function slotsLeft(
	subscriptions: readonly Pick<SubscriptionState, "type" | "maxConcurrent">[],
	working: readonly Pick<AgentState, "type">[],
): Map<string, number> {
	const slots = new Map<string, number>();
	for (const { type, maxConcurrent } of subscriptions) slots.set(type, (slots.get(type) ?? 0) + maxConcurrent);
	for (const { type } of working) {
		const left = slots.get(type);
		if (left !== undefined) slots.set(type, left - 1);
	}
	return slots;
}

/** When the first of the agent's subscriptions is usable again; null if one is usable now, or none is needed. */
export function limitedUntil(
	agent: Claimant,
	capacity: Pick<Capacity, "subscriptions" | "projects" | "now">,
): number | null {
	const { now } = capacity;
	const usable = candidates(agent, capacity);
	if (usable.length === 0 || !usable.every((each) => coolsFor(agent, each, now))) return null;
	return Math.min(...usable.flatMap((each) => each.coolingUntil ?? []));
}

const free = ({ name, maxConcurrent }: SubscriptionState, { leases }: Capacity): number =>
	maxConcurrent - usedOf(name, leases);

export const usedOf = (name: SubscriptionName, leases: Capacity["leases"]): number =>
	leases.filter((lease) => lease.subscription === name).length;

function noCredential(agent: Claimant, { name }: SubscriptionState, capacity: Capacity): Shortage {
	const nodeId = nodeIdOf(agent, capacity);
	const node = capacity.nodes?.find(({ id }) => id === nodeId)?.name ?? nodeId ?? "";
	return { of: "credential", subscription: name, node };
}

function full(subscription: SubscriptionState | undefined): Shortage {
	if (subscription === undefined) throw new Error("no subscription to be full");
	return { of: "slot", subscription: subscription.name, limit: subscription.maxConcurrent };
}

function soonest(
	why: "cooling" | "quiet",
	all: readonly SubscriptionState[],
	until: (each: SubscriptionState) => number,
): Shortage {
	const [first] = all.toSorted((a, b) => until(a) - until(b));
	if (first === undefined) throw new Error("nothing to wait for");
	return { of: "time", why, subscription: first.name, until: until(first) };
}

export function shortageText(short: Shortage): string {
	switch (short.of) {
		case "machine":
			return `${short.node === undefined ? "the machine" : `node ${short.node}`} runs ${short.limit} turn${short.limit === 1 ? "" : "s"}, which is its limit`;
		case "node":
			return `node ${short.node} is ${nodeStateText(short.state)}`;
		case "credential":
			return `subscription ${short.subscription} has no credentials at node ${short.node}`;
		case "slot":
			return `waiting for a slot of ${short.subscription}`;
		case "time": {
			const until = new Date(short.until).toISOString();
			return short.why === "cooling"
				? `${short.subscription} is cooling down until ${until}`
				: `${short.subscription ?? "its project"} has quiet hours until ${until}`;
		}
	}
}
