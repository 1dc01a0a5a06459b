import { expect, test } from "vitest";
import { AgentId } from "#contract/ids.ts";
import { Idle } from "./idle.ts";

const id = (letter: string): AgentId => AgentId.parse(letter.repeat(22));

test("the ones that are idle longest are ended, by number and by memory; who is taken is not", () => {
	const ended: string[] = [];
	const idle = new Idle({ idleProcessMs: 60_000, countMax: 3, bytesMax: 100 }, (agent) =>
		ended.push(agent.slice(0, 1)),
	);
	for (const letter of ["a", "b", "c"]) idle.put(id(letter), 10);
	expect(ended).toEqual([]);
	// it had a turn, and is the one that was at work last
	idle.take(id("a"));
	idle.put(id("a"), 10);
	idle.put(id("d"), 10);
	expect(ended).toEqual(["b"]);
	idle.take(id("c"));
	idle.put(id("e"), 85);
	expect(ended).toEqual(["b", "a"]);
	idle.put(id("f"), 101);
	expect(ended).toEqual(["b", "a", "d", "e", "f"]);
	for (const letter of ["g", "h", "i"]) idle.put(id(letter), 1);
	expect(ended).toHaveLength(5);
});
