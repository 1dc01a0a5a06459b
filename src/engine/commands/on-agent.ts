// Commands about one agent: its row is locked, its decider sees it, and it is the answer.
import type { z } from "zod";
import type { AgentState } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import type { Work } from "../work.ts";
import { type Common, type Definition, defineCommand, type Parts, type SchemaOf } from "./define.ts";
import { ofAgent } from "./locks.ts";

type AgentSchema = SchemaOf<{ agent: AgentId }>;

interface AgentParts<S extends AgentSchema, L> extends Common<S> {
	/** the agent's own row if absent */
	locks?: Parts<S, object>["locks"];
	/** what the decider must see beside the agent */
	load: (work: Work, command: z.output<S>, known: { agent: AgentState; limits: Limits }) => L | Promise<L>;
	decide: (agent: AgentState, command: z.output<S>, loaded: L, envelope: Envelope) => Decision;
	/** the agent if absent */
	subject?: "the event";
}

export function onAgent<S extends AgentSchema, L>({ load, decide, ...parts }: AgentParts<S, L>): Definition<z.output<S>["type"]> {
	return defineCommand<S, { agent: AgentState; beside: L }>({
		locks: ofAgent,
		subject: (_, command) => ({ agent: command.agent }),
		...parts,
		load: async (work, command, limits) => {
			const agent = await work.agent(command.agent);
			return agent === undefined ? noAgent(command.agent) : { agent, beside: await load(work, command, { agent, limits }) };
		},
		decide: ({ agent, beside }, command, envelope) => decide(agent, command, beside, envelope),
	});
}

/** The agent is all that the decider has to see. */
export const nothingElse = (): null => null;

export const noAgent = (id: AgentId): Refusal => refuse("AGENT_NOT_FOUND", `There is no agent ${id}.`, { suggestions: ["brood agent list"] });
