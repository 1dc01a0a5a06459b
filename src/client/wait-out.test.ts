// A wait outlives an outage of the database, and no other refusal.
import { expect, test } from "vitest";
import { AgentId, human } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Wait } from "#contract/wire.ts";
import { waitOut } from "./wait-out.ts";

const opened: Wait = {
	...{
		id: 7,
		openedBy: human,
		agent: null,
		turn: null,
		targets: [AgentId.parse("A".repeat(22))],
		for: "idle",
		mode: "all",
	},
	...{ state: "open", blocking: true, openedAt: "2026-01-01T00:00:00.000Z", endedAt: null, seen: [] },
	deadline: "2026-01-01T00:01:00.000Z",
};
const met: Wait = { ...opened, state: "met" };
const away = refuse("STORE_UNAVAILABLE", "The database does not answer.");

/** Each look takes ten seconds. */
async function waited(wait: Wait, answers: (Wait | Refusal)[]): Promise<{ end: Wait | Refusal; looks: number }> {
	let looks = 0;
	const look = async () => answers[looks++] ?? away;
	const end = await waitOut(wait, { look, pause: async () => {}, now: () => looks * 10_000 });
	return { end, looks };
}

test("an outage of the database does not end a wait", async () => {
	expect(await waited(opened, [away, away, opened, away, met])).toEqual({ end: met, looks: 5 });
	expect(await waited({ ...opened, deadline: null }, [...Array<Refusal>(20).fill(away), met])).toEqual({
		end: met,
		looks: 21,
	});
});

test("but for its deadline, and any other refusal", async () => {
	expect(await waited(opened, [])).toMatchObject({ end: { code: "TIMEOUT", details: { wait: 7 } }, looks: 6 });
	const gone = refuse("NOT_FOUND", "There is no such wait.");
	expect(await waited(opened, [away, gone, met])).toEqual({ end: gone, looks: 2 });
});

test("a look that is not answered does not outlast the deadline", async () => {
	const short = { ...opened, deadline: "2026-01-01T00:00:00.010Z" };
	const end = await waitOut(short, { look: () => new Promise(() => {}), graceMs: 0 });
	expect(end).toMatchObject({ code: "TIMEOUT" });
});

test("a wait that does not block is not asked for", async () => {
	const continued = { ...opened, blocking: false };
	expect(await waited(continued, [met])).toEqual({ end: continued, looks: 0 });
});
