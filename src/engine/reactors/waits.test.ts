import { expect, test } from "vitest";
import { Actor, AgentId } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { WaitState } from "#contract/wait.ts";
import { waitsReactor } from "./waits.ts";

const target = AgentId.parse("a".repeat(22));

/** Looks at one open wait with a deadline; the clock moves on while the command is decided. */
async function look(deadline: number, takesMs: number): Promise<unknown> {
	let now = 1000;
	const wait: WaitState = {
		...{ id: 1, agent: null, turn: null, targets: [target], for: "ended", mode: "all", blocking: true },
		...{ deadline, state: "open", openedAt: now, openedBy: Actor.parse("human"), endedAt: null, seen: [], ready: null },
	};
	const reactor = waitsReactor({
		reads: { openWaits: async () => [wait] },
		clock: { now: () => now },
		dispatch: async () => {
			now += takesMs;
			return { refused: refuse("CONFLICT", "not yet"), replayed: false };
		},
	});
	return await reactor.look(new AbortController().signal);
}

test("a deadline that passes while a wait is decided is looked at again at once", async () => {
	expect(await look(1010, 20)).toEqual({ inMs: 0 });
	expect(await look(1010, 4)).toEqual({ inMs: 6 });
	// decided when it had passed already
	expect(await look(990, 20)).toBe("done");
});
