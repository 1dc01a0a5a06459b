import { expect, test } from "vitest";
import { Actor, AgentId } from "#contract/ids.ts";
import type { WireEvent } from "#contract/wire.ts";
import { withEvents, withOpenTurns } from "./timelines.ts";

const agent = AgentId.parse("A".repeat(22));
const other = AgentId.parse("B".repeat(22));
const at = (minute: number) => new Date(minute * 60_000).toISOString();
const event = (id: number, kind: string, data: WireEvent["data"]): WireEvent => ({
	...{ id, kind, data, agent, at: at(id), turn: null, text: null, actor: Actor.parse("system"), command: "" },
});

test("a turn that began before the events that were read has a bar, whether it is over or open", () => {
	const read = withEvents(new Map(), [
		event(20, "turn.ended", { turn: 7, state: "completed", reason: null }),
		event(30, "turn.started", {}),
	]);
	const over = { turn: 7, from: 0, to: 20 * 60_000, state: "completed" };
	const open = { turn: 30, from: 30 * 60_000, to: null, state: "open" };
	expect(read).toEqual(new Map([[agent, { bars: [over, open], mails: [] }]]));
	const turn = (id: number) => ({ id, startedAt: at(id), phase: "model" as const, silentSince: null });
	const all = withOpenTurns(read, [
		{ id: agent, turn: turn(30) },
		{ id: other, turn: turn(5) },
	]);
	// the one that was read is not there twice
	expect(all.get(agent)).toBe(read.get(agent));
	expect(all.get(other)).toEqual({ bars: [{ turn: 5, from: 5 * 60_000, to: null, state: "open" }], mails: [] });
});
