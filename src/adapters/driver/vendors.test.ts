import { expect, test } from "vitest";
import { wordsOf } from "./vendors.ts";

test.each([
	["goose acp", ["goose", "acp"]],
	["  a  'b c' \"d 'e'\" f\\ g \"h\\\"i\" ''", ["a", "b c", "d 'e'", "f g", 'h"i', ""]],
	["a $HOME `b` | c > d; e", ["a", "$HOME", "`b`", "|", "c", ">", "d;", "e"]],
	["", []],
	["a 'b", null],
])("%j is split into words, and no shell ever sees it", (line, words) => {
	expect(wordsOf(line)).toEqual(words);
});
