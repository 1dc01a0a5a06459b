import { expect, test } from "vitest";
import { z } from "zod";
import { validationMessage } from "./validation-message.ts";

const Prompt = z.strictObject({
	text: z.string().min(1),
	priority: z.int().max(100).optional(),
	notBefore: z.iso.datetime().optional(),
	to: z.int().positive().optional(),
	agents: z.array(z.string()).min(1).optional(),
});

test.each([
	[{ text: "" }, "text: must not be empty"],
	[{}, "text: is missing"],
	[{ text: 7 }, "text: expected string, received number"],
	[{ text: "x", priority: 101 }, "priority: at most 100"],
	[{ text: "x", to: 0 }, "to: more than 0"],
	[{ text: "x", notBefore: "soon" }, "notBefore: has to be a time like 2026-01-31T08:00:00Z"],
	[{ text: "", agents: [] }, "text: must not be empty; agents: at least 1 of them"],
	[{ text: "x", sudo: true }, 'Unrecognized key: "sudo"'],
])("%j: %s", (value, words) => {
	const parsed = Prompt.safeParse(value);
	expect(parsed.error && validationMessage(parsed.error)).toBe(words);
});
