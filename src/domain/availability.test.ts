import { expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { live } from "#test/support/given.ts";
import { availableAt } from "./availability.ts";

const turn = { id: 1, prompt: 1, startedAt: 1000, silentSince: null, subscription: null };
const busy = { ...live("a"), turn, turnsTookMs: [100, 300, 5000] };

test("a busy agent is available when its turn and its queue have taken as long as its turns usually take", () => {
	expect(availableAt(busy, 0, 1100)).toBe(1300);
	expect(availableAt(busy, 2, 1100)).toBe(1900);
	// it takes longer than usual
	expect(availableAt(busy, 1, 2000)).toBe(2300);
	expect(availableAt({ ...busy, turn: null }, 1, 2000)).toBe(2300);
});

test("nobody knows when of an agent that is free, held, ended or new", () => {
	expect(availableAt({ ...busy, turn: null }, 0, 1100)).toBe(null);
	expect(availableAt({ ...busy, holds: [{ kind: "user", reason: "", by: human, at: 1 }] }, 1, 1100)).toBe(null);
	expect(availableAt({ ...busy, life: "ended" }, 1, 1100)).toBe(null);
	expect(availableAt({ ...busy, turnsTookMs: [] }, 1, 1100)).toBe(null);
});
