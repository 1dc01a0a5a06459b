// Keys in the lists over the conversation.
import { expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { Mail } from "#contract/wire.ts";
import { terminalKey } from "#test/support/terminal-key.ts";
import { idOf, moment } from "#tools/terminal-frames.ts";
import { firstState, type Panel } from "../../src/surfaces/tui/model.ts";
import { panelRows } from "../../src/surfaces/tui/panels.ts";
import { clicked, type Target, targetAt } from "../../src/surfaces/tui/pointing.ts";
import { treePanel, update } from "../../src/surfaces/tui/update.ts";
import { welcomeRows } from "../../src/surfaces/tui/welcome.ts";

test("Enter in the mail shows it whole and asks nothing of the daemon: the agent still gets it", () => {
	const at = new Date(0).toISOString();
	const mail = Mail.partial().parse({ id: 7, from: human, body: "one\ntwo", state: "accepted", sentAt: at });
	const seen = { ...moment([]), mail: () => JSON.parse(JSON.stringify([mail])), now: 5000 };
	const state = { ...firstState(idOf("B")), panel: { kind: "mail" as const, at: 0 } };
	const { state: next, effects } = update(state, terminalKey("enter"), seen);
	expect(next.panel).toMatchObject({ title: "mail 7", lines: ["From human, 5 s ago", "", "one", "two"] });
	expect(effects).toEqual([]);
	// control: deleting it is a request
	expect(update(state, terminalKey("x"), seen).effects).toEqual([{ do: "delete-mail", agent: idOf("B"), mail: 7 }]);
});

test("Ctrl+C closes every list, and goes back from the blocks to the input", () => {
	const seen = moment([]);
	const none = firstState(idOf("B"));
	const after = (state: typeof none) => update(state, terminalKey("ctrl+c"), seen);
	for (const panel of [{ kind: "queue" as const, at: 0 }, treePanel(none, seen, "all")])
		expect(after({ ...none, panel })).toMatchObject({ state: { panel: null }, effects: [] });
	expect(after({ ...none, selected: 7 })).toMatchObject({ state: { selected: null, armed: null }, effects: [] });
	// control: without any of them it asks to leave
	expect(after(none).state.status?.text).toBe("Ctrl+C again leaves. The agents go on.");
});

test("in sixty columns the hints of the diff are whole, and the tree still says what Tab does", () => {
	const seen = moment([]);
	const state = firstState(idOf("B"));
	const source = { route: "diff" as const, agent: idOf("B") };
	const diff = { kind: "diff" as const, at: 0, title: "changes", source, files: [], opened: new Set<number>() };
	const last = (panel: Panel): string | undefined =>
		panelRows(state, panel, seen, { width: 60, height: 8, colour: false }).at(-1);
	expect(last(diff)).toMatch(/^└ Enter open · Space viewed · n\/p file · o all · Esc close ─*┘$/);
	expect(last(treePanel(state, seen, "all"))).toMatch(/^└ type to search · Enter go · Tab filter · Esc close ─+┘$/);
});

test("a turn before a clear is not forked from, and f says why", () => {
	const turn = { id: 1, finalItem: 5, prompt: "x", state: "completed" };
	const after = (clear: number) => ({
		...moment([]),
		turns: () => JSON.parse(JSON.stringify([turn])),
		blocks: () => JSON.parse(JSON.stringify([{ id: clear, kind: "note", text: "context cleared" }])),
	});
	const state = { ...firstState(idOf("B")), panel: { kind: "turns" as const, at: 0 } };
	const { state: next, effects } = update(state, terminalKey("f"), after(6));
	expect([next.status?.text, effects]).toEqual(["The context was cleared after this turn: fork from a later one.", []]);
	// control: one after the clear is
	expect(update(state, terminalKey("f"), after(4)).effects).toEqual([{ do: "draft", text: "/fork --at 5 " }]);
});

test("a turn says how it ended once, and why if that is something else", () => {
	const seen = moment([]);
	const turn = { state: "interrupted", startedAt: new Date(seen.now).toISOString(), commit: null };
	const turns = ["interrupted", "shutdown"].map((reason, id) => ({ ...turn, id, reason }));
	const rows = panelRows(
		firstState(idOf("B")),
		{ kind: "turns", at: 0 },
		{ ...seen, turns: () => JSON.parse(JSON.stringify(turns)) },
		{ width: 60, height: 5, colour: false },
	);
	expect(rows.map((row) => row.match(/interrupted|shutdown/g) ?? [])).toEqual(
		expect.arrayContaining([["interrupted"], ["interrupted", "shutdown"]]),
	);
});

test("in a repository that is no project, the welcome says how it becomes one", () => {
	const text = (isRepository: boolean): string =>
		welcomeRows(
			firstState(idOf("A")),
			{ ...moment([]), project: null, isRepository },
			{ width: 120, colour: false },
		).join("\n");
	expect(text(true)).toContain("`brood project add .` adds it");
	expect(text(false)).toContain("Start brood in a git repository");
});

test("a click takes what is in its row: an agent, an entry of a list, but no edit of a prompt", () => {
	const mail = Mail.partial().parse({
		id: 7,
		from: human,
		body: "words",
		state: "accepted",
		sentAt: new Date(0).toISOString(),
	});
	const listed = (of: unknown[]) => () => JSON.parse(JSON.stringify(of));
	const queue = listed([
		{ id: 1, text: "first", position: 1, from: null, createdBy: human, notBefore: null },
		{ id: 2, text: "second", position: 2, from: null, createdBy: human, notBefore: null },
	]);
	const seen = { ...moment([]), mail: listed([mail]), queue };
	const none = firstState(idOf("B"));
	const look = { width: 100, height: 20, colour: false, input: [], typed: "" };
	const onClick = (panel: Panel, row: number): [Target | null, ReturnType<typeof clicked>] => {
		const state = { ...none, panel };
		const target = targetAt(state, seen, look, { column: 10, row });
		return [target, target && clicked(state, seen, terminalKey("enter"), target)];
	};
	const tree = treePanel(none, seen, "all");
	const row = panelRows({ ...none, panel: tree }, tree, seen, { ...look, height: 15 }).findIndex((each) =>
		each.includes("store"),
	);
	expect(onClick(tree, row)[1]).toMatchObject({
		state: { current: idOf("D"), panel: null },
		effects: [{ do: "show" }],
	});
	expect(onClick({ kind: "mail", at: 0 }, 1)[1]).toMatchObject({ state: { panel: { kind: "text", title: "mail 7" } } });
	expect(onClick({ kind: "queue", at: 0 }, 2)[1]).toMatchObject({
		state: { panel: { kind: "queue", at: 1 } },
		effects: [],
	});
	// the frame, the rows below the list, and what is only read
	expect([0, 3, 19].map((at) => onClick({ kind: "queue", at: 0 }, at))).toEqual([
		[null, null],
		[null, null],
		[null, null],
	]);
	expect(onClick({ kind: "keys", at: 0 }, 2)).toEqual([null, null]);
});
