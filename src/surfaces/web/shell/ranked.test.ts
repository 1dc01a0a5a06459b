import { expect, test } from "vitest";
import { ranked } from "./ranked.ts";

const find = (text: string, ...names: string[]): string[] => ranked(names, text, (name) => name);

test("words and beginnings come before letters in between", () => {
	expect(find("sto", "web/4725-store", "web/history-to", "web/restore", "web/fonts")).toEqual([
		"web/4725-store",
		"web/restore",
		"web/history-to",
	]);
});

test("an empty text keeps everything in order, and nothing matches what is not there", () => {
	expect(find("", "b", "a")).toEqual(["b", "a"]);
	expect(find("zz", "b", "a")).toEqual([]);
});
