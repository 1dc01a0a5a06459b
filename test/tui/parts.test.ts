// The small pure parts of the terminal.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { Refused } from "#client/client.ts";
import { AgentId, system } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import { Turn } from "#contract/wire.ts";
import { freshFolder } from "#test/support/stores.ts";
import { idOf, madeUp, moment, terminalFrames } from "#tools/terminal-frames.ts";
import { Blocks } from "#views/conversation.ts";
import { treeOf } from "#views/overviews.ts";
import { completed } from "../../src/surfaces/tui/complete.ts";
import { filesOf } from "../../src/surfaces/tui/diff.ts";
import { commandRows, keyRows } from "../../src/surfaces/tui/help.ts";
import { actionOf, fittingHints, inputKeys, keymap, keyName } from "../../src/surfaces/tui/keymap.ts";
import { firstState, type PickerFilter, type Seen } from "../../src/surfaces/tui/model.ts";
import { panelRows } from "../../src/surfaces/tui/panels.ts";
import { clipped, filled, widthOf } from "../../src/surfaces/tui/pi/text.ts";
import { refusalText } from "../../src/surfaces/tui/requests.ts";
import { finishedLength, runningRows } from "../../src/surfaces/tui/running.ts";
import { screenRows } from "../../src/surfaces/tui/screen.ts";
import { separatorRow } from "../../src/surfaces/tui/separator.ts";
import { slashOf } from "../../src/surfaces/tui/slash-commands.ts";
import { statusRows } from "../../src/surfaces/tui/status.ts";
import { treePanel } from "../../src/surfaces/tui/update.ts";
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
	expect(filesOf(patch).map(({ path, added, deleted, note }) => [path, added, deleted, note])).toEqual([
		["src/a.ts", 2, 1, undefined],
		["logo.png", null, null, undefined],
		["gone.txt", 0, 1, "deleted"],
	]);
});

describe("the keymap", () => {
	test("gives a key one meaning in each mode", () => {
		for (const [mode, entries] of Object.entries(keymap)) {
			const keys = entries.flatMap((entry) => entry.keys);
			expect({ mode, twice: keys.filter((key, at) => keys.indexOf(key) !== at) }).toEqual({ mode, twice: [] });
		}
		expect(actionOf("conversation", "ctrl+t")).toBe("tree");
		expect(actionOf("conversation", "t")).toBeNull();
	});

	test("lists the keys of the input, which the editor has and the conversation does not take", () => {
		const keys = inputKeys.flatMap((entry) => entry.keys);
		const known = Object.values(TUI_KEYBINDINGS).flatMap(({ defaultKeys }) => defaultKeys);
		// the editor takes Alt+Enter without naming it
		expect(keys.filter((key) => !known.some((each) => each === key))).toEqual(["alt+enter"]);
		expect(keys.filter((key) => actionOf("conversation", key) !== null)).toEqual([]);
		expect(keyRows({ width: 100, colour: false }).join("\n")).toMatch(/In the input\n +Enter +send the prompt/);
	});

	test("names keys as people write them", () => {
		expect(["ctrl+t", "ctrl+up", "pageUp", "f1", "alt+y", "shift+g", "y"].map(keyName)).toEqual([
			...["Ctrl+T", "Ctrl+↑", "PgUp", "F1", "Alt+Y", "Shift+G", "y"],
		]);
	});
});

test("a fork waits for tools only while a turn runs, and an agent whose prompt waits is in error", () => {
	const seen = moment([]);
	const found = slashOf("/fork");
	const waits = found instanceof Error ? undefined : found.command.waits;
	const agents = ["B", "E"].flatMap((letter) => seen.agents.get(idOf(letter)) ?? []);
	expect(agents.map((agent) => (typeof waits === "function" ? waits(agent) : waits))).toEqual([
		...["Waiting for tools to complete …", "Forking …"],
	]);
	const held = { kind: "error", reason: "no disk", at: new Date(seen.now).toISOString(), by: system };
	const fields = { handle: "held", label: "error", holds: [held], waitingFor: "a hold", queueLength: 1 };
	const agent = madeUp("E", fields);
	const look = { width: 100, height: 12, colour: false, input: ["> "], typed: "" };
	const rows = screenRows(firstState(agent.id), { ...seen, agents: new Map([[agent.id, agent]]) }, look);
	expect(rows.join("\n")).toContain("the agent is in error (no disk); ");
});

