// How commands are sent, and what comes of them.
import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import type { Actor, Key } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { SubscriptionState } from "#contract/subscription.ts";

/** What a command led to. A replayed one did nothing now: its key had been used before. */
export type Outcome = { done: Answer; events: Event[]; replayed: boolean } | { refused: Refusal; replayed: boolean };

/** The result of one command of a batch: an outcome, or a bug that only this command ran into. */
export type CommandResult = Outcome | { fault: string };

/** The noun that a command made or changed. */
export interface Answer {
	agent?: AgentState;
	project?: ProjectState;
	subscription?: SubscriptionState;
	/** of an item or a prompt: the id of its event */
	event?: number;
}

/** A command as somebody says it. */
export interface CommandRequest {
	actor: Actor;
	/** null for the daemon's own commands, which are never retried */
	key: Key | null;
	command: CommandInput;
	/** of what was asked for, where the command is not yet all of it; of the command itself if absent */
	fingerprint?: string | undefined;
	/** a receipt that is written with the command, if that is carried out */
	closes?: Omit<StoredReceipt, "at"> | undefined;
}

/** How reactors send commands. */
export type Dispatch = (request: CommandRequest) => Promise<Outcome>;
