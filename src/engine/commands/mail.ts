// Commands about mail.
import { type AgentState, noAgent } from "#contract/agent.ts";
import { type AgentId, agentOf } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { MailDelete, MailRead, MailSend, type MailState, MailWake } from "#contract/mail.ts";
import { decideDeleteMail, decideReadMail, decideSendMail, decideWake } from "#domain/mail.ts";
import { defineCommand } from "./define.ts";
import { onAgent } from "./on-agent.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const mailDefinitions = {
	"mail.send": defineCommand({
		schema: MailSend,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ body }) => [body],
		textLimit: "mailBytesMax",
		load: async (work, { to: id }, limits) => {
			const to = await work.agent(id);
			return to === undefined ? noAgent(id) : { to, box: await mailboxFacts(work, to, limits) };
		},
		decide: ({ to, box }, command) => decideSendMail(to, command, box),
		subject: "the event",
	}),
	"mail.read": onAgent({
		schema: MailRead,
		allowedActors: "everyone",
		startsWork: false,
		load: async ({ tx }, { agent, mail: id }) => {
			if (id === undefined) return await tx.unreadMails(agent);
			const mail = await tx.mail(id);
			return mail !== undefined && isUnreadBy(mail, agent) ? [mail] : [];
		},
		decide: (agent, _, unread, envelope) => decideReadMail(agent, unread, envelope),
	}),
	"mail.wake": onAgent({
		schema: MailWake,
		allowedActors: "daemon",
		startsWork: false,
		load: async ({ tx, envelope }, { agent }) => ({
			...(await tx.newMailCount(agent)),
			announced: (await tx.promptsFrom(agent, "mail")).length > 0,
			due: (await tx.nextPrompt(agent, envelope.at)) !== undefined,
			first: (await tx.queueEnds(agent)).first,
		}),
		decide: (agent, _, waiting) => decideWake(agent, waiting),
	}),
	"mail.delete": onAgent({
		schema: MailDelete,
		allowedActors: "everyone",
		startsWork: false,
		load: ({ tx }, { mail }) => tx.mail(mail),
		decide: (agent, command, mail, envelope) => decideDeleteMail(agent, mail, command.mail, envelope),
	}),
};

const isUnreadBy = ({ to, state, deletedAt }: MailState, agent: AgentId): boolean =>
	to === agent && state !== "read" && deletedAt === null;

async function mailboxFacts(work: UnitOfWork, { id: to }: AgentState, { mailboxLengthMax }: Limits) {
	const { tx, envelope } = work;
	const caller = agentOf(envelope.actor);
	return {
		length: await tx.unreadMailCount(to),
		lengthMax: mailboxLengthMax,
		sender: caller === null ? null : ((await work.agent(caller)) ?? null),
		related: caller !== null && ((await tx.above(to)).includes(caller) || (await tx.above(caller)).includes(to)),
		first: (await tx.queueEnds(to)).first,
		announced: (await tx.promptsFrom(to, "mail")).some(({ position }) => position < 0),
	};
}
