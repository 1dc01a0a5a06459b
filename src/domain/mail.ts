// Mail: read by its recipient, oldest first, each mail once.
import type { AgentState } from "#contract/agent.ts";
import { wokenByMail } from "#contract/agent-type.ts";
import type { NewEvent } from "#contract/event.ts";
import { type Actor, agentOf } from "#contract/ids.ts";
import type { MailSend, MailState } from "#contract/mail.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { suggestion } from "./agent-state/transitions.ts";
import type { Decision } from "./decision.ts";
import { positionBeforeAll } from "./prompt.ts";

export interface MailboxFacts {
	length: number;
	lengthMax: number;
	sender: AgentState | null;
	/** the sender is above or below the recipient */
	related: boolean;
	/** of the recipient's queue: the first position, and whether it has a prompt for mail */
	first: number | null;
	announced: boolean;
}

export function decideSendMail(
	to: AgentState,
	command: MailSend,
	{ length, lengthMax, sender, related, first, announced }: MailboxFacts,
): Decision {
	if (sender !== null && sender.project !== to.project)
		return refuse("FORBIDDEN", "An agent can write only to agents of its own project.", { details: { agent: to.id } });
	if (to.life === "ended")
		return refuse("RECIPIENT_DEAD", `${to.handle} has ended and reads no mail.`, {
			details: { agent: to.id },
			suggestions: [suggestion("status", to)],
		});
	if (length >= lengthMax)
		return refuse("MAILBOX_FULL", `The mailbox of ${to.handle} has ${length} unread mails, which is the limit.`, {
			details: { agent: to.id, limit: lengthMax },
		});
	// only people and related agents may interrupt; other mail waits for the end of the turn
	const urgent = command.urgent && (sender === null || related);
	const sent: NewEvent = { kind: "mail.sent", agent: to.id, text: command.body, ...(urgent && { data: { urgent } }) };
	// a running turn yields between two tool calls (`turn.yield`); an idle agent is woken here
	const goesFirst = urgent && to.turn === null && wakesOnMail(to) && !announced;
	return goesFirst
		? [
				sent,
				{
					kind: "prompt.queued",
					agent: to.id,
					text: "You have urgent mail.",
					data: { position: positionBeforeAll(first), source: "mail" },
				},
			]
		: [sent];
}

/** A mail is given out once: reading marks it as read. */
export function decideReadMail(agent: AgentState, unread: readonly MailState[], by: { actor: Actor }): Decision {
	return (
		notTheirs(agent, by.actor) ??
		unread.flatMap((mail) => [
			...(mail.state === "accepted" && agent.turn !== null && agentOf(by.actor) === agent.id
				? [{ kind: "mail.delivered", agent: agent.id, data: { mail: mail.id, turn: agent.turn.id } } as const]
				: []),
			{ kind: "mail.read", agent: agent.id, data: { mail: mail.id } } as const,
		])
	);
}

export function decideDeleteMail(
	agent: AgentState,
	mail: MailState | undefined,
	id: number,
	by: { actor: Actor },
): Decision {
	const refusal = notTheirs(agent, by.actor);
	if (refusal) return refusal;
	if (mail === undefined || mail.to !== agent.id)
		return refuse("NOT_FOUND", `${agent.handle} has no mail ${id}.`, { details: { agent: agent.id, mail: id } });
	return mail.deletedAt === null ? [{ kind: "mail.deleted", agent: agent.id, data: { mail: id } }] : [];
}

/** Persons may read every mailbox, an agent only its own. */
function notTheirs(agent: AgentState, actor: Actor): Refusal | null {
	const caller = agentOf(actor);
	return caller === null || caller === agent.id
		? null
		: refuse("FORBIDDEN", "An agent can read only its own mail.", { details: { agent: agent.id } });
}

/** Mail wakes every agent except agent 0, human agents, and shells, which would execute it. */
export const wakesOnMail = (agent: AgentState): boolean => agent.supervisor !== null && wokenByMail(agent.type);

/** New mail wakes an agent that has nothing else to do. */
export function decideWake(
	agent: AgentState,
	waiting: { mails: number; urgent: number; announced: boolean; due: boolean; first: number | null },
): Decision {
	const asleep = agent.life === "live" && agent.activity === "idle" && wakesOnMail(agent);
	if (!asleep || waiting.mails === 0 || waiting.announced) return [];
	// urgent mail goes before the queue, other mail after it
	if (waiting.urgent === 0 && waiting.due) return [];
	const position = waiting.urgent > 0 ? positionBeforeAll(waiting.first) : 0;
	return [{ kind: "prompt.queued", agent: agent.id, text: "You have mail.", data: { position, source: "mail" } }];
}
