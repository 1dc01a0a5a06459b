import { expect, test } from "vitest";
import { machineIdle, machineTurns } from "./machine.ts";

const gibibyte = 1024 ** 3;

test("a machine carries as many turns as its cores and its memory allow, and two at least", () => {
	expect(machineTurns({ cores: 4, bytes: 64 * gibibyte })).toBe(32);
	expect(machineTurns({ cores: 16, bytes: 8 * gibibyte })).toBe(16);
	expect(machineTurns({ cores: 1, bytes: gibibyte / 2 })).toBe(2);
	expect(machineTurns()).toBeGreaterThanOrEqual(2);
});

test("idle agents keep processes as the cores and the memory allow", () => {
	expect(machineIdle({ cores: 8, bytes: 32 * gibibyte })).toEqual({ idleProcessesMax: 96, idleBytesMax: 4 * gibibyte });
	expect(machineIdle({ cores: 1, bytes: 2 * gibibyte })).toEqual({ idleProcessesMax: 12, idleBytesMax: gibibyte / 4 });
});
