// given(what happened).when(a decision is asked for).gives(what follows): the sentence of every decider's test.
import { expect } from "vitest";
import type { AgentEvent, AgentState } from "#contract/agent.ts";
import type { NewEvent } from "#contract/event.ts";
import { Actor, AgentId, Handle, human } from "#contract/ids.ts";
import { isRefusal, type RefusalCode } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import { fold } from "#domain/fold/fold.ts";
import { noRows } from "#views/rows.ts";

/** Ids that read well: `id("a")` is "aaaaaaaaaaaaaaaaaaaaaa". */
export const id = (letter: string): AgentId => AgentId.parse(letter.repeat(22));
export const actor = (letter: string): Actor => Actor.parse(`agent:${id(letter)}`);

export function agent(
	letter: string,
	events: readonly AgentEvent[] = [],
	supervisor: AgentId | null = id("0"),
): AgentState {
	const spawned: AgentEvent = {
		kind: "agent.spawned",
		data: {
			handle: Handle.parse(letter),
			name: null,
			project: null,
			type: "scripted",
			model: null,
			program: null,
			subscription: null,
			policy: "ask",
			lineage: null,
			supervisor,
			settings: null,
			workspace: null,
			workspacePlan: null,
			budget: null,
		},
	};
	const rows = noRows();
	for (const event of [spawned, ...events])
		fold({ ...event, id: 1, agent: id(letter), actor: human, at: 1 }, rows, () => {});
	const state = rows.agent.get(id(letter));
	if (state === undefined) throw new Error("an agent without events");
	return state;
}

export const live = (letter: string, events: readonly AgentEvent[] = []): AgentState =>
	agent(letter, [{ kind: "agent.provisioned" }, ...events]);

export function given(...events: AgentEvent[]) {
	const state = live("a", events);
	return {
		when(decide: (state: AgentState) => Decision) {
			const decision = decide(state);
			return {
				gives(...expected: NewEvent[]) {
					expect(decision).toEqual(expected);
				},
				refuses(code: RefusalCode, more: object = {}) {
					expect(isRefusal(decision) ? decision : { accepted: decision }).toMatchObject({ code, ...more });
				},
			};
		},
	};
}
