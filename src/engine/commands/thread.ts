// What the deciders of a conversation, its queue and its turns have to see.
import type { AgentInterrupt, AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { ContextRewind } from "#contract/item.ts";
import type { Limits } from "#contract/limits.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptQueue } from "#contract/prompt.ts";
import type { TurnFinish, TurnRelease } from "#contract/turn.ts";
import type { Decision } from "#domain/decision.ts";
import { decideRewind } from "#domain/history.ts";
import { decideQueue } from "#domain/prompt.ts";
import { closed, decideCrash, decideHand, decideInterrupt, decideRelease, decideStart, decideTurnEnd, type OpenCall, openCallsOf } from "#domain/turn.ts";
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
	const above = await work.tx.above(command.agent);
	return await inThread(work, command.agent, (agent) => decideQueue(agent, command, { ...queue, above, lengthMax: limits.queueLengthMax }, work.envelope));
}

export async function startTurn(work: Work, agent: AgentId): Promise<Decided> {
	const [head] = await work.tx.prompts(agent);
	return await inThread(work, agent, (state) => decideStart(state, head));
}

export async function handTurn(work: Work, command: { agent: AgentId; turn: number }): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const prompt = turn && (await work.tx.event(turn.prompt));
	const mails = turn?.source === "mail" ? firstLetters((await work.tx.mails(command.agent)).filter((mail) => mail.state === "accepted")) : [];
	return await inThread(work, command.agent, (agent) =>
		turn === undefined ? notOpen(agent, command.turn) : decideHand(agent, turn, prompt?.text ?? "", mails),
	);
}

/** As many as make one item of a sensible size; the others wake the agent again. */
function firstLetters(mails: readonly MailState[]): MailState[] {
	let length = 0;
	return mails.filter(({ body }, at) => {
		length += body.length;
		return at === 0 || length <= lettersLengthMax;
	});
}

const lettersLengthMax = 128 * 1024;

const notOpen = (agent: AgentState, turn: number): Decision => closed(agent, turn) ?? [];

export async function endTurn(work: Work, command: TurnFinish): Promise<Decided> {
	const calls = await openCalls(work, command.agent, command.turn);
	return await onAgent(work, command.agent, (agent) => decideTurnEnd(agent, command, calls));
}

export async function interruptAgent(work: Work, command: AgentInterrupt): Promise<Decided> {
	const open = (await work.agent(command.agent))?.turn;
	const turn = open ? await work.turn(open.id) : undefined;
	const above = await work.tx.above(command.agent);
	return await onAgent(work, command.agent, (agent) => decideInterrupt(agent, command, { turn, above }, work.envelope));
}

export async function releaseTurn(work: Work, command: TurnRelease): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const { first } = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) => (turn === undefined ? notOpen(agent, command.turn) : decideRelease(agent, turn, command, first)));
}

export async function crashTurn(work: Work, command: { agent: AgentId; turn: number }): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const calls = await openCalls(work, command.agent, command.turn);
	const { first } = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) => (turn === undefined ? notOpen(agent, command.turn) : decideCrash(agent, turn, calls, first)));
}

export async function openCalls(work: Work, agent: AgentId, turn: number): Promise<OpenCall[]> {
	return openCallsOf(await work.tx.callsOfTurn(agent, turn));
}