test("in sixty columns the queue and the unread mail are still counted", () => {
	const row = terminalFrames()["narrow"]?.find((each) => each.includes("[opus-1"));
	expect(row).toBe("↑init ←opus-2 [opus-1 ● running] →opus-2 ↓2   2⧗  1✉");
});

test("the reason of an error takes the room that is free, and while a prompt is edited Enter saves it", () => {
	const seen = moment([]);
	const reason = "the disk is full, and nothing can be written to it";
	const held = { kind: "error", reason, at: new Date(seen.now).toISOString(), by: system };
	const agent = madeUp("E", { handle: "held", label: "error", holds: [held] });
	const agents = new Map([[agent.id, agent]]);
	const row = (width: number): string =>
		separatorRow(firstState(agent.id), { ...seen, agents }, { width, colour: false });
	expect(row(100)).toContain(`[held ✗ error (${reason})]`);
	expect([widthOf(row(60)), /error \(the disk is full.*…\]/.test(row(60))]).toEqual([60, true]);
	const editing = { ...firstState(agent.id), editing: new Map([[agent.id, 1]]) };
	const look = { width: 100, height: 12, colour: false, typed: "" };
	const queue = () => JSON.parse(JSON.stringify([{ id: 1 }]));
	const hints = ["  Enter save · Alt+Enter line · Esc leave it as it was"];
	expect(statusRows(editing, { ...seen, queue }, look)).toEqual(hints);
	// control: the prompt has begun meanwhile
	expect(statusRows(editing, seen, look).join()).toContain("The prompt has left the queue");
});

test("times are those of the local clock, and a narrow window keeps the siblings rather than the reason", () => {
	const seen = moment([]);
	const clock = (at: Date): string => at.toTimeString().slice(0, 5);
	const [soon, later] = [60_000, 3 * 86_400_000].map((ms) => new Date(seen.now + ms));
	if (soon === undefined || later === undefined) throw new Error("two times");
	const rows = (until: Date, width: number): string => {
		const held = { kind: "limit", reason: `a usage limit, until ${until.toISOString()}`, by: system };
		const fields = { handle: "opus-1", label: "paused", holds: [{ ...held, at: soon.toISOString() }] };
		const agents = new Map(seen.agents).set(idOf("B"), madeUp("B", fields));
		return separatorRow(firstState(idOf("B")), { ...seen, agents }, { width, colour: false });
	};
	expect(rows(soon, 120)).toContain(`[opus-1 ‖ paused (a usage limit, until ${clock(soon)})]`);
	expect(rows(later, 120)).toContain(`[opus-1 ‖ paused (a usage limit, until 8 Jan, ${clock(later)})]`);
	expect(rows(soon, 45).trimEnd()).toBe("↑init ←opus-2 [opus-1 ‖ paused] →opus-2 ↓2");
});

test("the subscription whose slot a running turn has is named, whether it is the agent's own or not", () => {
	const seen = moment([]);
	const row = (turns: Seen["turns"]): string =>
		separatorRow(firstState(idOf("D")), { ...seen, turns }, { width: 100, colour: false });
	expect(row(() => [])).not.toContain("claude-max");
	const open = Turn.partial().parse({ id: 1, subscription: "claude-max" });
	expect(row(() => JSON.parse(JSON.stringify([open])))).toContain("claude-max 2/3");
});

test("the tree marks the current agent also where its long name is cut, and indents each level", () => {
	const letters = ["A", "B", "C", "D", "E", "F", "G"];
	const agents = letters.map((letter, at) =>
		madeUp(letter, {
			handle: `${letter.toLowerCase()}${"-long".repeat(9)}`,
			supervisor: at === 0 ? null : idOf(letters[at - 1] ?? ""),
		}),
	);
	const state = firstState(idOf("G"));
	const seen = { ...moment([]), tree: treeOf(agents), agents: new Map(agents.map((agent) => [agent.id, agent])) };
	for (const width of [40, 60, 120]) {
		const rows = panelRows(state, treePanel(state, seen, "all"), seen, { width, height: 20, colour: false });
		const named = rows.filter((row) => row.includes("-long"));
		expect(named.filter((row) => row.includes("←"))).toEqual([expect.stringMatching(/ g-long[^←]*… ←/)]);
		const indents = named.map((row) => row.search(/○/));
		expect(new Set(indents).size).toBe(letters.length);
	}
});

