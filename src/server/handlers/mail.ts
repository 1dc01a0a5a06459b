import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import { mailView } from "#views/wire.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

export function mailHandlers(context: RequestContext): Handlers<"send" | "mail" | "mailRead" | "mailDelete"> {
	const { reads } = context;
	return {
		send: (asked) =>
			context.about(asked, async (to) => {
				const outcome = await context.say(asked, { type: "mail.send", to, ...asked.body });
				if ("refused" in outcome) return outcome.refused;
				const mail = await reads.mail(outcome.done.event ?? 0);
				return mail === undefined ? refuse("NOT_FOUND", "Nothing was sent.") : mailView(mail);
			}),
		mail: (asked) =>
			context.about(asked, async (id) =>
				mayLook(asked.actor, id)
					? (await reads.mails(id)).map(mailView)
					: refuse("FORBIDDEN", "An agent reads only its own mail."),
			),
		mailRead: (asked) =>
			context.about(asked, async (agent) => {
				const outcome = await context.say(asked, { type: "mail.read", agent, ...asked.body });
				if ("refused" in outcome) return outcome.refused;
				const read = new Set(
					outcome.events.flatMap((event) =>
						event.kind === "mail.read" ? Number(Reflect.get(Object(event.data), "mail")) : [],
					),
				);
				return (await reads.mails(agent)).filter((mail) => read.has(mail.id)).map(mailView);
			}),
		mailDelete: (asked) =>
			context.about(asked, async (agent) => {
				const id = Number(asked.params["mail"]);
				const mail = Number.isSafeInteger(id) ? await reads.mail(id) : undefined;
				if (mail === undefined) return refuse("NOT_FOUND", `There is no mail ${JSON.stringify(asked.params["mail"])}.`);
				const outcome = await context.say(asked, { type: "mail.delete", agent, mail: id });
				return "refused" in outcome ? outcome.refused : mailView(mail);
			}),
	};
}

const mayLook = (actor: Actor, id: AgentId): boolean => agentOf(actor) === null || agentOf(actor) === id;
