// Short sentences for tests: say something to the engine and get the noun, or the refusal, back.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { AgentState } from "#contract/agent.ts";
import { type Actor, type AgentId, human, IdempotencyKey, system } from "#contract/ids.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { Answer, CommandRequest, Outcome } from "#engine/ports/dispatch.ts";
import type { Reads } from "#engine/ports/store.ts";

export interface Speaker {
	/** tests also say what the contract does not know */
	dispatch(request: Omit<CommandRequest, "command"> & { command: unknown }): Promise<Outcome>;
}

interface How {
	as?: Actor;
	key?: string | null;
}

export async function say(
	to: Speaker,
	command: object,
	{ as = human, key = randomUUID() }: How = {},
): Promise<Outcome> {
	return await to.dispatch({ actor: as, key: key === null ? null : IdempotencyKey.parse(key), command });
}

export async function done(to: Speaker, command: object, how: How = {}): Promise<Answer> {
	const outcome = await say(to, command, how);
	if ("refused" in outcome) throw new Error(`refused: ${JSON.stringify(outcome.refused)}`);
	return outcome.done;
}

export async function refused(to: Speaker, command: object, how: How = {}): Promise<Refusal> {
	const outcome = await say(to, command, how);
	if ("done" in outcome) throw new Error(`not refused: ${JSON.stringify(command)}`);
	return outcome.refused;
}

export async function spawn(to: Speaker, by: AgentId, request: object = {}, how: How = {}): Promise<AgentState> {
	const { agent } = await done(to, { type: "agent.spawn", parent: by, context: "fresh", ...request }, how);
	if (agent === undefined) throw new Error("a spawn answered no agent");
	return agent;
}

/** Opens a turn on a live agent without any process, so that the agent itself may speak. Answers with the turn's id. */
export async function openTurn(to: Speaker & { reads: Reads }, agent: AgentId): Promise<number> {
	await expect.poll(async () => (await to.reads.agent(agent))?.life).toBe("live");
	await done(to, { type: "prompt.queue", agent, text: "go" });
	const { event } = await done(to, { type: "turn.start", agent }, { as: system });
	return event ?? 0;
}