test("a search in the tree that finds nothing says under which filter", () => {
	const state = firstState(idOf("B"));
	const seen = moment([]);
	const none = (filter: PickerFilter): string => {
		const panel = { kind: "tree" as const, at: 0, filter, words: "zzzz", collapsed: new Set<AgentId>() };
		return panelRows(state, panel, seen, { width: 100, height: 6, colour: false })[1]?.replaceAll("│", "").trim() ?? "";
	};
	expect(none("needs you")).toBe('no agent has such a name under "needs you"; Tab shows others');
	expect(none("everywhere")).toBe("no agent has such a name");
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
	writeFileSync(path.join(folder, ".git"), "");
	const id = AgentId.parse("A".repeat(22));
	// biome-ignore lint/suspicious/noExplicitAny: only what completion reads
	const agent: any = { id, handle: "helper", label: "idle", workspace: { path: folder } };
	const offered = async (text: string) =>
		(await completed(text, { agents: new Map([[id, agent]]) }, id))?.items.map(({ value }) => value) ?? null;
	expect(await offered("/fo")).toEqual(["/fork", "/follow"]);
	expect(await offered("/kill he")).toEqual(["helper"]);
	expect(await offered("/kill helper --ca")).toEqual(["--cascade"]);
	expect(await offered("look at @stor")).toEqual(["@src/store.ts"]);
	expect(await offered("look at @git")).toEqual([]);
	expect(await offered("/kill helper --cascade")).toBeNull();
	expect(await offered("/kill helper")).toBeNull();
	expect(await offered("plain words")).toBeNull();
	// only where the command takes an agent: Enter would put one into a text or an option's value
	expect(await offered("/send he")).toEqual(["helper"]);
	expect(await offered("/send other he")).toBeNull();
	expect(await offered("/wait other he")).toEqual(["helper"]);
	expect(await offered("/wait other --timeout 1")).toBeNull();
});

test("of many files all are offered, except those in folders that a .gitignore leaves out; a limit is said", async () => {
	const folder = freshFolder();
	for (const name of ["src/deep", "build/out", "src/build", "src/gen", "web/out", "out", "tmp-1", "keep/tmp-2"])
		mkdirSync(path.join(folder, name), { recursive: true });
	for (const name of ["src/deep", "build/out", "src/build", "src/gen", "web/out", "out", "tmp-1", "keep/tmp-2"])
		writeFileSync(path.join(folder, name, "zz"), "");
	writeFileSync(path.join(folder, ".gitignore"), "# made\nbuild/\n/out\nsrc/gen\ntmp-*\n[a-\n");
	writeFileSync(path.join(folder, "keep", ".gitignore"), "!tmp-2\n");
	for (let at = 0; at < 60; at++) {
		mkdirSync(path.join(folder, `many_${at}`));
		for (let file = 0; file < 350; file++) writeFileSync(path.join(folder, `many_${at}`, `file_${at}_${file}`), "");
	}
	const id = AgentId.parse("A".repeat(22));
	// biome-ignore lint/suspicious/noExplicitAny: only what completion reads
	const agent: any = { id, handle: "helper", label: "idle", workspace: { path: folder } };
	const offered = async (text: string) => await completed(text, { agents: new Map([[id, agent]]) }, id);
	const found = await offered("@zz");
	expect(found?.items.map(({ value }) => value).toSorted()).toEqual(["@keep/tmp-2/zz", "@src/deep/zz", "@web/out/zz"]);
	expect(found?.note).toBe("");
	expect((await offered("@file_59_349"))?.items).toEqual([{ value: "@many_59/file_59_349", hint: "" }]);
});

test("a text that is cut off has no colours that it did not have", () => {
	for (const text of ["plain and too long", "日本語 is too long as well"]) {
		expect(clipped(text, 8)).not.toContain("\u001B");
		expect(filled(text, 8)).not.toContain("\u001B");
		expect(widthOf(filled(text, 8))).toBe(8);
	}
	// control: a coloured text keeps its colours
	expect(clipped("\u001B[31mred and too long\u001B[0m", 8)).toContain("\u001B[31m");
});

test("a command with an unknown option or a word too many is refused and says how it is written", () => {
	const refused = (line: string): string | null => {
		const found = slashOf(line);
		return found instanceof Error ? found.message : null;
	};
	expect(refused("/kill one --force")).toBe("unknown option '--force'. Write it like this: /kill [AGENT] [--cascade]");
	expect(refused("/clear everything")).toBe("too many words: everything. Write it like this: /clear");
	expect(refused("/fork --name")).toMatch(/^option --name needs a value\./);
	expect(refused('/fork "not closed')).toMatch(/^a quote is not closed\./);
	expect(refused("/send one 'not closed")).toMatch(/^a quote is not closed\./);
	expect(refused("/nothing")).toBe("There is no command /nothing.");
	for (const line of [
		"/kill one --cascade",
		"/send one two three",
		'/fork "--not an option"',
		"/commit -m it's a message",
	])
		expect(refused(line)).toBeNull();
});

