import { expect, test } from "vitest";
import { fitColumns, joined } from "./fit-columns.ts";
import { table } from "./print.ts";

const rows = [
	["AGENT", "STATE", "PROJECT", "BRANCH", "AGE", "LAST"],
	[
		"fix-the-parser",
		"● running (approval)",
		"web",
		"brood/fix-the-parser +12 −3",
		"37s",
		"Reads the grammar and its tests",
	],
	["bob", "○ idle", "web", "brood/bob", "2h", "Done."],
];

const shown = (columns: number | null): string[] =>
	fitColumns(rows, {
		columns,
		leftOut: ["PROJECT", "BRANCH"],
		cut: [
			["LAST", 24],
			["AGENT", 12],
		],
	}).map((row) => joined(row, columns));

test("where a table is too wide, columns are left out in their order, and what is cut ends with …", () => {
	expect(shown(80)).toEqual([
		"AGENT           STATE                 AGE  LAST",
		"fix-the-parser  ● running (approval)  37s  Reads the grammar and its tests",
		"bob             ○ idle                2h   Done.",
	]);
	expect(shown(70)[1]).toBe("fix-the-parser  ● running (approval)  37s  Reads the grammar and its …");
	expect(shown(20)).toEqual(["AGENT         STATE…", "fix-the-par…  ● run…", "bob           ○ idl…"]);
});

test("a terminal that is wide enough, and a pipe, get everything", () => {
	const whole = rows.map(([, , , , , last]) => last);
	for (const columns of [null, 200])
		expect(shown(columns).map((line, at) => line.endsWith(whole[at] ?? "?"))).toEqual([true, true, true]);
	expect(shown(null)[1]).toBe(
		"fix-the-parser  ● running (approval)  web      brood/fix-the-parser +12 −3  37s  Reads the grammar and its tests",
	);
});

test("a table cuts the column that matters least, so that the command after it is whole", () => {
	const row = ["bob", "the process ended before it said anything", "brood agent resume bob"];
	const options = { columns: 50, cut: "REASON" };
	expect(table(["AGENT", "REASON", "TRY"], [row], options).split("\n")).toEqual([
		"AGENT  REASON               TRY",
		"bob    the process ended …  brood agent resume bob",
	]);
});
