// Agents: made, looked at, configured, stopped, moved.
import { z } from "zod";
import { Settings } from "../agent.ts";
import { AgentInterrupt, AgentKill, AgentPause, AgentReap, AgentSpawn } from "../agent-commands.ts";
import { Policy } from "../approval.ts";
import { withConversation, withoutConversation } from "../context-words.ts";
import { AgentId, EventId, ProjectSlug, SubscriptionName } from "../ids.ts";
import { NodeId } from "../node.ts";
import { BudgetRequest } from "../usage.ts";
import { Agent, Progress, Snapshot } from "../wire.ts";
import { workspaceKinds } from "../workspace.ts";
import { agentFilter, get, OptionalReason, ofAgent, post, scope } from "./route.ts";

const { name, title, prompt, agentType, model, program, subscription, policy, budget, from } = AgentSpawn.shape;
/** The body for a new agent; `type` is another name for `agentType`. */
const NewAgent = {
	...{ name, title, prompt, agentType, type: agentType, model, program, subscription, policy, budget },
	/** `none`, `share` (the parent's) or the kind of its own */
	workspace: z.enum(["none", "share", ...workspaceKinds]).optional(),
	from,
	/** the node that it lives at, by name or id; if absent, that of its parent or project, or one with free places */
	node: z.string().max(64).optional(),
	/** false: answered before its workspace is ready */
	wait: z.boolean().default(true),
};

/** The fields that the path gives. */
const addressed = { type: true, agent: true } as const;

export const agentRoutes = {
	agents: get("/api/agents", "list agents, oldest first; reaped ones only if asked for", {
		query: scope.extend({ ...agentFilter, reaped: z.stringbool().default(false) }),
		answer: z.array(Agent),
		agents: true,
	}),
	agentsOf: get("/api/projects/:project/agents", "list the agents of a project, oldest first", {
		query: z.strictObject({ ...agentFilter, reaped: z.stringbool().default(false) }),
		answer: z.array(Agent),
	}),
	progress: get("/api/progress", "show the last output of each living agent, and the state of its branch", {
		query: scope.extend({
			agent: AgentId.optional(),
			/** only the agents of this node */
			node: NodeId.optional(),
		}),
		answer: z.array(Progress),
	}),
	agent: ofAgent.get("", "show one agent", { answer: Agent }),
	agentAdd: post("/api/agents", "add an agent under agent 0, without a project", {
		body: z.strictObject(NewAgent),
		answer: Agent,
	}),
	agentAddTo: post("/api/projects/:project/agents", "add an agent under agent 0, in a project", {
		at: "project",
		body: z.strictObject(NewAgent),
		answer: Agent,
	}),
	fork: ofAgent.post("/fork", `add a child ${withConversation}, or ${withoutConversation}`, {
		at: "agent",
		body: z.strictObject({
			...NewAgent,
			at: EventId.optional(),
			fresh: z.boolean().optional(),
			/** of a fork of agent 0; all others stay in their parent's */
			project: ProjectSlug.optional(),
		}),
		answer: Agent,
		agents: true,
	}),
	kill: ofAgent.post("/kill", "end an agent; with cascade, everything below it too", {
		body: AgentKill.omit(addressed),
		/** `endedBelow`: how many agents below it ended with it; 0 without cascade */
		answer: Agent.extend({ endedBelow: z.int() }),
		agents: true,
	}),
	agentDelete: ofAgent.post(
		"/delete",
		"end an agent for good and move its workspace to the trash, if nothing waits for it and its work is merged",
		{
			at: "agent",
			fromRows: "removed",
			alias: { method: "delete", path: "/api/agents/:agent" },
			body: z.strictObject({
				force: z.boolean().default(false),
				deleteBranch: z.boolean().default(false),
				reason: OptionalReason,
			}),
			answer: Agent,
		},
	),
	settings: ofAgent.get(
		"/settings",
		"show an agent's system prompt, and the files that it reads in every turn; an agent asks for its own",
		{ answer: Settings, agents: true },
	),
	configure: ofAgent.post("/configure", "change an agent's settings; settings that are not named stay as they are", {
		alias: { method: "patch", path: "/api/agents/:agent" },
		body: z.strictObject({
			/** only of agent 0 */
			type: agentType,
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
	interrupt: ofAgent.post("/interrupt", "stop the running turn", {
		at: "agent",
		body: AgentInterrupt.omit(addressed),
		command: AgentInterrupt,
		answer: Agent,
		agents: true,
	}),
	pause: ofAgent.post("/pause", "start no further turns", {
		body: AgentPause.omit(addressed),
		command: AgentPause,
		answer: Agent,
	}),
	resume: ofAgent.post("/resume", "let a paused agent continue", {
		at: "agent",
		body: z.strictObject({ reason: OptionalReason }),
		answer: Agent,
	}),
	recover: ofAgent.post("/recover", "clear error holds and repair the workspace", {
		at: "agent",
		/** `repaired` says what was done to the workspace; null if nothing was */
		answer: Agent.extend({ repaired: z.string().nullable() }),
	}),
	agentMove: ofAgent.post(
		"/move",
		"move an idle agent to another node, also away from one that is down; its files come from its last snapshot",
		{
			at: "node",
			/** `force`: from its last snapshot, without asking its present node for a newer one */
			body: z.strictObject({ to: z.string().min(1).max(64), force: z.boolean().default(false) }),
			/** `missing`: files that stayed behind, because no snapshot holds them; `notes`: what else the agent was told */
			answer: Agent.extend({ missing: Snapshot.shape.missing, notes: z.array(z.string()) }),
		},
	),
	agentUpload: ofAgent.post("/upload", "take a snapshot and store it where every node can read it", {
		at: "agent",
		answer: Agent,
	}),
	reap: ofAgent.post("/reap", "hide an ended agent", {
		body: AgentReap.omit(addressed),
		command: AgentReap,
		answer: Agent,
	}),
};
