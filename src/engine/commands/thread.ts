// What the deciders of a conversation and its queue have to see.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { ContextRewind } from "#contract/item.ts";
import type { Limits } from "#contract/limits.ts";
import type { PromptQueue } from "#contract/prompt.ts";
import type { Decision } from "#domain/decision.ts";
import { decideRewind } from "#domain/history.ts";
import { decideQueue } from "#domain/prompt.ts";
import type { Decided, Work } from "../work.ts";
import { onAgent } from "./agent.ts";

/** Like `onAgent`, for commands that make an event of the thread and answer with its id. */
export async function inThread(work: Work, id: AgentId, decide: (agent: AgentState) => Decision): Promise<Decided> {
	return { ...(await onAgent(work, id, decide)), subject: "the event" };
}

export async function rewindContext(work: Work, command: ContextRewind): Promise<Decided> {
	const controls = await work.tx.controls(command.agent);
	return await inThread(work, command.agent, (agent) => decideRewind(agent, command, controls));
}

export async function queuePrompt(work: Work, command: PromptQueue, limits: Limits): Promise<Decided> {
	const queue = await work.tx.queue(command.agent);
	return await inThread(work, command.agent, (agent) => decideQueue(agent, command, { ...queue, lengthMax: limits.queueLengthMax }));
}
