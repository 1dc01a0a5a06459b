// The routes of mail.
import { dataOf } from "#contract/event-data.ts";
import { type Actor, type AgentId, agentOf } from "#contract/ids.ts";
import { pagedWith } from "#contract/page.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { mailView } from "#views/wire.ts";
import type { Handlers, RequestContext } from "../request-context.ts";

export function mailHandlers(context: RequestContext) {
	const { reads } = context;
	return {
		send: (request) =>
			context.withAgent(request, async (to) => {
				const done = await context.dispatch(request, { type: "mail.send", to, ...request.body });
				if (isRefusal(done)) return done;
				const mail = await reads.mail(done.event);
				return mail === undefined ? refuse("NOT_FOUND", "Nothing was sent.") : mailView(mail);
			}),
		mail: (request) =>
			context.withAgent(request, async (id) =>
				mayLook(request.actor, id)
					? pagedWith(await reads.listMails(id, request.page), mailView)
					: refuse("FORBIDDEN", "An agent can read only its own mail."),
			),
		mailRead: (request) =>
			context.withAgent(request, async (agent) => {
				const done = await context.dispatch(request, { type: "mail.read", agent, ...request.body });
				if (isRefusal(done)) return done;
				const { mail: id } = request.body;
				// one that was read before is shown again to whoever names it
				if (id !== undefined) {
					const named = await reads.mail(id);
					return named === undefined || named.to !== agent || named.deletedAt !== null
						? noMail(agent, id)
						: [mailView(named)];
				}
				const read = done.events.flatMap((event) => dataOf(event, "mail.read")?.mail ?? []);
				const mails = await Promise.all(read.map((id) => reads.mail(id)));
				return mails.flatMap((mail) => (mail === undefined || mail.deletedAt !== null ? [] : [mailView(mail)]));
			}),
		mailDelete: (request) =>
			context.withAgent(request, async (agent) => {
				const id = Number(request.params["mail"]);
				const mail = Number.isSafeInteger(id) ? await reads.mail(id) : undefined;
				if (mail === undefined)
					return refuse("NOT_FOUND", `There is no mail ${JSON.stringify(request.params["mail"])}.`);
				const done = await context.dispatch(request, { type: "mail.delete", agent, mail: id });
				return isRefusal(done) ? done : mailView(mail);
			}),
	} satisfies Partial<Handlers>;
}

const noMail = (agent: AgentId, id: number): Refusal =>
	refuse("NOT_FOUND", `There is no mail ${id} for this agent.`, { suggestions: [`brood mail check ${agent}`] });

const mayLook = (actor: Actor, id: AgentId): boolean => agentOf(actor) === null || agentOf(actor) === id;
