// The definition of a command: its schema, who may send it, the facts for its decider, and the decider.
//
//   admit  ─▶ texts, identity                 what is measured, and what makes a retry the same request
//   execute ─▶ allowedActors ─▶ load ─▶ decide ─▶ subject
//
// `load` reads, `decide` is pure, and neither is called with the command of another definition.
import type { z } from "zod";
import type { Command, Envelope } from "#contract/command.ts";
import { type Actor, agentOf, system } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { Subject } from "#contract/receipt.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import type { Decided, UnitOfWork } from "./unit-of-work.ts";

/**
 * Agents, people and the daemon; people and the daemon; only the daemon. Each decider still checks which agents an
 * agent may act on.
 */
export type AllowedActors = "everyone" | "people" | "daemon";

/** The schema of a command that has at least these fields. */
export type SchemaOf<C = unknown> = z.ZodType<C & { type: Command["type"] }> & {
	shape: { type: { value: Command["type"] } };
};

/** What every command has. */
export interface Common<S extends SchemaOf> {
	schema: S;
	allowedActors: AllowedActors;
	/** whether a process or git does something after it: a node that may have been replaced does not send it */
	startsWork: boolean;
	/** long texts of people and agents; everything else is bounded by the schema */
	texts?: (command: z.output<S>) => readonly string[];
	/** the limit for each text */
	textLimit?: "textBytesMax" | "mailBytesMax";
	/** the part that a retry repeats; the whole command if absent */
	identity?: (command: z.output<S>) => object;
}

export interface CommandParts<S extends SchemaOf, L extends object> extends Common<S> {
	/** the facts for the decider */
	load: (work: UnitOfWork, command: z.output<S>, limits: Limits) => Promise<L | Refusal>;
	decide: (loaded: L, command: z.output<S>, envelope: Envelope) => Decision;
	/** the noun that is answered; "the event" stands for whatever id the first event will get */
	subject: Subject | "the event" | ((loaded: L, command: z.output<S>, envelope: Envelope) => Subject);
}

/** A command as the rest of the engine sees it. */
export interface Definition<T extends Command["type"] = Command["type"]> {
	readonly type: T;
	readonly schema: z.ZodType;
	readonly allowedActors: AllowedActors;
	readonly startsWork: boolean;
	readonly textLimit: "textBytesMax" | "mailBytesMax";
	texts(command: Command): readonly string[];
	identity(command: Command): object;
	decide(work: UnitOfWork, command: Command, limits: Limits): Promise<Decided>;
}

export function defineCommand<S extends SchemaOf, L extends object>(
	parts: CommandParts<S, L>,
): Definition<z.output<S>["type"]> {
	const type: z.output<S>["type"] = parts.schema.shape.type.value;
	const isOwn = (command: Command): command is Command & z.output<S> => command.type === type;
	const own = (command: Command): Command & z.output<S> => {
		if (!isOwn(command)) throw new Error(`${command.type} was given to the definition of ${type}`);
		return command;
	};
	return {
		type,
		schema: parts.schema,
		allowedActors: parts.allowedActors,
		startsWork: parts.startsWork,
		textLimit: parts.textLimit ?? "textBytesMax",
		texts: (command) => parts.texts?.(own(command)) ?? [],
		identity: (command) => parts.identity?.(own(command)) ?? command,
		decide: async (work, command, limits) => {
			const { envelope } = work;
			const loaded = await parts.load(work, own(command), limits);
			if (isRefusal(loaded)) return { decision: loaded, subject: {} };
			const { subject } = parts;
			return {
				decision: parts.decide(loaded, own(command), envelope),
				subject: typeof subject === "function" ? subject(loaded, own(command), envelope) : subject,
			};
		},
	};
}

/** The refusal for an actor who may not send the command. */
export function forbiddenFor(
	actor: Actor,
	{ type, allowedActors }: Pick<Definition, "type" | "allowedActors">,
): Refusal | null {
	const agent = agentOf(actor) !== null;
	if (allowedActors === "everyone" || actor === system || (allowedActors === "people" && !agent)) return null;
	return refuse("FORBIDDEN", `${type} is not for ${agent ? "agents" : "people"}.`, { details: { command: type } });
}