test("a refusal is shown with its suggestions and files, as on the command line", () => {
	const more = { details: { status: ["?? big.txt"] }, suggestions: ["brood diff one", "brood commit one"] };
	const text = refusalText(new Refused(refuse("WORKTREE_DIRTY", "one has uncommitted changes.", more)));
	const status = { text, style: "bad" as const };
	const look = { width: 100, height: 12, colour: false, typed: "" };
	expect(statusRows({ ...firstState(idOf("B")), status }, moment([]), look)).toEqual([
		"  WORKTREE_DIRTY: one has uncommitted changes.  try: brood diff one  try: brood commit one",
		"    ?? big.txt",
	]);
});

test("a refusal that is longer than its part of the screen says how many lines more there are", () => {
	const refusalOf = (changes: number) => {
		const status = Array.from({ length: Math.min(20, changes) }, (_, at) => `?? file${at}.txt`);
		return refuse("WORKTREE_DIRTY", "one has uncommitted changes.", { details: { status, changes }, suggestions: [] });
	};
	const shown = (changes: number, height: number): string[] => {
		const status = { text: refusalText(new Refused(refusalOf(changes))), style: "bad" as const };
		const look = { width: 100, height, colour: false, typed: "" };
		return statusRows({ ...firstState(idOf("B")), status }, moment([]), look);
	};
	const first = ["  WORKTREE_DIRTY: one has uncommitted changes.", "    ?? file0.txt"];
	expect(shown(12, 12)).toEqual([...first, "    ?? file1.txt", "    and 10 more"]);
	expect(shown(300, 12)).toEqual([...first, "    ?? file1.txt", "    and 298 more"]);
	expect(shown(300, 90).at(-1)).toBe("    and 280 more");
	// control: all of them fit
	expect(shown(3, 12)).toEqual([...first, "    ?? file1.txt", "    ?? file2.txt"]);
	const long = { text: "many words ".repeat(60), style: "bad" as const };
	const look = { width: 60, height: 12, colour: false, typed: "" };
	const rows = statusRows({ ...firstState(idOf("B")), status: long }, moment([]), look);
	expect([rows.length, rows.at(-1)]).toEqual([4, "  …"]);
});

test("help is whole at every width", () => {
	const words = (rows: readonly string[]): string => rows.join(" ").replaceAll(/\s+/g, " ");
	for (const rowsOf of [keyRows, commandRows]) {
		const wide = words(rowsOf({ width: 240, colour: false }));
		expect(wide.length).toBeGreaterThan(1000);
		for (const width of [36, 56, 96]) {
			const rows = rowsOf({ width, colour: false });
			expect(words(rows)).toBe(wide);
			expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(width);
		}
	}
	expect(fittingHints(["Enter send", "Ctrl+T tree", "F1 keys"], 22)).toBe("Enter send · F1 keys");
	expect(fittingHints(["Enter send", "Ctrl+T tree", "F1 keys"], 80)).toBe("Enter send · Ctrl+T tree · F1 keys");
});

test("a growing message is laid out as a whole one is, and only its unfinished part again", () => {
	const text =
		"# Title\n\nOne **two** three.\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nThe end, - not a list.\n\n- a\n- b\n";
	expect(text.slice(0, finishedLength(text))).toMatch(/```\n\n$/);
	expect(finishedLength("```\n\ncode\n")).toBe(0);
	expect(finishedLength("- a\n\n- b\n")).toBe(0);
	const look = { width: 60, colour: false };
	const delta = { agent: AgentId.parse("A".repeat(22)), turn: 1, part: "m", kind: "assistant", text: "" } as const;
	for (let length = 1; length <= text.length; length++) {
		const grown = runningRows({ ...delta, text: text.slice(0, length) }, look);
		expect(grown).toEqual(runningRows({ ...delta, part: `once ${length}`, text: text.slice(0, length) }, look));
	}
	expect(runningRows({ ...delta, text }, look).join("\n")).toMatch(/const b = 2;[\s\S]+The end/);
});
