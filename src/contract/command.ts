// All commands as one union. Commands are `noun.verb`; what does not parse here is refused before any decision.
import { z } from "zod";
import { agentCommands } from "./agent-commands.ts";
import { approvalCommands } from "./approval.ts";
import type { Actor, AgentId, IdempotencyKey } from "./ids.ts";
import { issueCommands } from "./issue-commands.ts";
import { itemCommands } from "./item.ts";
import { mailCommands } from "./mail.ts";
import { type NodeId, nodeCommands } from "./node.ts";
import { personCommands } from "./person.ts";
import { projectCommands } from "./project.ts";
import { promptCommands } from "./prompt.ts";
import type { StoredReceipt } from "./receipt.ts";
import { sessionCommands } from "./session.ts";
import { subscriptionCommands } from "./subscription.ts";
import { type PartialOutput, turnCommands } from "./turn.ts";
import { waitCommands } from "./wait.ts";
import { workspaceCommands } from "./workspace-step.ts";

export const Command = z.discriminatedUnion("type", [
	...agentCommands,
	...itemCommands,
	...promptCommands,
	...turnCommands,
	...sessionCommands,
	...approvalCommands,
	...waitCommands,
	...workspaceCommands,
	...mailCommands,
	...projectCommands,
	...issueCommands,
	...subscriptionCommands,
	...personCommands,
	...nodeCommands,
]);
export type Command = z.infer<typeof Command>;
/** With the fields that have defaults optional. */
export type CommandInput = z.input<typeof Command>;
/** The commands with these fields, without them: for callers that fill them in later. */
export type CommandWithout<K extends string, C = CommandInput> = C extends Record<K, unknown> ? Omit<C, K> : never;

/** A command on its way to the store. Time, ids and randomness arrive with it, so that decisions stay pure. */
export interface Envelope<C extends Command = Command> {
	command: C;
	/** the size of its texts and data, to bound batches and the log */
	bytes: number;
	actor: Actor;
	at: number;
	/** the same moment on the monotonic clock, for durations and deadlines */
	monotonic: number;
	/** null if the caller sent none, and for the daemon's own commands */
	key: IdempotencyKey | null;
	/** tells a retry from another payload under the same key */
	fingerprint: string;
	/** the id for an agent that the command may create, and for the command itself if it has no key */
	freshId: AgentId;
	/** the node that was asked; null where nodes do not matter */
	node: NodeId | null;
	/** hexadecimal digits for handles */
	salt: string;
	/** a receipt that is written in the same transaction if the command is carried out */
	receipt?: StoredReceipt;
	/** what open turns have produced that is not recorded yet, by turn: it is kept if the command ends them */
	partials?: Readonly<Record<number, readonly PartialOutput[]>>;
}
