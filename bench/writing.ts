// What the benches write: items, and whole commands with receipts, by many writers with an agent of their own each.
import { randomUUID } from "node:crypto";
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, human, IdempotencyKey, system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import type { CommandRequest } from "#engine/ports/dispatch.ts";

export const text = "A sentence of an agent that explains what it is about to do next. ".repeat(8).slice(0, 500);

export type Kind = "items" | "whole commands";

export async function makeAgents(engine: Engine, count: number, name = "a"): Promise<AgentState[]> {
	const spawn = async (at: number): Promise<AgentState> => {
		const outcome = await engine.dispatch({
			actor: human,
			key: null,
			command: { type: "agent.spawn", parent: engine.agentZero.id, context: "fresh", name: `${name}-${at}` },
		});
		if ("refused" in outcome || outcome.done.agent === undefined) throw new Error(JSON.stringify(outcome));
		return outcome.done.agent;
	};
	return await Promise.all(Array.from({ length: count }, (_, at) => spawn(at)));
}

export async function perSecond(
	engine: Engine,
	kind: Kind,
	agents: readonly AgentState[],
	total: number,
): Promise<number> {
	let left = total;
	const start = performance.now();
	await Promise.all(
		agents.map(async ({ id }) => {
			for (let held = false; left-- > 0; held = !held) {
				const outcome = await engine.dispatch(kind === "items" ? item(id) : command(id, held));
				if ("refused" in outcome) throw new Error(outcome.refused.message);
			}
		}),
	);
	return (total / (performance.now() - start)) * 1000;
}

const item = (agent: AgentId): CommandRequest => ({
	actor: system,
	key: null,
	command: { type: "item.append", agent, kind: "assistant", text },
});
const command = (agent: AgentId, held: boolean): CommandRequest => ({
	actor: human,
	key: IdempotencyKey.parse(randomUUID()),
	command: { type: held ? "agent.resume" : "agent.pause", agent },
});
