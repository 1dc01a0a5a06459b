// Tools for other agents: making them, stopping them, waiting for them, giving them work.
import { z } from "zod";
import { withConversation, withoutConversation } from "#contract/context-words.ts";
import { Handle } from "#contract/ids.ts";
import type { Refusal } from "#contract/refusal.ts";
import { agentRoutes } from "#contract/routes/agents.ts";
import type { AnswerOf } from "#contract/routes.ts";
import { conditions } from "#contract/wait.ts";
import type { Agent } from "#contract/wire.ts";
import { waitInTurn } from "../wait-in-turn.ts";
import { agentName, reply, type ToolAnswer, type ToolContext, tool } from "./tool.ts";

const fork = agentRoutes.fork.body.shape;

const Waiting = z.strictObject({
	agents: z.array(agentName).max(100).default([]),
	children: z.boolean().default(false).describe("for all agents that you supervise"),
	for: z
		.enum(conditions)
		.default("idle")
		.describe("idle: nothing left to do; turn: a turn has ended; mail: it has mail; ended: the agent has ended"),
	mode: z.enum(["all", "any"]).default("all"),
	timeoutSeconds: z
		.number()
		.nonnegative()
		.max(30 * 24 * 60 * 60)
		.optional(),
});

export const agentTools = {
	fork: tool({
		description:
			"Make a child agent that works beside you on something of its own. Give it everything that it has to know in the prompt, or let it inherit this conversation. Answers with its id and name.",
		input: z.strictObject({
			prompt: z.string().min(1).describe("what the child is to do"),
			name: Handle.optional().describe("its handle; made up if absent"),
			inherit: z.boolean().default(false).describe(`true: ${withConversation}; false: ${withoutConversation}`),
			type: fork.type.describe("another agent type than your own, if your policy is full"),
			model: fork.model.describe("another model than your own"),
			tokens: z.int().positive().optional().describe("how much of your budget it gets; half of what is left if absent"),
			workspace: fork.workspace.describe("none, share (work in your files), or the kind of its own"),
		}),
		use: async ({ self, call }, { inherit, tokens, ...request }) => {
			const body = { ...request, fresh: !inherit, ...(tokens !== undefined && { budget: { tokens } }) };
			return reply(await call("fork", { params: { agent: self }, body }), ({ id, handle, label }) => ({
				text: `Your child is ${handle} (id ${id}), ${label}.`,
				data: { id, handle, label },
			}));
		},
	}),
	kill: tool({
		description: "End yourself or an agent below you. Its conversation and its files are kept.",
		input: z.strictObject({
			agent: agentName,
			cascade: z.boolean().default(false).describe("everything below it too"),
			reason: z.string().max(1000).default(""),
		}),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("kill", { params: { agent }, body }), ({ endedBelow, ...ended }) => ({
				text: `${ended.handle} has ended${endedBelow === 0 ? "" : `, with ${endedBelow} below it`}.`,
				data: { ...brief(ended), endedBelow },
			})),
	}),
	interrupt: tool({
		description: "Stop what an agent below you is doing now.",
		input: z.strictObject({
			agent: agentName,
			reason: z.string().max(1000).default(""),
			resume: z.boolean().default(false).describe("whether it goes on with its queue; otherwise it is held"),
		}),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("interrupt", { params: { agent }, body }), (stopped) => ({
				text: `${stopped.handle} was stopped; it is ${stopped.label}.`,
				data: brief(stopped),
			})),
	}),
	wait: tool({
		description:
			"Wait for agents of your project. Answers at once if it has happened already. Otherwise you may be told to end your turn; then you are continued when it has happened.",
		input: Waiting,
		use: wait,
	}),
	list_agents: tool({
		description: "List the agents of your project and what they are doing.",
		input: z.strictObject({}),
		use: async ({ self, call }) =>
			reply(await call("agents", {}), (agents) => {
				const here = agents.find(({ id }) => id === self)?.node;
				const line = ({ id, handle, type, label, queueLength, node }: Agent): string =>
					`${handle} (${id})${id === self ? ", you" : ""}: ${type}, ${label}, queue ${queueLength}${here === undefined || node === here ? "" : ", at another node"}`;
				return {
					text: agents.map(line).join("\n"),
					data: {
						agents: agents.map((agent) => {
							const { supervisor, queueLength, unreadMail, node } = agent;
							return { ...brief(agent), supervisor, queueLength, unreadMail, node };
						}),
					},
				};
			}),
	}),
	queue_prompt: tool({
		description:
			"Queue a prompt for yourself or an agent below you. It runs when what is before it in the queue is done.",
		input: z.strictObject({
			agent: agentName,
			text: z.string().min(1),
			front: z.boolean().default(false).describe("before what waits there"),
		}),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("prompt", { params: { agent }, body }), ({ id, position }) => ({
				text: position === 0 ? `Prompt ${id} is being run.` : `Prompt ${id} is number ${position} in the queue.`,
				data: { id, position },
			})),
	}),
};

const brief = ({ id, handle, type, label }: Agent) => ({ id, handle, type, label });

/** Blocks inside the turn, if the agent's program can; any other agent is told to end its turn. */
async function wait(
	{ call, stopped }: ToolContext,
	{ timeoutSeconds, ...request }: z.output<typeof Waiting>,
): Promise<ToolAnswer | Refusal> {
	const body = { ...request, ...(timeoutSeconds !== undefined && { timeoutMs: Math.round(timeoutSeconds * 1000) }) };
	return reply(await waitInTurn(call, body, stopped), waited);
}

function waited({ id, state, seen }: AnswerOf<"wait">): ToolAnswer {
	const how = {
		open: "It has not happened yet. End your turn now: you will be continued when it has, or when the time is up.",
		met: "It has happened.",
		timeout: "Time ran out.",
		cancelled: "The wait was ended.",
	}[state];
	const each = seen.map(({ handle, label, met }) => `${handle}: ${label}${met ? "" : ", not yet"}`);
	return { text: [how, ...(state === "open" ? [] : each)].join("\n"), data: { id, state, seen } };
}
