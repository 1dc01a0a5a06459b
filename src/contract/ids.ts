// Every id, handle and slug enters the program through one of these schemas, so that no name can later act as a path,
// an option or another agent's id.
import { z } from "zod";
import { nameRule, nameShape } from "./name-rule.ts";

/** A random (v4) UUID as 22 base64url characters that never start with `-` or `_`. */
export const AgentId = z
	.string()
	.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{21}$/, "an agent id has 22 base64url characters")
	.brand<"AgentId">();
export type AgentId = z.infer<typeof AgentId>;

/** An agent's name inside its project; never used twice there, unless the project was removed and added again. */
export const Handle = z.string().regex(nameShape, nameRule).brand<"Handle">();
export type Handle = z.infer<typeof Handle>;

export const ProjectSlug = z.string().regex(nameShape, nameRule).brand<"ProjectSlug">();
export type ProjectSlug = z.infer<typeof ProjectSlug>;

/** The name of a paid plan or key. */
export const SubscriptionName = z.string().regex(nameShape, nameRule).brand<"SubscriptionName">();
export type SubscriptionName = z.infer<typeof SubscriptionName>;

/** A named way to start an agent. */
export const AgentType = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "an agent type is a short lower-case word");

/** The number of an event in the journal: global, in commit order, from 1. */
export const EventId = z.int().positive();
export type EventId = z.infer<typeof EventId>;

/** Sent with a request so that a retry has no second effect. */
export const IdempotencyKey = z
	.string()
	.regex(/^[\x21-\x7e]{1,200}$/, "an idempotency key has 1 to 200 visible ASCII characters")
	.brand<"IdempotencyKey">();
export type IdempotencyKey = z.infer<typeof IdempotencyKey>;

/** The name of a person who has a token of their own. */
export const PersonName = z.string().regex(nameShape, nameRule).brand<"PersonName">();
export type PersonName = z.infer<typeof PersonName>;

/** Who did it: the home's owner or a named person, the system itself, or an agent. */
export const Actor = z
	.string()
	.regex(
		/^(human|human:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?|system|agent:[A-Za-z0-9][A-Za-z0-9_-]{21})$/,
		"an actor is human, human:<name>, system or agent:<id>",
	)
	.brand<"Actor">();
export type Actor = z.infer<typeof Actor>;

export const human: Actor = Actor.parse("human");
export const system: Actor = Actor.parse("system");
export const actingAgent = (id: AgentId): Actor => Actor.parse(`agent:${id}`);
export const actingPerson = (name: PersonName): Actor => Actor.parse(`human:${name}`);

/** The agent behind an actor, or null for people and the system. */
export function agentOf(actor: Actor): AgentId | null {
	return actor.startsWith("agent:") ? AgentId.parse(actor.slice("agent:".length)) : null;
}

/** The person behind an actor, or null for the home's owner, agents and the system. */
export function personOf(actor: Actor): PersonName | null {
	return actor.startsWith("human:") ? PersonName.parse(actor.slice("human:".length)) : null;
}

/** The handle of agent 0; no other agent may carry it. */
export const initHandle: Handle = Handle.parse("init");
