// What is done to agents and their conversations.
import { agentOf } from "#contract/ids.ts";
import { isItem } from "#contract/item.ts";
import { isRefusal, refuse } from "#contract/refusal.ts";
import type { RouteName } from "#contract/routes.ts";
import { itemView, promptView, turnView } from "#views/wire.ts";
import type { Desk, Handlers } from "../desk.ts";
import { wish } from "./registry.ts";

const names = [
	"fork",
	"kill",
	"interrupt",
	"pause",
	"resume",
	"recover",
	"reap",
	"queue",
	"prompt",
	"turns",
	"items",
	"context",
	"clear",
	"mark",
	"rewind",
] as const satisfies readonly RouteName[];

export function livingHandlers(desk: Desk): Handlers<(typeof names)[number]> {
	const { engine, reads } = desk;
	return {
		fork: (asked) =>
			desk.aboutWhom(asked, (by) => {
				// an agent's own fork is fresh unless it asks for more; a person's inherits unless told otherwise
				const { fresh = agentOf(asked.actor) !== null, ...body } = asked.body;
				return desk.spawned(asked, { by, context: fresh ? "fresh" : "inherit", ...wish(body) });
			}),
		kill: (asked) => desk.tell(asked, { type: "agent.kill", ...asked.body }),
		interrupt: (asked) => desk.tell(asked, { type: "agent.interrupt", ...asked.body }),
		pause: (asked) => desk.tell(asked, { type: "agent.pause", ...asked.body }),
		resume: (asked) => desk.tell(asked, { type: "agent.resume" }),
		recover: (asked) => desk.tell(asked, { type: "agent.recover" }),
		reap: (asked) => desk.tell(asked, { type: "agent.reap" }),
		queue: (asked) => desk.about(asked, async (id) => (await reads.prompts(id)).map((prompt, at) => promptView(prompt, at + 1))),
		prompt: (asked) =>
			desk.about(asked, async (agent) => {
				const outcome = await desk.say(asked, { type: "prompt.queue", agent, ...asked.body });
				if ("refused" in outcome) return outcome.refused;
				const event = await reads.event(outcome.done.event ?? 0);
				if (event === undefined) return refuse("NOT_FOUND", "Nothing was queued.");
				// 0 if its turn has already begun
				const position = (await reads.prompts(agent)).findIndex((prompt) => prompt.id === event.id) + 1;
				const { id, text, at, actor } = itemView(event);
				return { id, agent, text: text ?? "", position, source: "queue" as const, createdAt: at, createdBy: actor };
			}),
		turns: (asked) => desk.about(asked, async (id) => (await reads.turns(id)).map(turnView)),
		items: (asked) =>
			desk.about(asked, async (agent) => (await reads.events({ after: 0, limit: Number.MAX_SAFE_INTEGER, agent })).filter(isItem).map(itemView)),
		context: (asked) =>
			desk.about(asked, async (id) => {
				const context = await engine.context(id);
				return isRefusal(context) ? context : context.items.map(itemView);
			}),
		clear: (asked) => desk.write(asked, { type: "context.clear" }),
		mark: (asked) => desk.write(asked, { type: "context.mark", ...asked.body }),
		rewind: (asked) => desk.write(asked, { type: "context.rewind", ...asked.body }),
	};
}
