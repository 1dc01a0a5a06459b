import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { rangesOf } from "./ranges.ts";

const id = (name: string): AgentId => AgentId.parse(name.padEnd(22, "0"));
const lineages = new Map([
	[id("child"), { agent: id("root"), forkPoint: 200 }],
	[id("early"), { agent: id("child"), forkPoint: 100 }],
	[id("late"), { agent: id("child"), forkPoint: 300 }],
]);
const ranges = (agent: string) => rangesOf(id(agent), (of) => lineages.get(of) ?? null).map(({ upTo }) => upTo);

test("a fork from an inherited item inherits nothing that its ancestors said after that item", () => {
	expect(ranges("root")).toEqual([Number.POSITIVE_INFINITY]);
	expect(ranges("late")).toEqual([Number.POSITIVE_INFINITY, 300, 200]);
	expect(ranges("early")).toEqual([Number.POSITIVE_INFINITY, 100, 100]);
});
