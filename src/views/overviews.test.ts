import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { live } from "#test/support/given.ts";
import { treeOf } from "./overviews.ts";
import { agentView } from "./wire.ts";

const shown = agentView(live("a"), { queueLength: 0, unreadMail: 0, phase: "model" });
const idOf = (at: number): AgentId => AgentId.parse(String(at).padStart(22, "0"));
const below = (at: number, supervisor: number | null): Agent => ({
	...shown,
	id: idOf(at),
	supervisor: supervisor === null ? null : idOf(supervisor),
});
const drawn = (agents: Agent[]) => treeOf(agents).map(({ depth, agent }) => `${depth}:${Number(agent.id)}`);

test("each agent comes before those below it, in the order in which they are given", () => {
	const agents = [below(0, null), below(1, 0), below(2, 0), below(3, 1), below(4, 2), below(5, 1), below(6, 9)];
	expect(drawn(agents)).toEqual(["0:0", "1:1", "2:3", "2:5", "1:2", "2:4", "0:6"]);
});

test("a chain of 50,000 agents is a tree like any other", () => {
	const chain = Array.from({ length: 50_000 }, (_, at) => below(at, at === 0 ? null : at - 1));
	const rows = treeOf(chain);
	expect([rows.length, rows.at(-1)?.depth]).toEqual([50_000, 49_999]);
});
