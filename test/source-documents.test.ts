// The page of what the source documents ask for names tests that are there, and none that is skipped.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Row {
	feature: string;
	shown: string;
}

const rows: Row[] = readFileSync("docs/internals/source-documents.md", "utf8")
	.split("\n")
	.flatMap((line) => {
		const [, feature, shown] = /^\| (?!feature|---)(.+) \| (.+) \|$/.exec(line) ?? [];
		return feature === undefined || shown === undefined ? [] : [{ feature, shown }];
	});

/** Titles of tests and groups that run: what follows `test(`, `describe(`, or the table of an `.each`. */
const titlesIn = (text: string): string[] =>
	[...text.matchAll(/(?:\b(?:test|describe)((?:\.\w+)*)|\))\(\s*(["`])((?:(?!\2)[^\n])+)\2/g)].flatMap(
		([, how = "", , title = ""]) => (/\.(skip|todo)\b/.test(how) ? [] : [title]),
	);

const titles = new Map<string, string[]>();
function titlesOf(file: string): string[] {
	if (!titles.has(file)) titles.set(file, existsSync(file) ? titlesIn(readFileSync(file, "utf8")) : []);
	return titles.get(file) ?? [];
}

function faultsOf({ feature, shown }: Row): string[] {
	const named = [...shown.matchAll(/`([^`]+\.test\.ts)` "([^"]+)"/g)];
	if (named.length === 0) return [`${feature}: nothing shows it`];
	return named.flatMap(([, file = "", title = ""]) =>
		titlesOf(file).some((each) => each.includes(title)) ? [] : [`${file}: ${title}`],
	);
}

test("every feature of the source documents is shown by tests that are there", () => {
	expect(rows.length).toBeGreaterThan(180);
	expect(new Set(rows.map(({ feature }) => feature)).size).toBe(rows.length);
	expect(rows.flatMap(faultsOf)).toEqual([]);
});

test("a feature without a test, and a test that is not there, are noticed: the control", () => {
	const file = "`test/source-documents.test.ts`";
	expect(
		[
			{ feature: "a", shown: "somewhere" },
			{ feature: "b", shown: `${file} "no such title"` },
			{ feature: "c", shown: '`test/no-such.test.ts` "every feature of the source documents"' },
			// words in a test that are not titles
			{ feature: "d", shown: `${file} "The dashboard"` },
			{ feature: "e", shown: `${file} "every feature of the source documents is shown"` },
		].flatMap(faultsOf),
	).toEqual([
		"a: nothing shows it",
		"test/source-documents.test.ts: no such title",
		"test/no-such.test.ts: every feature of the source documents",
		"test/source-documents.test.ts: The dashboard",
	]);
	expect(titlesIn('test.skip("later", f); test.each([["a"], ["b"]])("%s works", f); describe("group", f);')).toEqual([
		"%s works",
		"group",
	]);
});
