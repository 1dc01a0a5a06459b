import { expect, test } from "vitest";
import { verbThatEndsHolds } from "./holds.ts";

test.each([
	["user", null, "resume"],
	["interrupt", null, "resume"],
	["limit", null, "resume"],
	["crash", null, "resume"],
	["error", "process", "resume"],
	["error", "workspace", "recover"],
	["error", "provision", "recover"],
	["drift", null, "recover"],
	["recovery", null, "recover"],
] as const)("a hold %s after a failed %s is ended by %s", (kind, step, verb) => {
	const lastError = step === null ? null : { step };
	expect(verbThatEndsHolds({ holds: [{ kind }], lastError })).toBe(verb);
	// one that needs more decides for all
	expect(verbThatEndsHolds({ holds: [{ kind: "user" }, { kind }], lastError })).toBe(verb);
});
