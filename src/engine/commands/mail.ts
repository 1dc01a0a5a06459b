// What the deciders of mail have to see.
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { MailSend } from "#contract/mail.ts";
import { decideDelete, decideRead, decideSend, decideWake } from "#domain/mail.ts";
import type { Decided, Work } from "../work.ts";
import { onAgent } from "./agent.ts";
import { inThread } from "./thread.ts";

export async function sendMail(work: Work, command: MailSend, limits: Limits): Promise<Decided> {
	const length = await work.tx.unreadMail(command.to);
	const { first } = await work.tx.queue(command.to);
	const announced = (await work.tx.prompts(command.to)).some((prompt) => prompt.source === "mail" && prompt.position < 0);
	const caller = agentOf(work.envelope.actor);
	const sender = caller === null ? null : ((await work.agent(caller)) ?? null);
	const related = caller !== null && ((await work.tx.above(command.to)).includes(caller) || (await work.tx.above(caller)).includes(command.to));
	const seen = { length, lengthMax: limits.mailboxLengthMax, sender, related, first, announced };
	return await inThread(work, command.to, (agent) => decideSend(agent, command, seen));
}

export async function readMail(work: Work, command: { agent: AgentId; mail?: number | undefined }): Promise<Decided> {
	const unread = (await work.tx.mails(command.agent)).filter((mail) => mail.state !== "read" && (command.mail === undefined || mail.id === command.mail));
	return await onAgent(work, command.agent, (agent) => decideRead(agent, unread, work.envelope));
}

export async function wakeForMail(work: Work, id: AgentId): Promise<Decided> {
	const mails = (await work.tx.mails(id)).filter((mail) => mail.state === "accepted");
	const prompts = await work.tx.prompts(id);
	const { first } = await work.tx.queue(id);
	const urgent = mails.filter((mail) => mail.urgent).length;
	return await onAgent(work, id, (agent) => decideWake(agent, { mails: mails.length, urgent, prompts, first, now: work.envelope.at }));
}

export async function deleteMail(work: Work, command: { agent: AgentId; mail: number }): Promise<Decided> {
	const mail = await work.tx.mail(command.mail);
	return await onAgent(work, command.agent, (agent) => decideDelete(agent, mail, command.mail, work.envelope));
}
