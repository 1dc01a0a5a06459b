// Commands about persons. Only admins reach them: their routes say so.
import type { PersonName } from "#contract/ids.ts";
import { PersonAdd, PersonConfigure, PersonRemove } from "#contract/person.ts";
import { decideAddPerson, decideConfigurePerson, decideRemovePerson } from "#domain/person.ts";
import { defineCommand } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

const onPerson = {
	allowedActors: "people",
	startsWork: false,
	load: async ({ tx }: UnitOfWork) => ({ all: await tx.persons() }),
	subject: (_: object, { name }: { name: PersonName }) => ({ person: name }),
} as const;

export const personDefinitions = {
	"person.add": defineCommand({
		...onPerson,
		schema: PersonAdd,
		decide: ({ all }, command) => decideAddPerson(all, command),
	}),
	"person.configure": defineCommand({
		...onPerson,
		schema: PersonConfigure,
		decide: ({ all }, command) => decideConfigurePerson(all, command),
	}),
	"person.remove": defineCommand({
		...onPerson,
		schema: PersonRemove,
		decide: ({ all }, { name }) => decideRemovePerson(all, name),
	}),
};
