// A node as clients see it.
import { z } from "zod";
import { SubscriptionName } from "./ids.ts";
import { NodeState } from "./node.ts";
import { Time } from "./wire.ts";

export const Node = z.object({
	...NodeState.omit({ startId: true, types: true }).shape,
	/** the agent types that are installed there */
	types: z.array(z.string()),
	/** whether it is the one that was asked */
	self: z.boolean(),
	/** running turns, of the `turnsMax` that it runs at the same time */
	turns: z.int(),
	/** living agents */
	agents: z.int(),
	/** how long ago it showed that it lives; null if it does not, and where there is one node */
	beatAgeMs: z.int().nullable(),
	/**
	 * by how much the database's clock is ahead of its own, and how long a trip to the database takes; as it said last
	 */
	clockOffsetMs: z.int().nullable(),
	roundTripMs: z.int().nullable(),
	/** it is up or draining, but the node that was asked has seen no beat of it for eight seconds */
	silent: z.boolean(),
	/** it was alone when it sent its last beat: no node replaces it unless a person says so */
	alone: z.boolean(),
	/** subscriptions whose credentials are files of other nodes: no turn uses them there */
	withoutCredentials: z.array(SubscriptionName),
	joinedAt: Time,
	fellAt: Time.nullable(),
});
export type Node = z.infer<typeof Node>;
