// The routes of prompts that wait.
import type { CommandWithout } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { pagedWith } from "#contract/page.ts";
import { authorOf, PromptEvent } from "#contract/prompt.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Prompt } from "#contract/wire.ts";
import { eventView, promptView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type ScopedRequest } from "../request-context.ts";

export function queueHandlers(context: RequestContext) {
	const { reads } = context;
	const queue = async (agent: AgentId): Promise<Prompt[]> =>
		(await reads.prompts(agent)).map((prompt, at) => promptView(prompt, at + 1));
	return {
		queue: (request) =>
			context.withAgent(request, async (agent) => pagedWith(await reads.listPrompts(agent, request.page), promptView)),
		prompt: (request) =>
			context.withAgent(request, async (agent) => {
				const { notBefore, ...body } = request.body;
				const queued = await context.dispatch(request, {
					type: "prompt.queue",
					agent,
					...body,
					...(notBefore !== undefined && { notBefore: Date.parse(notBefore) }),
				});
				return isRefusal(queued) ? queued : await asQueued(context, agent, queued.event);
			}),
		promptEdit: (request) => changed(request, { type: "prompt.edit", ...request.body }),
		promptMove: (request) => changed(request, { type: "prompt.move", ...request.body }),
		promptRemove: (request) =>
			context.withAgent(request, async (agent) => {
				const prompt = numberIn(request, "prompt");
				if (prompt === 0) return noPrompt(request);
				const before = await asQueued(context, agent, prompt);
				const { reason } = request.query;
				const done = await context.dispatch(request, { type: "prompt.cancel", agent, prompt, reason });
				if (isRefusal(done)) return done;
				const [removed] = await cancelled(context, agent, {
					before: isRefusal(before) ? [] : [before],
					events: done.events,
				});
				return removed ?? refuse("NOT_FOUND", `There is no prompt ${prompt}.`);
			}),
		queueClear: (request) =>
			context.withAgent(request, async (agent) => {
				const before = await queue(agent);
				const done = await context.dispatch(request, { type: "prompt.cancel", agent, reason: request.query.reason });
				return isRefusal(done) ? done : await cancelled(context, agent, { before, events: done.events });
			}),
	} satisfies Partial<Handlers>;

	function changed(request: ScopedRequest, command: CommandWithout<"agent" | "prompt">): Promise<Prompt | Refusal> {
		return context.withAgent(request, async (agent) => {
			const prompt = numberIn(request, "prompt");
			if (prompt === 0) return noPrompt(request);
			const done = await context.dispatch(request, { ...command, agent, prompt });
			return isRefusal(done) ? done : await asQueued(context, agent, prompt);
		});
	}
}

/** The prompts as they were before they were cancelled; a retry after a crash finds them only in the journal. */
async function cancelled(
	context: RequestContext,
	agent: AgentId,
	{ before, events }: { before: readonly Prompt[]; events: readonly Event[] },
): Promise<Prompt[]> {
	const ids = events.flatMap((event) => {
		const { data } = PromptEvent.safeParse(event);
		return data?.kind === "prompt.cancelled" ? data.data.prompts : [];
	});
	const found = await Promise.all(
		ids.map(async (id) => before.find((prompt) => prompt.id === id) ?? (await asQueued(context, agent, id))),
	);
	return found.flatMap((prompt) => (isRefusal(prompt) ? [] : [prompt]));
}

const noPrompt = ({ params: { agent, prompt } }: ScopedRequest): Refusal =>
	refuse("NOT_FOUND", `${JSON.stringify(prompt)} is not a prompt's id.`, {
		suggestions: [`brood queue list ${agent}`],
	});

/** A prompt as it was queued, with its position in the queue now; 0 if its turn has already begun. */
export async function asQueued({ reads }: RequestContext, agent: AgentId, id: number): Promise<Prompt | Refusal> {
	const known = await reads.prompt(id);
	if (known !== undefined) return promptView(known, await reads.queuePosition(id));
	// its turn is over
	const event = await reads.event(id);
	if (event === undefined) return refuse("NOT_FOUND", "Nothing was queued.");
	const { text, at, actor, data } = eventView(event);
	const common = {
		from: authorOf(data),
		retries: null,
		metadata: null,
		notBefore: null,
		priority: 0,
		manual: false,
		editedBy: null,
		editedAt: null,
	};
	return { id, agent, text: text ?? "", position: 0, source: "queue", createdAt: at, createdBy: actor, ...common };
}
