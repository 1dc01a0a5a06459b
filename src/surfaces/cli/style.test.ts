import { expect, test } from "vitest";
import { takeColour, wrongColour } from "./style.ts";

const taken = (...words: string[]): [string[], string | undefined] => {
	const env: NodeJS.ProcessEnv = {};
	return [takeColour(words, env), env["BROOD_COLOR"]];
};

test("every command accepts --color, with the value after = or a space, and text after -- is left alone", () => {
	expect(taken("ps", "--color=never", "--all")).toEqual([["ps", "--all"], "never"]);
	expect(taken("--color", "always", "ps")).toEqual([["ps"], "always"]);
	expect(taken("ps", "--color", "auto")).toEqual([["ps"], "auto"]);
	expect(taken("ps", "--color", "--all")).toEqual([["ps", "--all"], "always"]);
	expect(taken("ps", "--no-color")).toEqual([["ps"], "never"]);
	expect(taken("prompt", "a", "--", "--color", "never")).toEqual([
		["prompt", "a", "--", "--color", "never"],
		undefined,
	]);
	expect(taken("ps", "--color=often")).toEqual([["ps", "--color=often"], undefined]);
	expect(taken("issue", "add", "never")).toEqual([["issue", "add", "never"], undefined]);
});

test("a value that --color does not have is found, after = or a space, and text after -- is none", () => {
	expect(wrongColour(["ps", "--color=sometimes"])).toBe("sometimes");
	expect(wrongColour(["ps", "--color", "sometimes"])).toBe("sometimes");
	for (const right of [
		["--color", "never", "ps"],
		["ps", "--color"],
		["ps", "--color", "--all"],
		["x", "--", "--color=a"],
	])
		expect(wrongColour(right)).toBeNull();
});
