// The prompts that wait.
import type { CommandInput, CommandWithout } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { authorOf, PromptEvent } from "#contract/prompt.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Prompt } from "#contract/wire.ts";
import { itemView, promptView } from "#views/wire.ts";
import { type Handlers, numberIn, type RequestContext, type RouteRequest } from "../request-context.ts";

type Names = "queue" | "prompt" | "promptEdit" | "promptMove" | "promptRemove" | "queueClear";

export function queueHandlers(context: RequestContext): Handlers<Names> {
	const { reads } = context;
	const queue = async (agent: AgentId): Promise<Prompt[]> =>
		(await reads.prompts(agent)).map((prompt, at) => promptView(prompt, at + 1));
	const say = (asked: RouteRequest<Names>, command: CommandInput) => outcomeOf(context, asked, command);
	return {
		queue: (asked) => context.about(asked, queue),
		prompt: (asked) =>
			context.about(asked, async (agent) => {
				const { notBefore, ...request } = asked.body;
				const queued = await say(asked, {
					type: "prompt.queue",
					agent,
					...request,
					...(notBefore !== undefined && { notBefore: Date.parse(notBefore) }),
				});
				return isRefusal(queued) ? queued : await asQueued(context, agent, queued.event);
			}),
		promptEdit: (asked) => changed(asked, { type: "prompt.edit", ...asked.body }),
		promptMove: (asked) => changed(asked, { type: "prompt.move", ...asked.body }),
		promptRemove: (asked) =>
			context.about(asked, async (agent) => {
				const prompt = numberIn(asked, "prompt");
				if (prompt === 0) return noPrompt(asked);
				const before = await queue(agent);
				const said = await say(asked, { type: "prompt.cancel", agent, prompt, reason: asked.query.reason });
				return isRefusal(said)
					? said
					: ((await cancelled(context, agent, { before, said }))[0] ??
							refuse("NOT_FOUND", `There is no prompt ${prompt}.`));
			}),
		queueClear: (asked) =>
			context.about(asked, async (agent) => {
				const before = await queue(agent);
				const said = await say(asked, { type: "prompt.cancel", agent, reason: asked.query.reason });
				return isRefusal(said) ? said : await cancelled(context, agent, { before, said });
			}),
	};

	function changed(
		asked: RouteRequest<"promptEdit" | "promptMove">,
		command: CommandWithout<"agent" | "prompt">,
	): Promise<Prompt | Refusal> {
		return context.about(asked, async (agent) => {
			const prompt = numberIn(asked, "prompt");
			if (prompt === 0) return noPrompt(asked);
			const said = await say(asked, { ...command, agent, prompt });
			if (isRefusal(said)) return said;
			return await asQueued(context, agent, prompt);
		});
	}
}

/** As they were in the queue before it; a retry after a crash finds them in the journal only. */
async function cancelled(
	context: RequestContext,
	agent: AgentId,
	{ before, said }: { before: readonly Prompt[]; said: Said },
): Promise<Prompt[]> {
	const events = said.events.map((event) => PromptEvent.safeParse(event).data);
	const ids = events.flatMap((fact) => (fact?.kind === "prompt.cancelled" ? fact.data.prompts : []));
	const found = await Promise.all(
		ids.map(async (id) => before.find((prompt) => prompt.id === id) ?? (await asQueued(context, agent, id))),
	);
	return found.flatMap((prompt) => (isRefusal(prompt) ? [] : [prompt]));
}

/** What a command led to, or why it was refused. */
export async function outcomeOf(
	context: RequestContext,
	asked: RouteRequest<Names | "turnRetry" | "turnFinish">,
	command: CommandInput,
): Promise<Refusal | Said> {
	const outcome = await context.say(asked, command);
	return "refused" in outcome ? outcome.refused : { event: outcome.done.event ?? 0, events: outcome.events };
}

interface Said {
	event: number;
	events: readonly Event[];
}

const noPrompt = ({ params: { agent, prompt } }: RouteRequest<Names>): Refusal =>
	refuse("NOT_FOUND", `${JSON.stringify(prompt)} is no prompt's id.`, { suggestions: [`brood queue list ${agent}`] });

/** A prompt as it was queued, with its place in the queue now; 0 if its turn has already begun. */
export async function asQueued({ reads }: RequestContext, agent: AgentId, id: number): Promise<Prompt | Refusal> {
	const known = await reads.prompt(id);
	if (known !== undefined) return promptView(known, await reads.placeInQueue(id));
	// its turn is over already
	const event = await reads.event(id);
	if (event === undefined) return refuse("NOT_FOUND", "Nothing was queued.");
	const { text, at, actor, data } = itemView(event);
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
