import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { broughtBy } from "./trust.ts";

function repository(files: Readonly<Record<string, string>>): string {
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
		writeFileSync(path.join(folder, name), text);
	}
	return folder;
}

test("hooks, tool servers and plugins are found; words and what programs keep there are not", () => {
	expect(
		broughtBy(repository({ "AGENTS.md": "words", "src/.mcp.json": "{}", ".opencode/node_modules/x/y.js": "", ".opencode/package.json": "{}" })),
	).toBeNull();
	const all = { ".claude/settings.json": "{}", ".mcp.json": "{}", ".codex/config.toml": "", ".opencode/plugin/a.ts": "", "opencode.jsonc": "{}" };
	expect(broughtBy(repository(all))?.files.toSorted()).toEqual(Object.keys(all).toSorted());
});

test("the same content has the same fingerprint anywhere, and no other content has", () => {
	const print = (files: Readonly<Record<string, string>>) => broughtBy(repository(files))?.fingerprint;
	expect(print({ ".mcp.json": "{}" })).toMatch(/^[0-9a-f]{64}$/);
	expect(print({ ".mcp.json": "{}", "a.txt": "x" })).toBe(print({ ".mcp.json": "{}" }));
	const others = [{ ".mcp.json": "{ }" }, { "opencode.json": "{}" }, { ".mcp.json": "{}", ".claude/x": "" }];
	expect(new Set([{ ".mcp.json": "{}" }, ...others].map(print)).size).toBe(4);
	const folder = repository({ "elsewhere/settings.json": "{}" });
	symlinkSync("elsewhere", path.join(folder, ".claude"));
	const before = broughtBy(folder);
	writeFileSync(path.join(folder, "elsewhere/settings.json"), "{ }");
	expect(before?.files).toEqual([".claude/settings.json"]);
	expect(broughtBy(folder)?.fingerprint).not.toBe(before?.fingerprint);
});

test("nothing hides behind many files, a linked folder or a circle of links", () => {
	const many = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`.opencode/node_modules/x/${at}.js`, ""]));
	expect(broughtBy(repository({ ...many, ".opencode/plugin/a.ts": "run()" }))?.files).toEqual([".opencode/plugin/a.ts"]);
	const folder = repository({ ...Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`.claude/a/${at}`, ""])), ".claude/settings.json": "{}" });
	const print = () => broughtBy(folder)?.fingerprint;
	const changed = (file: string): boolean => {
		const before = print();
		writeFileSync(path.join(folder, file), "changed");
		return print() !== before;
	};
	expect(changed(".claude/settings.json")).toBe(true);
	mkdirSync(path.join(folder, "lib"));
	writeFileSync(path.join(folder, "lib/a.ts"), "run()");
	mkdirSync(path.join(folder, ".opencode"));
	symlinkSync("../lib", path.join(folder, ".opencode/plugin"));
	symlinkSync("..", path.join(folder, ".opencode/circle"));
	symlinkSync("/", path.join(folder, ".opencode/all"));
	symlinkSync("itself", path.join(folder, ".opencode/itself"));
	symlinkSync("nowhere", path.join(folder, ".opencode/later"));
	expect(changed("lib/a.ts")).toBe(true);
	expect(changed("lib/b.ts")).toBe(true);
});
