// How nodes are shown.
import { isActive, type NodeId, type NodeState } from "#contract/node.ts";
import type { Node } from "#contract/node-wire.ts";
import { credentialAt, type SubscriptionState, type TurnLease } from "#contract/subscription.ts";
import type { Agent } from "#contract/wire.ts";
import { iso, isoOrNull } from "./wire.ts";

interface LastBeat {
	node: NodeId;
	epoch: number;
	ageMs: number;
	alone: boolean;
	roundTripMs: number | null;
	clockOffsetMs: number | null;
}

export interface NodeViewInput {
	self: NodeId | null;
	leases: readonly TurnLease[];
	/** how many living ones each node has */
	agents: ReadonlyMap<NodeId | null, number>;
	beats: readonly LastBeat[];
	isSilent(node: NodeId): boolean;
	subscriptions: readonly SubscriptionState[];
}

/** What the overview shows of each node. */
export interface NodeRow extends Pick<NodeState, "id" | "name" | "state" | "turnsMax"> {
	turns: number;
	/** how many living ones it has */
	agents: number;
}

/** In the order of their names; none where there is only one node. */
export function nodeRows(
	nodes: Iterable<NodeState>,
	leases: Iterable<Pick<TurnLease, "node">>,
	agents: readonly Pick<Agent, "node" | "life">[],
): NodeRow[] {
	const known = [...nodes].filter(({ state }) => state !== "removed");
	if (known.length < 2) return [];
	const held = [...leases];
	return known
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ id, name, state, turnsMax }) => ({
			...{ id, name, state, turnsMax },
			turns: held.filter(({ node }) => node === id).length,
			agents: agents.filter(({ node, life }) => node === id && life !== "ended").length,
		}));
}

export function nodeView(state: NodeState, input: NodeViewInput): Node {
	const { self, leases, agents, beats, subscriptions, isSilent } = input;
	const { startId: _, joinedAt, fellAt, ...rest } = state;
	const beat = isActive(state)
		? beats.find(({ node, epoch }) => node === state.id && epoch === state.epoch)
		: undefined;
	return {
		...rest,
		self: state.id === self,
		turns: leases.filter(({ node }) => node === state.id).length,
		agents: agents.get(state.id) ?? 0,
		beatAgeMs: beat?.ageMs ?? null,
		clockOffsetMs: beat?.clockOffsetMs ?? null,
		roundTripMs: beat?.roundTripMs ?? null,
		silent: isActive(state) && isSilent(state.id),
		alone: beat?.alone ?? false,
		withoutCredentials: subscriptions
			.filter((each) => each.removedAt === null && credentialAt(each, state.id) === undefined)
			.map(({ name }) => name),
		joinedAt: iso(joinedAt),
		fellAt: isoOrNull(fellAt),
	};
}
