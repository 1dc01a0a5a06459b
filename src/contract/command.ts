// Everything that can be asked, as one union. Commands are `noun.verb`; whatever does not parse here is
// unknown to the contract and refused before it reaches a decision.
import { z } from "zod";
import { agentCommands } from "./agent-commands.ts";
import { approvalCommands } from "./approval.ts";
import type { Actor, AgentId, Key } from "./ids.ts";
import { issueCommands } from "./issue-commands.ts";
import { itemCommands } from "./item.ts";
import { mailCommands } from "./mail.ts";
import { projectCommands } from "./project.ts";
import { promptCommands } from "./prompt.ts";
import type { StoredReceipt } from "./receipt.ts";
import { sessionCommands } from "./session.ts";
import { subscriptionCommands } from "./subscription.ts";
import { turnCommands } from "./turn.ts";
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
]);
export type Command = z.infer<typeof Command>;
/** As it is said: what has a default may be left out. */
export type CommandInput = z.input<typeof Command>;
/** The commands that name all of these, before it is known whom or what they name. */
export type CommandWithout<K extends string, C = CommandInput> = C extends Record<K, unknown> ? Omit<C, K> : never;

/** A command on its way to the store. Time, ids and randomness arrive with it, so that decisions stay pure. */
export interface Envelope<C extends Command = Command> {
	command: C;
	/** how much of it is text and data, to keep batches and the log bounded */
	bytes: number;
	actor: Actor;
	at: number;
	/** the same moment on the monotonic clock, for durations and deadlines */
	monotonic: number;
	/** null for the daemon's own commands, which are never retried */
	key: Key | null;
	/** tells a retry from another payload under the same key */
	fingerprint: string;
	/** the id of the agent that the command may make, and of the command itself where it has no key */
	freshId: AgentId;
	/** hexadecimal digits for handles */
	salt: string;
	/** what is remembered of the request that the command was said for, if it is carried out */
	closes?: StoredReceipt;
}
