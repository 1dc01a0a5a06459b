import { expect, test } from "vitest";
import { human, PersonName } from "#contract/ids.ts";
import type { PersonRole, PersonState } from "#contract/person.ts";
import { decideAddPerson, decideConfigurePerson, decideRemovePerson } from "./person.ts";

const [anna, ben] = [PersonName.parse("anna"), PersonName.parse("ben")];
const hash = (digit: string): string => digit.repeat(64);
const person = (name: PersonName, digit: string, more: Partial<PersonState> = {}): PersonState => ({
	...{ name, role: "member" as PersonRole, tokenHash: hash(digit), createdAt: 1, createdBy: human },
	...{ rotatedAt: null, removedAt: null, ...more },
});

test("a person is added once, and again after they were removed", () => {
	const request = { name: anna, role: "viewer" as PersonRole, tokenHash: hash("1") };
	const added = [{ kind: "person.added", agent: null, data: request }];
	expect(decideAddPerson([], request)).toEqual(added);
	expect(decideAddPerson([person(anna, "2")], request)).toMatchObject({ code: "CONFLICT" });
	expect(decideAddPerson([person(anna, "1", { removedAt: 5 })], request)).toEqual(added);
});

test("no two persons have one token", () => {
	const all = [person(ben, "1")];
	expect(decideAddPerson(all, { name: anna, role: "member", tokenHash: hash("1") })).toMatchObject({
		code: "CONFLICT",
	});
	expect(decideConfigurePerson([...all, person(anna, "2")], { name: anna, tokenHash: hash("1") })).toMatchObject({
		code: "CONFLICT",
	});
});

test("what is not named stays as it is, and nothing is recorded if nothing changes", () => {
	const all = [person(anna, "1")];
	expect(decideConfigurePerson(all, { name: anna, role: "admin" })).toEqual([
		{ kind: "person.configured", agent: null, data: { name: anna, role: "admin", tokenHash: hash("1") } },
	]);
	expect(decideConfigurePerson(all, { name: anna, role: "member" })).toEqual([]);
	expect(decideConfigurePerson(all, { name: ben, role: "member" })).toMatchObject({ code: "NOT_FOUND" });
});

test("only somebody who is there can be removed", () => {
	expect(decideRemovePerson([person(anna, "1")], anna)).toEqual([
		{ kind: "person.removed", agent: null, data: { name: anna } },
	]);
	expect(decideRemovePerson([person(anna, "1", { removedAt: 5 })], anna)).toMatchObject({ code: "NOT_FOUND" });
});
