// The small pure parts of the terminal.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { AgentId, system } from "#contract/ids.ts";
import { freshFolder } from "#test/support/stores.ts";
import { Blocks } from "#views/thread.ts";
import { completed } from "../../src/surfaces/tui/complete.ts";
import { filesOf } from "../../src/surfaces/tui/diff.ts";
import { actionOf, keymap, keyName } from "../../src/surfaces/tui/keymap.ts";
import { wordsOf } from "../../src/surfaces/tui/words.ts";

test("a slash line is split like a shell's, and quoted words are never options", () => {
	const flags = new Set(["fresh"]);
	const { command, words, options } = wordsOf('/fork --name try --fresh "say \\"hi\\"" --at 12 more', flags);
	expect({ command, words, options: Object.fromEntries(options) }).toEqual({
		command: "fork",
		words: ['say "hi"', "more"],
		options: { name: "try", fresh: "true", at: "12" },
	});
	expect(wordsOf("/send one '--urgent' it's", flags).words).toEqual(["one", "--urgent", "it's"]);
	expect(wordsOf('/commit "not closed', flags).words).toEqual(["not closed"]);
	expect(wordsOf("/", flags)).toMatchObject({ command: "", words: [] });
});

test("a patch is cut into its files, with their counts", () => {
	const patch = [
		"diff --git a/src/a.ts b/src/a.ts",
		"index 1..2 100644",
		"--- a/src/a.ts",
		"+++ b/src/a.ts",
		"@@ -1,2 +1,3 @@",
		" same",
		"-old",
		"+new",
		"+newer",
		"diff --git a/logo.png b/logo.png",
		"index 1..2 100644",
		"Binary files a/logo.png and b/logo.png differ",
		"diff --git a/gone.txt b/gone.txt",
		"deleted file mode 100644",
		"--- a/gone.txt",
		"+++ /dev/null",
		"@@ -1 +0,0 @@",
		"-bye",
	].join("\n");
	expect(filesOf(patch).map(({ path, added, deleted }) => [path, added, deleted])).toEqual([
		["src/a.ts", 2, 1],
		["logo.png", null, null],
		["gone.txt", 0, 1],
	]);
});

describe("the keymap", () => {
	test("gives a key one meaning in each mode", () => {
		for (const [mode, entries] of Object.entries(keymap)) {
			const keys = entries.flatMap((entry) => entry.keys);
			expect({ mode, twice: keys.filter((key, at) => keys.indexOf(key) !== at) }).toEqual({ mode, twice: [] });
		}
		expect(actionOf("thread", "ctrl+t")).toBe("tree");
		expect(actionOf("thread", "t")).toBeNull();
	});

	test("names keys as people write them", () => {
		expect(["ctrl+t", "ctrl+up", "pageUp", "f1", "alt+y", "shift+g", "y"].map(keyName)).toEqual([
			...["Ctrl+T", "Ctrl+↑", "PgUp", "F1", "Alt+Y", "Shift+G", "y"],
		]);
	});
});

test("a call and its result are one block, and a final that repeats the last message is none", () => {
	const blocks = new Blocks();
	const item = (id: number, kind: string, text: string | null, data: unknown = null) =>
		blocks.add({
			id,
			kind,
			text,
			data: JSON.parse(JSON.stringify(data)),
			at: "2026-01-01T00:00:00Z",
			turn: 1,
			actor: system,
		});
	item(1, "user", "do it");
	item(2, "tool_call", "npm test", { call: "a", tool: "execute", input: null });
	item(3, "tool_call", "ls", { call: "b", tool: "execute", input: null });
	item(4, "tool_result", "```\n1 failed\n```", { call: "a", status: "failed" });
	item(5, "assistant", "done");
	item(6, "final", "done", { state: "completed" });
	expect(blocks.list.map(({ id, kind, bad, result }) => [id, kind, bad, result?.text ?? null])).toEqual([
		[1, "prompt", false, null],
		[2, "call", true, "1 failed"],
		[3, "call", false, null],
		[5, "message", false, null],
	]);
	// the id of an ended call may come again: that is another one
	item(7, "tool_result", "late", { call: "a", status: "completed" });
	expect(blocks.list.at(-1)).toMatchObject({ id: 7, kind: "call", result: { text: "late" } });
});

test("completions are commands, their options, agents and files; a whole word is left to Enter", async () => {
	const folder = freshFolder();
	mkdirSync(path.join(folder, "src"));
	writeFileSync(path.join(folder, "src", "store.ts"), "");
	const id = AgentId.parse("A".repeat(22));
	// biome-ignore lint/suspicious/noExplicitAny: only what completion reads
	const agent: any = { id, handle: "helper", label: "idle", workspace: { path: folder } };
	const offered = async (text: string) =>
		(await completed(text, { agents: new Map([[id, agent]]) }, id))?.items.map(({ value }) => value) ?? null;
	expect(await offered("/fo")).toEqual(["/fork", "/follow"]);
	expect(await offered("/kill he")).toEqual(["helper"]);
	expect(await offered("/kill helper --ca")).toEqual(["--cascade"]);
	expect(await offered("look at @stor")).toEqual(["@src/store.ts"]);
	expect(await offered("/kill helper --cascade")).toBeNull();
	expect(await offered("/kill helper")).toBeNull();
	expect(await offered("plain words")).toBeNull();
});
