// Esc, while a turn runs.
import { expect, test } from "vitest";
import { terminalKey } from "#test/support/terminal-key.ts";
import { idOf, moment } from "#tools/terminal-frames.ts";
import { firstState, type State } from "../../src/surfaces/tui/model.ts";
import { update } from "../../src/surfaces/tui/update.ts";

test("Esc says that it interrupts, and ends the same turn by force however late it is pressed again", () => {
	const [seen, agent] = [moment([]), idOf("B")];
	const pressed = (state: State, now: number, of = seen) => {
		const { state: next, effects } = update(state, terminalKey("escape", now), of);
		return { next, said: next.status?.text, effects };
	};
	const first = pressed(firstState(agent), 1000);
	expect(first).toMatchObject({
		said: "Interrupting the turn of opus-1 …   (Esc again ends it by force)",
		effects: [{ do: "interrupt", agent, force: false }],
	});
	const { state: typed } = update(first.next, terminalKey("x", 2000), seen);
	const second = pressed(typed, 60_000);
	expect(second).toMatchObject({
		said: "Ending the turn of opus-1 by force …",
		effects: [{ do: "interrupt", agent, force: true }],
	});
	// control: another turn, and another agent, are asked first
	const found = seen.agents.get(agent);
	if (found?.turn == null) throw new Error("its turn runs");
	const agents = new Map(seen.agents).set(agent, { ...found, turn: { ...found.turn, id: 2 } });
	expect(pressed(second.next, 60_001, { ...seen, agents }).effects).toMatchObject([{ force: false }]);
	expect(pressed({ ...second.next, current: idOf("D") }, 60_002).effects).toMatchObject([{ force: false }]);
});
