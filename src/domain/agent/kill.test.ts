import { describe, expect, test } from "vitest";
import { human } from "#contract/ids.ts";
import { actor, agent, id, live } from "#test/support/given.ts";
import { decideKill, type KillFacts } from "./kill.ts";

const kill = (cascade = false) => ({ type: "agent.kill", agent: id("b"), cascade, reason: "" }) as const;
const facts = (more: Partial<KillFacts> = {}): KillFacts => ({
	openWork: new Map(),
	givers: new Map(),
	target: live("b"),
	children: [],
	descendants: [],
	above: [id("a"), id("0")],
	aboveCaller: [],
	...more,
});
const ended = (letter: string, by: string) => [
	{ kind: "killed", agent: id(letter), text: `Killed by ${by}.` },
	{ kind: "agent.ended", agent: id(letter), data: { reason: "killed" } },
];

describe("kill", () => {
	test("ends the agent", () => expect(decideKill(facts(), kill(), { actor: human })).toEqual(ended("b", "human")));
	test("hands the children to the agent's own supervisor", () => {
		const children = [agent("c", [], id("b")), agent("d", [], id("b"))];
		expect(decideKill(facts({ children }), kill(), { actor: human })).toEqual([
			{ kind: "agent.supervised", agent: id("c"), data: { supervisor: id("0") } },
			{ kind: "agent.supervised", agent: id("d"), data: { supervisor: id("0") } },
			...ended("b", "human"),
		]);
	});
	test("with a cascade ends all below it, children first", () => {
		const descendants = [agent("d", [], id("c")), agent("c", [], id("b"))];
		expect(decideKill(facts({ descendants }), kill(true), { actor: human })).toEqual([
			...ended("d", "human"),
			...ended("c", "human"),
			...ended("b", "human"),
		]);
	});
	test("twice is ALREADY_DEAD", () => {
		const target = live("b", [{ kind: "agent.ended", data: { reason: "killed" } }]);
		expect(decideKill(facts({ target }), kill(), { actor: human })).toMatchObject({ code: "ALREADY_DEAD" });
	});
	test("of agent 0 is refused, also for a cascade", () => {
		const target = agent("0", [{ kind: "agent.provisioned" }], null);
		for (const cascade of [false, true])
			expect(decideKill(facts({ target, above: [] }), kill(cascade), { actor: human })).toMatchObject({
				code: "CANNOT_KILL_ROOT",
			});
	});
});

describe("an agent kills", () => {
	test("itself", () => expect(decideKill(facts(), kill(), { actor: actor("b") })).toEqual(ended("b", actor("b"))));
	test("what is below it", () =>
		expect(decideKill(facts(), kill(), { actor: actor("a") })).toEqual(ended("b", actor("a"))));
	test("nothing above it", () => {
		expect(decideKill(facts({ aboveCaller: [id("b"), id("a")] }), kill(), { actor: actor("c") })).toMatchObject({
			code: "CANNOT_KILL_ANCESTOR",
		});
	});
	test("nothing beside it", () =>
		expect(decideKill(facts(), kill(), { actor: actor("x") })).toMatchObject({ code: "FORBIDDEN" }));
});
