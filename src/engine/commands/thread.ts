// What the deciders of a conversation, its queue and its turns have to see.
import type { AgentInterrupt, AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { ContextRewind } from "#contract/item.ts";
import type { Limits } from "#contract/limits.ts";
import type { MailState } from "#contract/mail.ts";
import { authorOf, type PromptQueue, type PromptState } from "#contract/prompt.ts";
import type { Refusal } from "#contract/refusal.ts";
import type { TurnCrash, TurnDone, TurnFinish, TurnRelease, TurnRetry } from "#contract/turn.ts";
import { decideLimitedEnd } from "#domain/cooldown.ts";
import type { Decision } from "#domain/decision.ts";
import { decideRewind } from "#domain/history.ts";
import { decideQueue, headmost, nextDue } from "#domain/prompt.ts";
import { claim } from "#domain/slots.ts";
import { decideHand, decideInterrupt, decideRetry, decideStart, decideYield, type Words } from "#domain/turn.ts";
import { begun, closed, decideCrash, decideDone, decideRelease, decideTurnEnd, openCallsOf, withLastItems } from "#domain/turn-end.ts";
import type { Decided, Work } from "../work.ts";
import { onAgent } from "./agent.ts";
import { looseThreads } from "./loose.ts";
import { capacityOf, steadyOf } from "./slots.ts";

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
	const asking = agentOf(work.envelope.actor);
	const caller = asking === null ? null : ((await work.agent(asking)) ?? null);
	const capacity = command.now ? await capacityOf(work, limits) : null;
	return await inThread(work, command.agent, (agent) => {
		const got = capacity && claim(agent, capacity, true);
		const short = got !== null && "short" in got ? got.short : null;
		return decideQueue(agent, command, { ...queue, above, caller, lengthMax: limits.queueLengthMax, short }, work.envelope);
	});
}

export async function startTurn(work: Work, agent: AgentId, limits: Limits): Promise<Decided> {
	const head = nextDue(await work.tx.prompts(agent), work.envelope.at);
	const { issue } = (await work.agent(agent)) ?? { issue: null };
	const open = issue === null ? undefined : (await work.issue(issue.id))?.run;
	// what the last run left is settled before the next one begins
	const capacity = await capacityOf(work, limits);
	return await inThread(work, agent, (state) => (typeof open === "number" ? [] : decideStart(state, head, claim(state, capacity, head?.manual))));
}

/** Commands about entries of a queue. */
export async function onQueue(work: Work, id: AgentId, decide: (agent: AgentState, queue: readonly PromptState[]) => Decision): Promise<Decided> {
	const queue = await work.tx.prompts(id);
	return await onAgent(work, id, (agent) => decide(agent, queue));
}

/** What the model saw is run again, not what the queue had: mail was rendered, and a prompt may have been edited. */
export async function retryTurn(work: Work, command: TurnRetry): Promise<Decided> {
	const id = command.turn ?? (await work.tx.turns(command.agent)).at(-1)?.id;
	const turn = id === undefined ? undefined : await work.turn(id);
	const words = turn === undefined || turn.handedAt === null ? null : await wordsOf(work, turn);
	const { first } = await work.tx.queue(command.agent);
	return await inThread(work, command.agent, (agent) => decideRetry(agent, turn, { words, position: headmost(first) }));
}

async function wordsOf(work: Work, turn: { id: number; agent: AgentId }): Promise<Words | null> {
	const [first] = await work.tx.events({ after: turn.id, limit: 1, agent: turn.agent, kind: "user" });
	return first?.turn !== turn.id || first.text === null ? null : { text: first.text, from: authorOf(first.data) };
}

/** Of a prompt: whoever the words say, else the agent that queued it. A prompt of a person or of the daemon is the user's. */
function promptWords(event: Event | undefined): Words {
	const by = event === undefined || agentOf(event.actor) === null ? null : event.actor;
	return { text: event?.text ?? "", from: authorOf(event?.data) ?? by };
}

