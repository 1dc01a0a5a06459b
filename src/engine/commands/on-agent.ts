// Commands about one agent: its row is given to the decider, and is the answer.
import type { z } from "zod";
import { type AgentState, noAgent } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { Decision } from "#domain/decision.ts";
import { type Common, type Definition, defineCommand, type SchemaOf } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

type AgentSchema = SchemaOf<{ agent: AgentId }>;

interface WithoutLoad<S extends AgentSchema> extends Common<S> {
	/** the agent if absent */
	subject?: "the event";
	decide: (agent: AgentState, command: z.output<S>, nothing: null, envelope: Envelope) => Decision;
}

interface WithLoad<S extends AgentSchema, L> extends Omit<WithoutLoad<S>, "decide"> {
	/** what the decider needs beside the agent */
	load: (work: UnitOfWork, command: z.output<S>, known: { agent: AgentState; limits: Limits }) => L | Promise<L>;
	decide: (agent: AgentState, command: z.output<S>, loaded: L, envelope: Envelope) => Decision;
}

export function onAgent<S extends AgentSchema, L>(parts: WithLoad<S, L>): Definition<z.output<S>["type"]>;
export function onAgent<S extends AgentSchema>(parts: WithoutLoad<S>): Definition<z.output<S>["type"]>;
export function onAgent<S extends AgentSchema, L>(
	parts: WithoutLoad<S> | WithLoad<S, L>,
): Definition<z.output<S>["type"]> {
	if (!("load" in parts)) return onAgent({ ...parts, load: () => null });
	const { load, decide, ...rest } = parts;
	return defineCommand<S, { agent: AgentState; loaded: L }>({
		subject: (_, command) => ({ agent: command.agent }),
		...rest,
		load: async (work, command, limits) => {
			const agent = await work.agent(command.agent);
			return agent === undefined
				? noAgent(command.agent)
				: { agent, loaded: await load(work, command, { agent, limits }) };
		},
		decide: ({ agent, loaded }, command, envelope) => decide(agent, command, loaded, envelope),
	});
}
