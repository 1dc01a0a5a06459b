import { expect, test } from "vitest";
import type { Event } from "#contract/event.ts";
import { system } from "#contract/ids.ts";
import { notRecorded } from "#domain/turn-end.ts";

const item = (kind: string, text: string): Event => ({
	id: 1,
	agent: null,
	turn: 1,
	kind,
	text,
	data: null,
	at: 0,
	actor: system,
	command: "c",
});

test("a message that became an item after the last flush is not said twice", () => {
	const half = { kind: "assistant" as const, text: "I look" };
	expect(notRecorded([half], [item("assistant", "I look at it now.")])).toEqual([]);
	expect(notRecorded([half], [item("thought", "I look at it now."), item("assistant", "I")])).toEqual([half]);
	const long = { kind: "thought" as const, text: "x".repeat(100_000) };
	expect(notRecorded([long], [item("thought", `${"x".repeat(16 * 1024)} and more, elsewhere`)])).toEqual([]);
});

test("calls stay, and what nobody has said does not", () => {
	const call = { call: "1", text: "half of it" };
	expect(notRecorded([call, { kind: "assistant", text: "" }], [item("assistant", "half of it")])).toEqual([call]);
});
