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
		load: queuedPrompt,
		decide: decideEdit,
	}),
	"prompt.move": onAgent({
		schema: PromptMove,
		allowedActors: "people",
		startsWork: false,
		load: ({ tx }, { agent }) => tx.queueOrder(agent),
		decide: decideMovePrompt,
	}),
	"prompt.cancel": onAgent({
		schema: PromptCancel,
		allowedActors: "people",
		startsWork: false,
		load: async (work, { agent, prompt }) => {
			if (prompt === undefined) return await work.tx.queueOrder(agent);
			return [await queuedPrompt(work, { agent, prompt })].filter((found) => found !== undefined);
		},
		decide: decideCancel,
	}),
};

/** The prompt, if it waits in the agent's queue. */
async function queuedPrompt(
	{ tx }: UnitOfWork,
	{ agent, prompt }: Pick<PromptCancel, "agent"> & { prompt: number },
): Promise<PromptState | undefined> {
	const found = await tx.prompt(prompt);
	return found?.agent === agent && found.taken === null ? found : undefined;
}
