import { expect, test } from "vitest";
import { typeAndPrompt } from "./type-and-prompt.ts";

test("the first word names the type, if it is one and a prompt follows", async () => {
	expect(await typeAndPrompt(["codex", "port", "it"], undefined)).toEqual({ type: "codex", text: "port it" });
	expect(await typeAndPrompt(["fix the codex test"], undefined)).toEqual({ type: null, text: "fix the codex test" });
	expect(await typeAndPrompt(["fix", "it"], undefined)).toEqual({ type: null, text: "fix it" });
	expect(await typeAndPrompt(["cloud", "costs"], undefined)).toEqual({ type: null, text: "cloud costs" });
	expect(await typeAndPrompt(["code", "the", "parser"], undefined)).toEqual({ type: null, text: "code the parser" });
});

test.each(["codex", "claude", "shell"])("%s alone is no prompt", async (type) => {
	await expect(typeAndPrompt([type], undefined)).rejects.toThrow(
		`${type} is an agent type: write the prompt after it, brood run ${type} 'fix the test'.`,
	);
});

test.each([
	["codxe", "codex"],
	["codx", "codex"],
	["claud", "claude"],
	["claudee", "claude"],
	["gemeni", "gemini"],
	["cluade", "claude"],
	["xcodex", "codex"],
])("%s before a prompt is taken for %s, and refused", async (word, type) => {
	await expect(typeAndPrompt([word, "hello"], undefined)).rejects.toThrow(
		`There is no agent type ${word}. For ${type}, write brood run ${type} '…'; if ${word} belongs to the prompt, quote the whole prompt.`,
	);
});
