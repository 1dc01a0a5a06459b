// The node: a home with a daemon. Several nodes share one PostgreSQL database; SQLite and memory have exactly one.
//
// An epoch is the number of a node's present life. It grows with each start and when another node replaces it, so that
// nothing of an earlier life can write any more.
import { z } from "zod";
import { command, event } from "./define.ts";
import { nodeStateText } from "./node-state-text.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** The id of its home. */
export const NodeId = z
	.string()
	.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "a node's id has at most 64 letters, digits, - and _")
	.brand<"NodeId">();
export type NodeId = z.infer<typeof NodeId>;

/** For people: the name in its configuration, else that of its machine. */
export const NodeName = z
	.string()
	.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "a node's name has at most 64 letters, digits, . - _");

/**
 * `up`: it takes part. `draining`: no turns start. `down`: another node found it silent and replaced it. `left`: it was
 * stopped. `removed`: a person took it off the list.
 */
export const nodeStates = ["up", "draining", "down", "left", "removed"] as const;

const Equipment = {
	/** how many turns it runs at the same time */
	turnsMax: z.int().nonnegative(),
	/** the agent types that are installed there */
	types: z.array(z.string().max(64)).max(200),
	version: z.string().max(100),
	/** the version of the tables that it writes */
	schema: z.int().nonnegative(),
};

export const NodeState = z.strictObject({
	id: NodeId,
	name: NodeName,
	epoch: z.int().positive(),
	/** of the daemon that joined: it may ask twice and gets the same epoch */
	startId: z.string(),
	state: z.enum(nodeStates),
	...Equipment,
	joinedAt: z.int(),
	/** when it fell the last time */
	fellAt: z.int().nullable(),
});
export type NodeState = z.infer<typeof NodeState>;

/** A life of a node. */
export type NodeEpoch = { node: NodeId; epoch: number };

/** Whether it takes part: only then can it write, and only then can it fall. */
export const isActive = ({ state }: Pick<NodeState, "state">): boolean => state === "up" || state === "draining";

/** Whether something belongs to this node. Without nodes, and of before there were any, everything does. */
export const isOwn = (me: { node: NodeId } | null, of: { node: NodeId | null }): boolean =>
	me === null || of.node === null || of.node === me.node;

export const NodeJoin = command("node.join", {
	node: NodeId,
	name: NodeName,
	startId: z.string().min(1).max(100),
	...Equipment,
});
export type NodeJoin = z.infer<typeof NodeJoin>;
/** Another node found this many beats of this epoch, and no more for the time after which a node counts as dead. */
export const NodeFall = command("node.fall", { node: NodeId, epoch: z.int().positive(), beats: z.int().nonnegative() });
export type NodeFall = z.infer<typeof NodeFall>;
export const NodeLeave = command("node.leave", { node: NodeId });
export const NodeDrain = command("node.drain", { node: NodeId });
export const NodeResume = command("node.resume", { node: NodeId });
export const NodeRemove = command("node.remove", { node: NodeId });
/** What a node can run has changed since it joined. */
export const NodeEquip = command("node.equip", { node: NodeId, types: Equipment.types });

export const nodeCommands = [NodeJoin, NodeFall, NodeLeave, NodeDrain, NodeResume, NodeRemove, NodeEquip] as const;

export const NodeEvent = z.discriminatedUnion("kind", [
	event("node.joined", {
		...{ node: NodeId, name: NodeName, epoch: z.int().positive(), startId: z.string(), ...Equipment },
		/** of an earlier life */
		fellAt: z.int().nullish(),
	}),
	/** `epoch`: the first one that may write again; `replacedBy`: the node that found it silent */
	event("node.fell", { node: NodeId, epoch: z.int().positive(), replacedBy: NodeId.nullable() }),
	event("node.left", { node: NodeId }),
	event("node.drainStarted", { node: NodeId }),
	event("node.resumed", { node: NodeId }),
	event("node.removed", { node: NodeId }),
	event("node.equipped", { node: NodeId, types: Equipment.types }),
]);
export type NodeEvent = z.infer<typeof NodeEvent>;

export const noNode = (name: string): Refusal =>
	refuse("NOT_FOUND", `There is no node ${JSON.stringify(name)}.`, { suggestions: ["brood node list"] });

/** An agent or a project can be moved only where several nodes share a database. */
export const noOtherNode = (): Refusal =>
	refuse("CONFLICT", "This daemon has a store of its own: there is no other node.");

export const nodeDown = ({ id, name, state }: Pick<NodeState, "id" | "name" | "state">): Refusal =>
	refuse("NODE_DOWN", `Node ${name} is ${nodeStateText(state)}.`, {
		details: { node: id, state },
		suggestions: ["brood node list"],
	});
