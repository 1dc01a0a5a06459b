import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { credentialProblem, credentialVariables } from "./credential.ts";
import { environmentFor } from "./environment.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
let files = 0;
function file(text: string, mode = 0o600): { envFile: string } {
	const made = path.join(folder, `${++files}.env`);
	writeFileSync(made, text);
	chmodSync(made, mode);
	return { envFile: made };
}

test("variables are read from a file line by line", () => {
	const text = "# a key\n\nA=1\nexport B='two words'\nC=\"x=y\"\n  D=plain \nE=\n";
	expect(credentialVariables(file(text), "claude")).toEqual({ A: "1", B: "two words", C: "x=y", D: "plain", E: "" });
});

test("a file that is readable by others, missing or malformed is refused, and its content is not quoted", () => {
	expect(credentialProblem(file("A=1", 0o640))).toMatch(/chmod 600/);
	expect(credentialProblem({ envFile: path.join(folder, "none") })).toMatch(/^There is no /);
	expect(credentialProblem({ envFile: folder })).toMatch(/is not a file/);
	const link = path.join(folder, "link");
	symlinkSync(file("A=1").envFile, link);
	expect(credentialProblem({ envFile: link })).toMatch(/is not a file/);
	expect(() => credentialVariables(file("A=1\nhunter2"), "claude")).toThrow(/^Line 2 of \S+ is not NAME=value\.$/);
	expect(() => credentialVariables(file("BROOD_TOKEN=x"), "claude")).toThrow(/variable of Brood's own/);
});

test("a folder is told to each vendor's program in its own way", () => {
	const variable = (type: string) => Object.keys(credentialVariables({ configDir: folder }, type));
	expect(["claude", "codex", "shell"].flatMap(variable)).toEqual([
		"CLAUDE_CONFIG_DIR",
		"CODEX_HOME",
		"XDG_CONFIG_HOME",
	]);
	expect(credentialProblem({ configDir: file("").envFile })).toMatch(/is not a folder/);
	expect(credentialVariables(null, "claude")).toEqual({});
});

test("a credential cannot set the variables that identify an agent", () => {
	const environment = environmentFor(
		{ BROOD_AGENT: "me" },
		{ PATH: "/bin", SECRET: "s" },
		{ PATH: "/other", BROOD_AGENT: "you", KEY: "k" },
	);
	expect(environment).toEqual({ PATH: "/other", BROOD_AGENT: "me", KEY: "k" });
});
