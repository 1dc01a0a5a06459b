// Mail: a message from one actor to one agent. Its id is the id of the event that sent it.
import { z } from "zod";
import { command, event } from "./define.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import { Text } from "./text.ts";

export const mailStates = ["accepted", "delivered", "read"] as const;

export const MailState = z.strictObject({
	id: EventId,
	from: Actor,
	to: AgentId,
	body: z.string(),
	/** may interrupt a running turn */
	urgent: z.boolean(),
	state: z.enum(mailStates),
	/** the turn whose model saw it */
	deliveredIn: EventId.nullable(),
	sentAt: z.int(),
	readAt: z.int().nullable(),
	deletedAt: z.int().nullable(),
});
export type MailState = z.infer<typeof MailState>;

/** The body is the event's text; the event belongs to the recipient. */
export const MailEvent = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("mail.sent"), text: z.string(), data: z.object({ urgent: z.literal(true) }).nullish() }),
	event("mail.delivered", { mail: EventId, turn: EventId }),
	event("mail.read", { mail: EventId }),
	event("mail.deleted", { mail: EventId }),
]);
export type MailEvent = z.infer<typeof MailEvent>;

export const MailSend = command("mail.send", { to: AgentId, body: Text.min(1), urgent: z.boolean().default(false) });
export type MailSend = z.infer<typeof MailSend>;

/** Marks unread mail, or one mail, as read and answers with it, oldest first. */
export const MailRead = command("mail.read", { agent: AgentId, mail: EventId.optional() });
/** From the daemon: an idle agent has mail. */
export const MailWake = command("mail.wake", { agent: AgentId });
export const MailDelete = command("mail.delete", { agent: AgentId, mail: EventId });

export const mailCommands = [MailSend, MailRead, MailWake, MailDelete] as const;
