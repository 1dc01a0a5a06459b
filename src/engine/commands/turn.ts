// Commands about turns: their start, their items and their retry. How they end is in `turn-end.ts`.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeEpoch } from "#contract/node.ts";
import { authorOf } from "#contract/prompt.ts";
import {
	TurnAppend,
	TurnHand,
	TurnMarkResponsive,
	TurnMarkSilent,
	TurnRetry,
	TurnSettle,
	TurnStart,
	TurnYield,
} from "#contract/turn.ts";
import type { Decision } from "#domain/decision.ts";
import { positionBeforeAll } from "#domain/prompt.ts";
import { claim } from "#domain/slots.ts";
import {
	decideHandOver,
	decideResponsive,
	decideRetry,
	decideSettle,
	decideSilent,
	decideStart,
	decideTurnAppend,
	decideYield,
	type PromptText,
} from "#domain/turn.ts";
import { openCallsOf, refusedIfNotOpen } from "#domain/turn-end.ts";
import { capacityOf } from "./capacity.ts";
import { itemText } from "./context.ts";
import { onAgent } from "./on-agent.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const turnDefinitions = {
	"turn.start": onAgent({
		schema: TurnStart,
		allowedActors: "daemon",
		startsWork: true,
		load: async (work, _, { agent, limits }) => ({
			head: await work.tx.nextPrompt(agent.id, work.envelope.at),
			run: agent.issue === null ? null : ((await work.issue(agent.issue.id))?.run ?? null),
			capacity: await capacityOf(work, limits),
			at: await runsAt(work, agent),
		}),
		decide: (agent, _, { head, run, capacity, at }) =>
			decideStart(agent, { head, run }, claim(agent, capacity, head?.manual), at),
		subject: "the event",
	}),
	"turn.hand": onAgent({
		schema: TurnHand,
		allowedActors: "daemon",
		startsWork: true,
		load: async (work, { agent, turn: id }) => {
			const turn = await work.turn(id);
			const prompt = turn && (await work.tx.event(turn.textEvent));
			const mails = turn?.source === "mail" ? (await work.tx.unreadMails(agent)).filter(isNew) : [];
			return { turn, prompt: promptTextIn(prompt), mails: firstMails(mails) };
		},
		decide: (agent, command, { turn, prompt, mails }) =>
			turn === undefined ? notOpen(agent, command.turn) : decideHandOver(agent, turn, prompt, mails),
		subject: "the event",
	}),
	"turn.append": onAgent({
		schema: TurnAppend,
		allowedActors: "daemon",
		startsWork: false,
		texts: ({ items }) => items.map(itemText),
		decide: decideTurnAppend,
		subject: "the event",
	}),
	"turn.yield": onAgent({
		schema: TurnYield,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, command) => {
			const made = await work.tx.callsOfTurn(command.agent, command.turn);
			return {
				turn: await work.turn(command.turn),
				calls: made.length,
				openCalls: openCallsOf(made),
				mails: (await work.tx.newMailCount(command.agent)).urgent,
				first: (await work.tx.queueEnds(command.agent)).first,
			};
		},
		decide: (agent, command, { turn, ...seen }) =>
			turn === undefined ? notOpen(agent, command.turn) : decideYield(agent, turn, seen),
	}),
	"turn.markSilent": onAgent({
		schema: TurnMarkSilent,
		allowedActors: "daemon",
		startsWork: false,
		decide: decideSilent,
	}),
	"turn.markResponsive": onAgent({
		schema: TurnMarkResponsive,
		allowedActors: "daemon",
		startsWork: false,
		decide: decideResponsive,
	}),
	"turn.settle": onAgent({ schema: TurnSettle, allowedActors: "daemon", startsWork: false, decide: decideSettle }),
	"turn.retry": onAgent({
		schema: TurnRetry,
		allowedActors: "people",
		startsWork: false,
		// runs again what the model saw, not what was queued: mail was rendered, and a prompt may have been edited
		load: async (work, { agent, turn: named }) => {
			const id = named ?? (await work.tx.latestTurns(agent, 1))[0]?.id;
			const turn = id === undefined ? undefined : await work.turn(id);
			return {
				turn,
				promptText: await promptTextOf(work, turn),
				position: positionBeforeAll((await work.tx.queueEnds(agent)).first),
			};
		},
		decide: (agent, _, { turn, ...seen }) => decideRetry(agent, turn, seen),
		subject: "the event",
	}),
};

/** The agent's node and its epoch; null where nodes do not matter. */
async function runsAt(work: UnitOfWork, agent: AgentState): Promise<NodeEpoch | null> {
	const id = agent.node ?? work.envelope.node;
	const node = id === null ? undefined : await work.node(id);
	return node === undefined ? null : { node: node.id, epoch: node.epoch };
}

export const notOpen = (agent: AgentState, turn: number): Decision => refusedIfNotOpen(agent, turn) ?? [];

/** The prompt that the turn's process got; null if it got none. */
export async function promptTextOf(
	{ tx }: UnitOfWork,
	turn: { id: number; agent: AgentId; handedAt: number | null } | undefined,
): Promise<PromptText | null> {
	if (turn === undefined || turn.handedAt === null) return null;
	const [first] = await tx.events({ after: turn.id, limit: 1, agent: turn.agent, kinds: ["user"] });
	return first?.turn !== turn.id || first.text === null ? null : { text: first.text, from: authorOf(first.data) };
}

/** The author is the one that the prompt names, else the agent that queued it; null stands for the user. */
function promptTextIn(event: Event | undefined): PromptText {
	const by = event === undefined || agentOf(event.actor) === null ? null : event.actor;
	return { text: event?.text ?? "", from: authorOf(event?.data) ?? by };
}

const isNew = (mail: MailState): boolean => mail.state === "accepted";

/** As many as fit into one item; the rest wake the agent again. */
function firstMails(mails: readonly MailState[]): MailState[] {
	let length = 0;
	return mails.filter(({ body }, at) => {
		length += body.length;
		return at === 0 || length <= mailLengthMax;
	});
}

const mailLengthMax = 128 * 1024;
