// given(what happened).when(a decision is asked for).gives(what follows): the sentence of every decider's test.
import { expect } from "vitest";
import type { AgentFact, AgentState } from "#contract/agent.ts";
import type { Fact } from "#contract/event.ts";
import { Actor, AgentId, Handle, human } from "#contract/ids.ts";
import { isRefusal, type RefusalCode } from "#contract/refusal.ts";
import { evolveAgent } from "#domain/agent/evolve.ts";
import type { Decision } from "#domain/decision.ts";

/** Ids that read well: `id("a")` is "aaaaaaaaaaaaaaaaaaaaaa". */
export const id = (letter: string): AgentId => AgentId.parse(letter.repeat(22));
export const actor = (letter: string): Actor => Actor.parse(`agent:${id(letter)}`);

export function agent(letter: string, facts: readonly AgentFact[] = [], supervisor: AgentId | null = id("0")): AgentState {
	const spawned: AgentFact = {
		kind: "agent.spawned",
		data: {
			handle: Handle.parse(letter),
			name: null,
			project: null,
			type: "scripted",
			model: null,
			command: null,
			subscription: null,
			policy: "ask",
			lineage: null,
			supervisor,
			settings: null,
			workspace: null,
			plan: null,
			budget: null,
		},
	};
	let state: AgentState | undefined;
	for (const fact of [spawned, ...facts]) state = evolveAgent(state, { ...fact, id: 1, agent: id(letter), actor: human, at: 1 });
	if (state === undefined) throw new Error("an agent without facts");
	return state;
}

export const live = (letter: string, facts: readonly AgentFact[] = []): AgentState => agent(letter, [{ kind: "agent.provisioned" }, ...facts]);

export function given(...facts: AgentFact[]) {
	const state = live("a", facts);
	return {
		when(decide: (state: AgentState) => Decision) {
			const decision = decide(state);
			return {
				gives(...expected: Fact[]) {
					expect(decision).toEqual(expected);
				},
				refuses(code: RefusalCode, more: object = {}) {
					expect(isRefusal(decision) ? decision : { accepted: decision }).toMatchObject({ code, ...more });
				},
			};
		},
	};
}
