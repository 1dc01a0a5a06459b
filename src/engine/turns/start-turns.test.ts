import { expect, test } from "vitest";
import { startTurnsReactor } from "./start-turns.ts";

test("a prompt that becomes due while a look is made is looked at again", async () => {
	let now = 0;
	const due = 5;
	const reactor = startTurnsReactor({
		reads: { openWaits: async () => [], nextPromptAt: async (after) => (due > after ? due : null) },
		dispatch: async () => {
			throw new Error("nothing is due");
		},
		clock: { now: () => now },
		scheduler: {
			// the plan is made before the prompt is due, and the look ends after that
			schedule: async () => {
				now = 10;
				return { continues: [], starts: [], notStarted: new Map(), nextAt: null };
			},
			rememberServed: async () => {},
			forget: () => {},
			noteStart: () => {},
		},
		node: null,
	});
	expect(await reactor.look(new AbortController().signal)).toEqual({ inMs: due - 10 });
	// control: one that was due before is in the plan
	expect(await reactor.look(new AbortController().signal)).toBe("done");
});
