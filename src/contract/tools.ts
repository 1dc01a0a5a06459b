// The tools that agents get: what each is called, what it is for, and what it takes. They do no more than the routes of the same
// meaning, with the token of the agent's process. No description names an agent, so that all agents see the same bytes.
import { z } from "zod";
import { EventId, Handle } from "./ids.ts";
import { StageName } from "./preset.ts";
import { agentRoutes } from "./routes/agents.ts";
import { conditions } from "./wait.ts";

const whom = z.string().min(1).max(200).describe("an agent's handle or id");
const fork = agentRoutes.fork.body.shape;

export const tools = {
	fork: {
		description:
			"Make a child agent that works beside you on something of its own. Give it everything that it has to know in the prompt, or let it inherit this conversation. Answers with its id and handle.",
		input: z.strictObject({
			prompt: z.string().min(1).describe("what the child is to do"),
			name: Handle.optional().describe("its handle; made up if absent"),
			inherit: z.boolean().default(false).describe("whether the child knows this conversation"),
			type: fork.type.describe("another agent type than your own, if your policy is full"),
			model: fork.model.describe("another model than your own"),
			tokens: z.int().positive().optional().describe("how much of your budget it gets; half of what is left if absent"),
			workspace: fork.workspace.describe("none, share (work in your files), or the kind of its own"),
		}),
	},
	kill: {
		description: "End yourself or an agent below you. Its conversation and its files are kept.",
		input: z.strictObject({
			agent: whom,
			cascade: z.boolean().default(false).describe("everything below it too"),
			reason: z.string().max(1000).default(""),
		}),
	},
	interrupt: {
		description: "Stop what an agent below you is doing now.",
		input: z.strictObject({
			agent: whom,
			reason: z.string().max(1000).default(""),
			resume: z.boolean().default(false).describe("whether it goes on with its queue; otherwise it is held"),
		}),
	},
	send: {
		description: "Send a mail to an agent of your project. It reads it when it has time, or at once if it is urgent and the agent is above or below you.",
		input: z.strictObject({ agent: whom, body: z.string().min(1), urgent: z.boolean().default(false) }),
	},
	check_mail: { description: "See what is in your mailbox. Nothing is marked as read.", input: z.strictObject({}) },
	read_mail: {
		description: "Take your unread mail, oldest first. Each mail is given out once.",
		input: z.strictObject({ mail: EventId.optional().describe("only this one") }),
	},
	wait: {
		description:
			"Wait for agents of your project. Answers at once if it has happened already. Otherwise you may be told to end your turn; then you are continued when it has happened.",
		input: z.strictObject({
			agents: z.array(whom).max(100).default([]),
			children: z.boolean().default(false).describe("for all agents that you supervise"),
			for: z.enum(conditions).default("idle").describe("idle: nothing left to do; turn: a turn has ended; mail: it has mail; ended: it is no more"),
			mode: z.enum(["all", "any"]).default("all"),
			timeoutSeconds: z
				.number()
				.nonnegative()
				.max(30 * 24 * 60 * 60)
				.optional(),
		}),
	},
	list_agents: { description: "List the agents of your project and what they are doing.", input: z.strictObject({}) },
	queue_prompt: {
		description: "Queue a prompt for yourself or an agent below you. It runs when what is before it in the queue is done.",
		input: z.strictObject({ agent: whom, text: z.string().min(1), front: z.boolean().default(false).describe("before what waits there") }),
	},
	commit: {
		description: "Commit your work in your own workspace, in your name.",
		input: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional().describe("only these; everything that changed if absent"),
		}),
	},
	diff: {
		description: "See what differs in your workspace.",
		input: z.strictObject({ against: z.string().default("base").describe("base, index, or an agent below you") }),
	},
	work_complete: {
		description: "Say that the work on your issue is complete for this stage, or that it has to go back to an earlier one.",
		input: z.strictObject({ summary: z.string().max(100_000), back: z.boolean().default(false).describe("it has to go back") }),
	},
	comment: {
		description: "Say something about your issue, for everybody who looks at it.",
		input: z.strictObject({ text: z.string().min(1).max(100_000) }),
	},
	stage_message: {
		description: "Leave a note for the agent of a later stage of your issue. It is told once.",
		input: z.strictObject({ stage: StageName, text: z.string().min(1).max(100_000) }),
	},
	search: {
		description: "Find what was said in your project: the items that have all of these words, newest first.",
		input: z.strictObject({
			text: z.string().min(1).max(1000).describe("the words; parse* stands for all that begin with it"),
			agent: whom.optional(),
			limit: z.int().positive().max(100).default(20),
		}),
	},
} satisfies Record<string, { description: string; input: z.ZodObject }>;

export type ToolName = keyof typeof tools;
export type ToolInput<T extends ToolName> = z.infer<(typeof tools)[T]["input"]>;

export const toolNames = Object.keys(tools).filter((name): name is ToolName => name in tools);
