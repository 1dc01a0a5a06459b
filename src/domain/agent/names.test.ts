import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { id } from "#test/support/given.ts";
import { branchOf } from "../issue/prompt.ts";
import { candidateHandles, slug } from "./handle.ts";
import { type Named, resolve } from "./reference.ts";

describe("handles", () => {
	test("are four hexadecimal digits and the title's words", () => {
		expect(candidateHandles({ title: "Font replacement!", salt: "47fa0123abcd" })[0]).toBe("47fa-font-replacement");
	});
	test("take more digits when the shorter ones are taken", () => {
		expect(candidateHandles({ title: "x", salt: "0123456789ab" })).toEqual([
			"0123-x",
			"01234-x",
			"012345-x",
			"01234567-x",
			"0123456789ab-x",
		]);
	});
	test("are the given name and nothing else", () => {
		expect(candidateHandles({ name: Handle.parse("opus-1"), title: "ignored", salt: "0000" })).toEqual(["opus-1"]);
	});
	test("come out of any title as a legal name", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 300 }), (title) =>
				candidateHandles({ title, salt: "0123456789ab" }).every((handle) => Handle.safeParse(handle).success),
			),
		);
	});
	test.each([
		["Ünïcödé and émojis 🎉", "unicode-and-emojis"],
		["Größe & Łódź", "grosse-lodz"],
		["--force", "force"],
		["../../etc/passwd", "etc-passwd"],
		["日本語", ""],
		["a".repeat(100), "a".repeat(40)],
	])("make a slug of %s", (title, expected) => expect(slug(title)).toBe(expected));
	test.each([
		["Größe & Łódź", "issue/3-grosse-lodz"],
		["日本語 🎉", "issue/3"],
		["..@{x}.lock", "issue/3-x-lock"],
	])("and branches of %s", (title, branch) => expect(branchOf({ number: 3, title })).toBe(branch));
	test.each(["", "-x", "x-", "a/b", "../x", "A", "a b", "a\0", "🎉", "a".repeat(65), "a_b", "."])(
		"refuse the name %j",
		(name) => {
			expect(Handle.safeParse(name).success).toBe(false);
		},
	);
});

describe("a reference", () => {
	const web = ProjectSlug.parse("web");
	const api = ProjectSlug.parse("api");
	const named = (agentId: AgentId, handle: string, project: ProjectSlug | null): Named => ({
		id: agentId,
		handle: Handle.parse(handle),
		project,
	});
	const lower = AgentId.parse("abcdefghijklmnopqrstuv");
	const found = (reference: string, project: ProjectSlug | null, agents: Named[]) =>
		resolve(reference, project, agents);

	test("is an id before it is a handle", () => {
		expect(found(lower, null, [named(id("x"), lower, null), named(lower, "other", web)])).toEqual({ id: lower });
	});
	test("is a handle of this project before one elsewhere", () => {
		expect(found("opus", web, [named(id("x"), "opus", api), named(id("y"), "opus", web)])).toEqual({ id: id("y") });
	});
	test("may name the project", () => {
		expect(found("api/opus", web, [named(id("x"), "opus", api), named(id("y"), "opus", web)])).toEqual({ id: id("x") });
	});
	test("is a handle elsewhere if there is only one", () => {
		expect(found("opus", null, [named(id("x"), "opus", api)])).toEqual({ id: id("x") });
		expect(found("opus", null, [named(id("x"), "opus", api), named(id("y"), "opus", web)])).toMatchObject({
			code: "AMBIGUOUS_REF",
			details: {
				candidates: [
					{ id: id("x"), project: "api" },
					{ id: id("y"), project: "web" },
				],
			},
		});
	});
	test("is the beginning of an id from four characters on", () => {
		expect(found("xxxx", null, [named(id("x"), "opus", null)])).toEqual({ id: id("x") });
		expect(found("xxx", null, [named(id("x"), "opus", null)])).toMatchObject({ code: "AGENT_NOT_FOUND" });
	});
	test("that begins two ids names both", () => {
		const other = AgentId.parse(`abcd${"z".repeat(18)}`);
		expect(found("abcd", null, [named(lower, "one", null), named(other, "two", null)])).toMatchObject({
			code: "AMBIGUOUS_REF",
			suggestions: [`brood agent status ${lower}`, `brood agent status ${other}`],
		});
	});
	test("that names nobody says so, whatever it looks like", () => {
		for (const text of ["", "-x", "../x", "\0", "x".repeat(5000), "__proto__"])
			expect(found(text, null, [])).toMatchObject({ code: "AGENT_NOT_FOUND" });
	});
});
