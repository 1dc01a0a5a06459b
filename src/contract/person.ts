// The person: somebody who uses Brood with a token and a role of their own. The home's owner needs none: the token in
// the home is theirs, and only this machine accepts it.
import { z } from "zod";
import { command, event } from "./define.ts";
import { Actor, PersonName } from "./ids.ts";

/** What each may do includes what those before it may do. */
export const roles = ["viewer", "member", "admin"] as const;
export const PersonRole = z
	.enum(roles)
	.describe("viewer: read everything; member: also work with agents, issues and projects; admin: everything");
export type PersonRole = z.infer<typeof PersonRole>;

/** The token itself is known only to the person who made it: nobody who reads the store can use what is there. */
export const TokenHash = z.string().regex(/^[0-9a-f]{64}$/, "a token hash is the SHA-256 of the token, in hexadecimal");

export const PersonState = z.strictObject({
	name: PersonName,
	role: PersonRole,
	tokenHash: TokenHash,
	createdAt: z.int(),
	createdBy: Actor,
	/** when the token was replaced last */
	rotatedAt: z.int().nullable(),
	removedAt: z.int().nullable(),
});
export type PersonState = z.infer<typeof PersonState>;

export const PersonAdd = command("person.add", {
	name: PersonName,
	role: PersonRole.default("member"),
	tokenHash: TokenHash,
});
export type PersonAdd = z.infer<typeof PersonAdd>;

/** Absent fields stay as they are. */
export const PersonConfigure = command("person.configure", {
	name: PersonName,
	role: PersonRole.optional(),
	tokenHash: TokenHash.optional(),
});
export type PersonConfigure = z.infer<typeof PersonConfigure>;

export const PersonRemove = command("person.remove", { name: PersonName });
export type PersonRemove = z.infer<typeof PersonRemove>;

export const personCommands = [PersonAdd, PersonConfigure, PersonRemove] as const;

export const PersonEvent = z.discriminatedUnion("kind", [
	event("person.added", { name: PersonName, role: PersonRole, tokenHash: TokenHash }),
	event("person.configured", { name: PersonName, role: PersonRole, tokenHash: TokenHash }),
	event("person.removed", { name: PersonName }),
]);
export type PersonEvent = z.infer<typeof PersonEvent>;
