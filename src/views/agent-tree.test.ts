import { expect, test } from "vitest";
import { AgentId, human } from "#contract/ids.ts";
import type { TreeRow } from "#contract/overviews.ts";
import type { Agent } from "#contract/wire.ts";
import { live } from "#test/support/given.ts";
import { agentRows, isHeldUp, type TreeView } from "./agent-tree.ts";
import { treeOf } from "./overviews.ts";
import { agentView } from "./wire.ts";

const none = { queueLength: 0, unreadMail: 0, phase: "model" } as const;

/** `a`, `a/b` and so on; an upper-case name has ended. */
const tree = (...paths: string[]): TreeRow[] =>
	paths.map((path) => {
		const name = path.split("/").at(-1) ?? "";
		const state = live(name.toLowerCase());
		const row = name === name.toLowerCase() ? state : { ...state, life: "ended" as const, endedAt: 1 };
		return { depth: path.split("/").length - 1, agent: agentView(row, none) };
	});

const shown = (rows: readonly TreeRow[], view: Partial<TreeView> = {}): string[] =>
	agentRows(rows, { filter: "all", needing: new Set(), text: "", opened: new Map(), ...view }).map(
		({ agent: { handle }, collapsed }) => handle + (collapsed === 0 ? "" : `+${collapsed}`),
	);

const family = tree("r", "r/a", "r/a/B", "r/a/B/C", "r/D", "r/D/E", "r/D/F", "r/x", "r/x/y");

test("branches in which nothing lives are closed, all others are open", () => {
	expect(shown(family)).toEqual(["r", "a+2", "d+2", "x", "y"]);
});

test("a person opens and closes branches", () => {
	const id = (name: string): AgentId =>
		family.find(({ agent: each }) => each.handle === name)?.agent.id ?? AgentId.parse("");
	expect(
		shown(family, {
			opened: new Map([
				[id("d"), true],
				[id("x"), false],
			]),
		}),
	).toEqual(["r", "a+2", "d", "e", "f", "x+1"]);
	expect(shown(family, { opened: new Map([[id("r"), false]]) })).toEqual(["r+8"]);
});

test("a filter keeps what is above a match, and a search opens everything", () => {
	expect(shown(family, { filter: "living" })).toEqual(["r", "a", "x", "y"]);
	expect(shown(family, { text: "c" })).toEqual(["r", "a", "b", "c"]);
	expect(shown(family, { filter: "needs you" })).toEqual([]);
	const needing = new Set(family.flatMap(({ agent: { id, handle } }) => (handle === "y" ? [id] : [])));
	expect(shown(family, { filter: "needs you", needing })).toEqual(["r", "x", "y"]);
	expect(shown(family, { text: "nobody" })).toEqual([]);
});

test("10,000 agents in one chain are collapsed without running out of stack", () => {
	const one = agentView(live("a"), none);
	const chain = Array.from({ length: 10_000 }, (_, depth): TreeRow => ({ depth, agent: one }));
	expect(shown(chain)).toHaveLength(10_000);
});

test("a chain of forks may be as long as there are agents", () => {
	const one = agentView(live("a"), none);
	const ids = Array.from({ length: 12_000 }, (_, at) => AgentId.parse(`chain-${String(at).padStart(16, "0")}`));
	const chain = ids.map((id, at): Agent => ({ ...one, id, supervisor: ids[at - 1] ?? null }));
	// in any order: an agent may have a supervisor that is younger
	const rows = treeOf(chain.toReversed());
	expect(rows.map(({ depth }) => depth)).toEqual(chain.map((_, at) => at));
	expect(shown(rows)).toHaveLength(chain.length);
	expect(shown(rows, { opened: new Map([[chain[1]?.id ?? expect.unreachable(), false]]) })).toEqual(["a", "a+11998"]);
});

test("a hold or a wait holds an agent up, and not while its turn still runs", () => {
	const idle = agentView(live("a"), none);
	const at = "2026-01-01T00:00:00Z";
	const held: Agent = { ...idle, holds: [{ kind: "user", reason: "", by: human, at }] };
	const turn = { id: 1, startedAt: at, phase: "model" as const, silentSince: null };
	const waits: Agent = { ...idle, waitingFor: "a slot" };
	expect([idle, held, waits, { ...held, turn }].map(isHeldUp)).toEqual([false, true, true, false]);
});
