// How commands are sent, and their outcomes.
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput, Envelope } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { type Actor, type IdempotencyKey, system } from "#contract/ids.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";

/** The result of a command. A replayed command did nothing now: its key had been used before. */
export type Outcome = { done: Answer; events: Event[]; replayed: boolean } | { refused: Refusal; replayed: boolean };

/** The result of one command of a batch: an outcome, or a bug that only this command ran into. */
export type CommandResult = Outcome | { bug: string };

/** The noun that a command made or changed. */
export interface Answer {
	agent?: AgentState;
	project?: ProjectState;
	subscription?: SubscriptionState;
	person?: PersonState;
	/** of an item or a prompt: the id of its event */
	event?: number;
}

/** A command and its caller. */
export interface CommandRequest {
	actor: Actor;
	/** null for the daemon's own commands, which are repeated only while the store did not take them */
	key: IdempotencyKey | null;
	command: CommandInput;
	/** of the whole request, where the command is only a part of it; of the command if absent */
	fingerprint?: string | undefined;
	/** a receipt that is written in the same transaction if the command is carried out */
	receipt?: Omit<StoredReceipt, "at"> | undefined;
	partials?: Envelope["partials"];
}

/** A command of the daemon's own. */
export const bySystem = (command: CommandInput): CommandRequest => ({ actor: system, key: null, command });

/** How reactors send commands. */
export type Dispatch = (request: CommandRequest) => Promise<Outcome>;
