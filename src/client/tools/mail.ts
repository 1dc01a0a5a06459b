// Tools for mail.
import { z } from "zod";
import { EventId } from "#contract/ids.ts";
import { quotedMail } from "#contract/quote.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { agentName, reply, type ToolAnswer, tool } from "./tool.ts";

export const mailTools = {
	send: tool({
		description:
			"Send a mail to an agent of your project. It reads it when it has time, or at once if it is urgent and the agent is above or below you.",
		input: z.strictObject({ agent: agentName, body: z.string().min(1), urgent: z.boolean().default(false) }),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("send", { params: { agent }, body }), ({ id, to, state, urgent }) => ({
				text: `Mail ${id} was accepted${body.urgent && !urgent ? ` as ordinary mail, which waits: ${onlyRelated}` : ""}.`,
				data: { id, to, state, urgent },
			})),
	}),
	check_mail: tool({
		description: "See what is in your mailbox. Nothing is marked as read.",
		input: z.strictObject({}),
		use: async ({ self, call }) => reply(await call("mail", { params: { agent: self } }), mailbox),
	}),
	read_mail: tool({
		description: "Take your unread mail, oldest first. Each mail is given out once.",
		input: z.strictObject({ mail: EventId.optional().describe("only this one") }),
		use: async ({ self, call }, body) =>
			reply(await call("mailRead", { params: { agent: self }, body }), (mails) => ({
				text: mails.length === 0 ? "No unread mail." : mails.map(quotedMail).join("\n\n"),
				data: { mails: mails.map(({ id, from, body, sentAt }) => ({ id, from, body, sentAt })) },
			})),
	}),
};

const onlyRelated = "only people and the agents above and below it may interrupt an agent";

function mailbox(mails: AnswerOf<"mail">): ToolAnswer {
	const unread = mails.filter((mail) => mail.state !== "read");
	const lines = unread.map(
		({ id, from, urgent, body }) => `mail ${id} from ${from}${urgent ? ", urgent" : ""}, ${body.length} characters`,
	);
	return {
		text: [`${unread.length} unread of ${mails.length}.`, ...lines].join("\n"),
		data: { mails: mails.map(({ id, from, state, urgent, sentAt }) => ({ id, from, state, urgent, sentAt })) },
	};
}
