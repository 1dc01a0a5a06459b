import { expect, test } from "vitest";
import { callFilter } from "./system-calls.ts";

/** What the kernel makes of a call, by the rules of its machine for such programs. */
function answerTo(architecture: number, number: number): number {
	const program = callFilter();
	let held = 0;
	for (let at = 0; ; at += 1) {
		const [code, ifTrue, ifFalse, value] = [
			program.readUInt16LE(at * 8),
			program[at * 8 + 2] ?? 0,
			program[at * 8 + 3] ?? 0,
			program.readUInt32LE(at * 8 + 4),
		];
		if (code === 0x06) return value;
		if (code === 0x20) held = value === 4 ? architecture : number;
		else at += { 21: held === value, 37: held > value, 53: held >= value }[code] === true ? ifTrue : ifFalse;
	}
}

const [allowed, notThere] = [0x7fff0000, 0x00050026];

test.each([
	["x86-64", 0xc000003e, 248],
	["i386", 0x40000003, 286],
	["arm64", 0xc00000b7, 217],
	["32-bit arm", 0x40000028, 309],
])("the three calls for keys are not there on %s, and their neighbours are", (_, architecture, first) => {
	const answers = [0, first - 1, first, first + 1, first + 2, first + 3, 0x3fffffff].map((number) =>
		answerTo(architecture, number),
	);
	expect(answers).toEqual([allowed, allowed, notThere, notThere, notThere, allowed, allowed]);
});

test("no call is there by the second numbers of x86-64, or on a machine that nobody knows", () => {
	expect([answerTo(0xc000003e, 0x40000000), answerTo(0xc000003e, 0x400000fa), answerTo(0xc00000f3, 0)]).toEqual([
		notThere,
		notThere,
		notThere,
	]);
});
