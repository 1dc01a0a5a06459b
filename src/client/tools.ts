// The tools for agents: name, description, input, and the route that each calls with the token of the agent's
// process. No description names an agent, so that all agents send the same prompt prefix.
import { z } from "zod";
import { withConversation, withoutConversation } from "#contract/context-words.ts";
import { EventId, Handle } from "#contract/ids.ts";
import { StageName } from "#contract/preset.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { agentRoutes } from "#contract/routes/agents.ts";
import type { CallRoute } from "#contract/routes.ts";
import { conditions } from "#contract/wait.ts";
import {
	agentList,
	committed,
	differing,
	ended,
	forked,
	interrupted,
	issueAnswer,
	mailbox,
	mailRead,
	queued,
	searched,
	sent,
	type ToolAnswer,
	waited,
} from "#views/tool-answers.ts";

export interface ToolContext {
	/** the id of the agent that uses the tool */
	self: string;
	call: CallRoute;
	/** aborting it ends a wait */
	stopped?: { readonly aborted: boolean };
}

interface ToolParts<I extends z.ZodObject> {
	description: string;
	input: I;
	use(toolContext: ToolContext, input: z.output<I>): Promise<ToolAnswer | Refusal>;
}

/** A tool whose `use` gets parsed input. */
const tool = <I extends z.ZodObject>({ description, input, use }: ToolParts<I>) => ({
	description,
	input,
	run: async (toolContext: ToolContext, name: string, given: unknown): Promise<ToolAnswer | Refusal> => {
		const parsed = input.safeParse(given ?? {});
		if (parsed.success) return await use(toolContext, parsed.data);
		return refuse(
			"VALIDATION_ERROR",
			parsed.error.issues.map(({ path, message }) => `${path.join(".") || name}: ${message}`).join("; "),
		);
	},
});

export async function useTool(name: ToolName, input: unknown, toolContext: ToolContext): Promise<ToolAnswer | Refusal> {
	return await tools[name].run(toolContext, name, input);
}

const agentName = z.string().min(1).max(200).describe("an agent's handle or id");
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

