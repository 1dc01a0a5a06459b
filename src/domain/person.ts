// Persons: add, change the role or the token, remove.
import type { PersonName } from "#contract/ids.ts";
import type { PersonAdd, PersonConfigure, PersonState } from "#contract/person.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "./decision.ts";

export function decideAddPerson(
	all: readonly PersonState[],
	{ name, role, tokenHash }: Omit<PersonAdd, "type">,
): Decision {
	if (present(all, name) !== undefined)
		return refuse("CONFLICT", `There is already a person ${name}.`, {
			suggestions: [`brood person rotate ${name}`, "brood person list"],
		});
	return sharedToken(all, name, tokenHash) ?? [{ kind: "person.added", agent: null, data: { name, role, tokenHash } }];
}

export function decideConfigurePerson(
	all: readonly PersonState[],
	{ name, role, tokenHash }: Omit<PersonConfigure, "type">,
): Decision {
	const now = present(all, name);
	if (now === undefined) return unknown(name);
	const data = { name, role: role ?? now.role, tokenHash: tokenHash ?? now.tokenHash };
	if (data.role === now.role && data.tokenHash === now.tokenHash) return [];
	return sharedToken(all, name, data.tokenHash) ?? [{ kind: "person.configured", agent: null, data }];
}

export function decideRemovePerson(all: readonly PersonState[], name: PersonName): Decision {
	if (present(all, name) === undefined) return unknown(name);
	return [{ kind: "person.removed", agent: null, data: { name } }];
}

/** Two persons with one token could not be told apart. */
function sharedToken(all: readonly PersonState[], name: PersonName, tokenHash: string): Refusal | null {
	const taken = all.some((each) => each.name !== name && each.removedAt === null && each.tokenHash === tokenHash);
	return taken ? refuse("CONFLICT", "Another person has this token.") : null;
}

const present = (all: readonly PersonState[], name: PersonName): PersonState | undefined =>
	all.find((each) => each.name === name && each.removedAt === null);

const unknown = (name: PersonName): Refusal =>
	refuse("NOT_FOUND", `There is no person ${name}.`, { suggestions: ["brood person list"] });