export async function finishTurn(work: Work, command: TurnDone): Promise<Decided> {
	const open = (await work.agent(command.agent))?.turn?.id;
	const loose = await looseThreads(work, command.agent, open ?? null);
	return await onAgent(work, command.agent, (agent) => decideDone(agent, command, loose));
}

export async function yieldTurn(work: Work, command: { agent: AgentId; turn: number }): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const made = await work.tx.callsOfTurn(command.agent, command.turn);
	const [calls, openCalls] = [made.length, openCallsOf(made)];
	const mails = (await work.tx.mails(command.agent)).filter((mail) => mail.urgent && mail.state === "accepted").length;
	const { first } = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) =>
		turn === undefined ? notOpen(agent, command.turn) : decideYield(agent, turn, { calls, openCalls, mails, first }),
	);
}

export async function handTurn(work: Work, command: { agent: AgentId; turn: number }): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const prompt = turn && (await work.tx.event(turn.words));
	const mails = turn?.source === "mail" ? firstLetters((await work.tx.mails(command.agent)).filter((mail) => mail.state === "accepted")) : [];
	return await inThread(work, command.agent, (agent) =>
		turn === undefined ? notOpen(agent, command.turn) : decideHand(agent, turn, promptWords(prompt), mails),
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

/** What is said of a turn that is about to begin: refused once its prompt was handed over, or it is over. */
export async function beforeTurn(
	work: Work,
	id: number | undefined,
	decide: (refused: (agent: AgentState) => Refusal | null) => Promise<Decided>,
): Promise<Decided> {
	const turn = id === undefined ? undefined : await work.turn(id);
	return await decide((agent) => (id === undefined ? null : turn === undefined ? closed(agent, id) : begun(agent, turn)));
}

const notOpen = (agent: AgentState, turn: number): Decision => closed(agent, turn) ?? [];

export async function endTurn(work: Work, command: TurnFinish, { coolDownMs }: Limits): Promise<Decided> {
	const loose = await looseThreads(work, command.agent, command.turn, command.items);
	const turn = await work.turn(command.turn);
	const end = (decide: (agent: AgentState) => Decision) => onAgent(work, command.agent, (agent) => withLastItems(agent, command, decide));
	if (turn !== undefined && command.limit !== undefined) {
		const words = turn.handedAt === null ? null : await wordsOf(work, turn);
		const position = headmost((await work.tx.queue(command.agent)).first);
		const slug = (await work.agent(command.agent))?.project ?? null;
		const project = slug === null ? undefined : await work.project(slug);
		const seen = { turn, words, position, subscriptions: await work.tx.subscriptions(), project, coolDownMs, now: work.envelope.steady };
		// the program told a time of the clock on the wall
		const until = command.limit.until === null ? null : steadyOf(command.limit.until, work.envelope);
		return await end((agent) => decideLimitedEnd(agent, { ...command, limit: { until } }, loose, seen));
	}
	return await end((agent) => decideTurnEnd(agent, command, loose, turn?.commit ?? null));
}

export async function interruptAgent(work: Work, command: AgentInterrupt): Promise<Decided> {
	const open = (await work.agent(command.agent))?.turn;
	const turn = open ? await work.turn(open.id) : undefined;
	const above = await work.tx.above(command.agent);
	const approvals = (await work.tx.pendingApprovals(command.agent)).map((approval) => approval.id);
	return await onAgent(work, command.agent, (agent) => decideInterrupt(agent, command, { turn, above, approvals }, work.envelope));
}

export async function releaseTurn(work: Work, command: TurnRelease): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const loose = await looseThreads(work, command.agent, command.turn);
	const { first } = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) => (turn === undefined ? notOpen(agent, command.turn) : decideRelease(agent, turn, command, loose, first)));
}

export async function crashTurn(work: Work, command: TurnCrash): Promise<Decided> {
	const turn = await work.turn(command.turn);
	const loose = await looseThreads(work, command.agent, command.turn);
	const { first } = await work.tx.queue(command.agent);
	return await onAgent(work, command.agent, (agent) =>
		turn === undefined ? notOpen(agent, command.turn) : decideCrash(agent, turn, { ...loose, partials: command.partials }, first),
	);
}