export const tools = {
	fork: tool({
		description:
			"Make a child agent that works beside you on something of its own. Give it everything that it has to know in the prompt, or let it inherit this conversation. Answers with its id and handle.",
		input: z.strictObject({
			prompt: z.string().min(1).describe("what the child is to do"),
			name: Handle.optional().describe("its handle; made up if absent"),
			inherit: z.boolean().default(false).describe(`true: ${withConversation}; false: ${withoutConversation}`),
			type: fork.type.describe("another agent type than your own, if your policy is full"),
			model: fork.model.describe("another model than your own"),
			tokens: z.int().positive().optional().describe("how much of your budget it gets; half of what is left if absent"),
			workspace: fork.workspace.describe("none, share (work in your files), or the kind of its own"),
		}),
		use: async ({ self, call }, { inherit, tokens, ...request }) =>
			reply(
				await call("fork", {
					params: { agent: self },
					body: { ...request, fresh: !inherit, ...(tokens !== undefined && { budget: { tokens } }) },
				}),
				forked,
			),
	}),
	kill: tool({
		description: "End yourself or an agent below you. Its conversation and its files are kept.",
		input: z.strictObject({
			agent: agentName,
			cascade: z.boolean().default(false).describe("everything below it too"),
			reason: z.string().max(1000).default(""),
		}),
		use: async ({ call }, { agent, ...body }) => reply(await call("kill", { params: { agent }, body }), ended),
	}),
	interrupt: tool({
		description: "Stop what an agent below you is doing now.",
		input: z.strictObject({
			agent: agentName,
			reason: z.string().max(1000).default(""),
			resume: z.boolean().default(false).describe("whether it goes on with its queue; otherwise it is held"),
		}),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("interrupt", { params: { agent }, body }), interrupted),
	}),
	send: tool({
		description:
			"Send a mail to an agent of your project. It reads it when it has time, or at once if it is urgent and the agent is above or below you.",
		input: z.strictObject({ agent: agentName, body: z.string().min(1), urgent: z.boolean().default(false) }),
		use: async ({ call }, { agent, ...body }) =>
			reply(await call("send", { params: { agent }, body }), (mail) => sent(mail, body)),
	}),
	check_mail: tool({
		description: "See what is in your mailbox. Nothing is marked as read.",
		input: z.strictObject({}),
		use: async ({ self, call }) => reply(await call("mail", { params: { agent: self } }), mailbox),
	}),
	read_mail: tool({
		description: "Take your unread mail, oldest first. Each mail is given out once.",
		input: z.strictObject({ mail: EventId.optional().describe("only this one") }),
		use: async ({ self, call }, body) => reply(await call("mailRead", { params: { agent: self }, body }), mailRead),
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
		use: async ({ self, call }) => reply(await call("agents", {}), (agents) => agentList(agents, self)),
	}),
	queue_prompt: tool({
		description:
			"Queue a prompt for yourself or an agent below you. It runs when what is before it in the queue is done.",
		input: z.strictObject({
			agent: agentName,
			text: z.string().min(1),
			front: z.boolean().default(false).describe("before what waits there"),
		}),
		use: async ({ call }, { agent, ...body }) => reply(await call("prompt", { params: { agent }, body }), queued),
	}),
	commit: tool({
		description: "Commit your work in your own workspace, in your name.",
		input: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional().describe("only these; everything that changed if absent"),
		}),
		use: async ({ self, call }, body) => reply(await call("commit", { params: { agent: self }, body }), committed),
	}),
	diff: tool({
		description: "See what differs in your workspace.",
		input: z.strictObject({ against: z.string().default("base").describe("base, index, or an agent below you") }),
		use: async ({ self, call }, query) => reply(await call("diff", { params: { agent: self }, query }), differing),
	}),
	work_complete: tool({
		description:
			"Say that the work on your issue is complete for this stage, or that it has to go back to an earlier one.",
		input: z.strictObject({
			summary: z.string().max(100_000),
			back: z.boolean().default(false).describe("it has to go back"),
		}),
		use: async ({ call }, body) =>
			reply(await call("workComplete", { params: ownIssue, body }), (issue) =>
				issueAnswer(issue, "The stage is complete."),
			),
	}),
	comment: tool({
		description: "Say something about your issue, for everybody who looks at it.",
		input: z.strictObject({ text: z.string().min(1).max(100_000) }),
		use: async ({ call }, body) =>
			reply(await call("issueComment", { params: ownIssue, body }), (issue) =>
				issueAnswer(issue, "Your comment was kept."),
			),
	}),
	stage_message: tool({
		description: "Leave a note for the agent of a later stage of your issue. It is told once.",
		input: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
		use: async ({ call }, body) =>
			reply(await call("issueMessage", { params: ownIssue, body }), (issue) =>
				issueAnswer(issue, "Your note was kept."),
			),
	}),
	search: tool({
		description: "Find what was said in your project: the items that have all of these words, newest first.",
		input: z.strictObject({
			text: z.string().min(1).max(1000).describe("the words; parse* stands for all that begin with it"),
			agent: agentName.optional(),
			limit: z.int().positive().max(100).default(20),
		}),
		use: async ({ call }, query) => reply(await call("search", { query }), searched),
	}),
};

export type ToolName = keyof typeof tools;
export const toolNames = Object.keys(tools).filter((name): name is ToolName => name in tools);

/** The issue that the agent works on. */
const ownIssue = { issue: "mine" };

/** Blocks inside the turn, if the agent's program can; any other agent is told to end its turn. */
async function wait(
	{ call, stopped }: ToolContext,
	{ timeoutSeconds, ...request }: z.output<typeof Waiting>,
): Promise<ToolAnswer | Refusal> {
	const body = { ...request, ...(timeoutSeconds !== undefined && { timeoutMs: Math.round(timeoutSeconds * 1000) }) };
	let now = await call("waitOpen", { body });
	while (!isRefusal(now) && now.state === "open" && now.blocking && stopped?.aborted !== true)
		now = await call("wait", { params: { wait: String(now.id) }, query: { block: true } });
	return reply(now, waited);
}

function reply<T extends object>(answer: T | Refusal, render: (answer: T) => ToolAnswer): ToolAnswer | Refusal {
	return isRefusal(answer) ? answer : render(answer);
}
