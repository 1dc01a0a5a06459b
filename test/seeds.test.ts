// The page of what the seeds ask for names tests that are there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rows = readFileSync("docs/internals/seeds.md", "utf8")
	.split("\n")
	.flatMap((line) => {
		const [, feature, shown] = /^\| (?!feature|---)(.+) \| (.+) \|$/.exec(line) ?? [];
		return feature === undefined || shown === undefined ? [] : [{ feature, shown }];
	});

/** Titles of tests and groups, and the rows of tables of tests. */
const titlesIn = (file: string): string[] =>
	[...readFileSync(file, "utf8").matchAll(/(["`])((?:(?!\1)[^\n])+)\1/g)].map(([, , title = ""]) => title);

function faultsOf({ feature, shown }: { feature: string; shown: string }): string[] {
	const named = [...shown.matchAll(/`([^`]+\.test\.ts)` "([^"]+)"/g)];
	if (named.length === 0) return [`${feature}: nothing shows it`];
	return named.flatMap(([, file = "", title = ""]) =>
		existsSync(file) && titlesIn(file).some((each) => each.includes(title)) ? [] : [`${file}: ${title}`],
	);
}

test("every feature of the seeds is shown by tests that are there", () => {
	const [open, done] = [
		rows.filter(({ shown }) => shown === "not yet"),
		rows.filter(({ shown }) => shown !== "not yet"),
	];
	expect(done.length).toBeGreaterThan(90);
	expect(done.flatMap(faultsOf)).toEqual([]);
	expect(open.length).toBeLessThanOrEqual(3);
	// the control
	expect(faultsOf({ feature: "x", shown: '`test/tidy.test.ts` "no such title"' })).toHaveLength(1);
});
