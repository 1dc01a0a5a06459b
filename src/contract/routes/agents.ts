// Agents: made, looked at, signalled.
import { z } from "zod";
import { Settings } from "../agent.ts";
import { AgentInterrupt, AgentKill, AgentPause, AgentReap, AgentSpawn } from "../agent-commands.ts";
import { Policy } from "../approval.ts";
import { EventId, Handle, ProjectSlug, SubscriptionName } from "../ids.ts";
import { BudgetRequest } from "../usage.ts";
import { Agent } from "../wire.ts";
import { workspaceKinds } from "../workspace.ts";
import { none, Reason, Reference, route } from "./route.ts";

const spawn = AgentSpawn.shape;
/** What a new agent may be told; `type` is another name for `agentType`. */
const NewAgent = {
	name: Handle.optional(),
	title: spawn.title,
	prompt: spawn.prompt,
	agentType: spawn.agentType,
	type: spawn.agentType,
	model: spawn.model,
	command: spawn.command,
	subscription: spawn.subscription,
	policy: spawn.policy,
	budget: spawn.budget,
	/** `none`, `share` (the parent's) or the kind of its own */
	workspace: z.enum(["none", "share", ...workspaceKinds]).optional(),
	from: spawn.from,
	/** false: answered before its workspace is ready */
	wait: z.boolean().default(true),
};

/** What the path says of a command. */
const addressed = { type: true, agent: true } as const;

export const agentRoutes = {
	agents: route({
		method: "get",
		path: "/api/agents",
		summary: "all agents, oldest first; ended ones that were reaped only if asked for",
		query: z.strictObject({ project: ProjectSlug.optional(), reaped: z.stringbool().default(false) }),
		answer: z.array(Agent),
		agents: true,
	}),
	agentsOf: route({
		method: "get",
		path: "/api/projects/:project/agents",
		summary: "the agents of a project, oldest first",
		query: z.strictObject({ reaped: z.stringbool().default(false) }),
		answer: z.array(Agent),
	}),
	agent: route({
		method: "get",
		path: "/api/agents/:agent",
		summary: "one agent",
		query: z.strictObject(Reference),
		answer: Agent,
	}),
	agentAdd: route({
		method: "post",
		path: "/api/agents",
		summary: "a new agent under agent 0, without a project",
		body: z.strictObject(NewAgent),
		answer: Agent,
	}),
	agentAddTo: route({
		method: "post",
		path: "/api/projects/:project/agents",
		summary: "a new agent under agent 0, in a project",
		body: z.strictObject(NewAgent),
		answer: Agent,
	}),
	fork: route({
		method: "post",
		path: "/api/agents/:agent/fork",
		summary: "a child with the agent's conversation, or a fresh one",
		query: z.strictObject(Reference),
		body: z.strictObject({ ...NewAgent, at: EventId.optional(), fresh: z.boolean().optional() }),
		answer: Agent,
		agents: true,
	}),
	kill: route({
		method: "post",
		path: "/api/agents/:agent/kill",
		summary: "end an agent; with cascade, everything below it too",
		query: z.strictObject(Reference),
		body: AgentKill.omit(addressed),
		command: AgentKill,
		answer: Agent,
		agents: true,
	}),
	agentDelete: route({
		method: "post",
		path: "/api/agents/:agent/delete",
		alias: { method: "delete", path: "/api/agents/:agent" },
		summary:
			"end an agent for good and put its workspace into the trash, if nothing waits for it and its work is merged",
		query: z.strictObject(Reference),
		body: z.strictObject({ force: z.boolean().default(false), branch: z.boolean().default(false), reason: Reason }),
		answer: Agent,
	}),
	settings: route({
		method: "get",
		path: "/api/agents/:agent/settings",
		summary:
			"what it is told before everything else, and the files that it sees in every turn; an agent asks for its own",
		query: z.strictObject(Reference),
		answer: Settings,
		agents: true,
	}),
	configure: route({
		method: "post",
		path: "/api/agents/:agent/configure",
		alias: { method: "patch", path: "/api/agents/:agent" },
		summary: "change its settings; what is not named stays as it is",
		query: z.strictObject(Reference),
		body: z.strictObject({
			model: z.string().nullable().optional(),
			subscription: SubscriptionName.nullable().optional(),
			policy: Policy.optional(),
			budget: BudgetRequest.optional(),
			systemPrompt: z.string().nullable().optional(),
			pinned: z.array(z.string()).optional(),
			options: z.record(z.string(), z.string()).optional(),
		}),
		answer: Agent,
	}),
	interrupt: route({
		method: "post",
		path: "/api/agents/:agent/interrupt",
		summary: "stop the open turn",
		query: z.strictObject(Reference),
		body: AgentInterrupt.omit(addressed),
		command: AgentInterrupt,
		answer: Agent,
		agents: true,
	}),
	pause: route({
		method: "post",
		path: "/api/agents/:agent/pause",
		summary: "start no further turns",
		query: z.strictObject(Reference),
		body: AgentPause.omit(addressed),
		command: AgentPause,
		answer: Agent,
	}),
	resume: route({
		method: "post",
		path: "/api/agents/:agent/resume",
		summary: "let a paused agent continue",
		query: z.strictObject(Reference),
		body: z.strictObject({ reason: Reason }),
		answer: Agent,
	}),
	recover: route({
		method: "post",
		path: "/api/agents/:agent/recover",
		summary: "clear error holds and repair the workspace",
		query: z.strictObject(Reference),
		body: none,
		answer: Agent,
	}),
	reap: route({
		method: "post",
		path: "/api/agents/:agent/reap",
		summary: "hide an ended agent",
		query: z.strictObject(Reference),
		body: AgentReap.omit(addressed),
		command: AgentReap,
		answer: Agent,
	}),
};
