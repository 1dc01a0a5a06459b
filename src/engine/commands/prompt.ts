// Commands about an agent's queue.
import { agentOf } from "#contract/ids.ts";
import { PromptCancel, PromptEdit, PromptMove, PromptQueue, type PromptState } from "#contract/prompt.ts";
import { decideCancel, decideEdit, decideMovePrompt, decideQueue } from "#domain/prompt.ts";
import { claim } from "#domain/slots.ts";
import { capacityOf } from "./capacity.ts";
import { onAgent } from "./on-agent.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const promptDefinitions = {
	"prompt.queue": onAgent({
		schema: PromptQueue,
		allowedActors: "everyone",
		startsWork: false,
		texts: ({ text }) => [text],
		load: async (work, { now }, { agent, limits }) => {
			const caller = agentOf(work.envelope.actor);
			const claimed = now ? claim(agent, await capacityOf(work, limits), true) : null;
			return {
				...(await work.tx.queueEnds(agent.id)),
				above: await work.tx.above(agent.id),
				caller: caller === null ? null : ((await work.agent(caller)) ?? null),
				lengthMax: limits.queueLengthMax,
				short: claimed !== null && "short" in claimed ? claimed.short : null,
			};
		},
		decide: decideQueue,
		subject: "the event",
	}),
	"prompt.edit": onAgent({
		schema: PromptEdit,
		allowedActors: "people",
		startsWork: false,
		texts: ({ text }) => [text],
		load: queueOf,
		decide: decideEdit,
	}),
	"prompt.move": onAgent({
		schema: PromptMove,
		allowedActors: "people",
		startsWork: false,
		load: queueOf,
		decide: decideMovePrompt,
	}),
	"prompt.cancel": onAgent({
		schema: PromptCancel,
		allowedActors: "people",
		startsWork: false,
		load: queueOf,
		decide: decideCancel,
	}),
};

function queueOf({ tx }: UnitOfWork, { agent }: { agent: PromptState["agent"] }): Promise<PromptState[]> {
	return tx.prompts(agent);
}
