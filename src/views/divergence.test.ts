import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { divergence } from "./divergence.ts";

const id = (name: string): AgentId => AgentId.parse(name.padEnd(22, "0"));
const lineages: Record<string, [parent: string, forkPoint: number] | null> = {
	root: null,
	a: ["root", 10],
	b: ["root", 20],
	aa: ["a", 30],
	early: ["a", 5],
	fresh: null,
	none: ["root", 0],
};
const agents = new Map(
	Object.entries(lineages).map(([name, from]) => [
		id(name),
		{ id: id(name), lineage: from === null ? null : { agent: id(from[0]), forkPoint: from[1] } },
	]),
);
const where = (one: string, other: string) => divergence(id(one), id(other), (each) => agents.get(each));

test("two forks part where the earlier of them left what both inherited", () => {
	expect(where("a", "b")).toEqual({ agent: id("root"), item: 10 });
	expect(where("aa", "b")).toEqual({ agent: id("root"), item: 10 });
	// forked from an item that its parent had inherited itself
	expect(where("early", "b")).toEqual({ agent: id("root"), item: 5 });
	expect(where("early", "aa")).toEqual({ agent: id("a"), item: 5 });
	expect(where("aa", "a")).toEqual({ agent: id("a"), item: 30 });
});

test("agents that inherited nothing have nothing in common", () => {
	for (const [one, other] of [
		["fresh", "a"],
		["none", "a"],
		["a", "a"],
		["gone", "a"],
	] as const)
		expect([one, where(one, other)]).toEqual([one, null]);
});
