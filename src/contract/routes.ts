// The HTTP surface as data: the server answers these, the client asks for these, and the OpenAPI document is written
// from them. Everything a surface can do goes through here; no surface has a private door.
import { z } from "zod";
import { AgentSpawn } from "./agent.ts";
import { EventId, Handle, ProjectSlug } from "./ids.ts";
import { Agent, Item, Mail, Project, Prompt, Status, Turn } from "./wire.ts";

export interface Route {
	method: "get" | "post" | "delete";
	/** `:name` stands for a parameter, always a text */
	path: `/api/${string}`;
	summary: string;
	query?: z.ZodObject;
	body?: z.ZodObject;
	answer: z.ZodType;
	/** whether an agent may ask with the token of its process; most of the house is for people */
	agents?: true;
}

const route = <const R extends Route>(made: R): R => made;

const Reference = { project: ProjectSlug.optional() };
const spawn = AgentSpawn.shape;
/** What a new agent may be told; `type` is another name for `agentType`. */
const Wish = { name: Handle.optional(), title: spawn.title, prompt: spawn.prompt, agentType: spawn.agentType, type: spawn.agentType, model: spawn.model };
const Reason = z.string().max(1000).default("");
const none = z.strictObject({});

export const routes = {
	status: route({ method: "get", path: "/api/status", summary: "the daemon and what it has", answer: Status }),
	backup: route({
		method: "post",
		path: "/api/backup",
		summary: "a consistent copy of the store",
		body: z.strictObject({ file: z.string().regex(/^\/[^\0]{0,4095}$/, "an absolute path") }),
		answer: z.object({ file: z.string(), bytes: z.int() }),
	}),
	projects: route({ method: "get", path: "/api/projects", summary: "all projects", answer: z.array(Project) }),
	project: route({ method: "get", path: "/api/projects/:project", summary: "one project", answer: Project }),
	projectAdd: route({
		method: "post",
		path: "/api/projects",
		summary: "add a project",
		body: z.strictObject({ slug: ProjectSlug, path: z.string() }),
		answer: Project,
	}),
	projectRemove: route({ method: "delete", path: "/api/projects/:project", summary: "remove a project; its folder is not touched", answer: Project }),

	agents: route({
		method: "get",
		path: "/api/agents",
		summary: "all agents, oldest first; ended ones that were reaped only if asked for",
		query: z.strictObject({ project: ProjectSlug.optional(), reaped: z.stringbool().default(false) }),
		answer: z.array(Agent),
		agents: true,
	}),
	agent: route({ method: "get", path: "/api/agents/:agent", summary: "one agent", query: z.strictObject(Reference), answer: Agent }),
	agentAdd: route({ method: "post", path: "/api/agents", summary: "a new agent under agent 0, without a project", body: z.strictObject(Wish), answer: Agent }),
	agentAddTo: route({
		method: "post",
		path: "/api/projects/:project/agents",
		summary: "a new agent under agent 0, in a project",
		body: z.strictObject(Wish),
		answer: Agent,
	}),
	fork: route({
		method: "post",
		path: "/api/agents/:agent/fork",
		summary: "a child with the agent's conversation, or a fresh one",
		query: z.strictObject(Reference),
		body: z.strictObject({ ...Wish, at: EventId.optional(), fresh: z.boolean().optional() }),
		answer: Agent,
		agents: true,
	}),
	kill: route({
		method: "post",
		path: "/api/agents/:agent/kill",
		summary: "end an agent; with cascade, everything below it too",
		query: z.strictObject(Reference),
		body: z.strictObject({ cascade: z.boolean().default(false) }),
		answer: Agent,
		agents: true,
	}),
	interrupt: route({
		method: "post",
		path: "/api/agents/:agent/interrupt",
		summary: "stop the open turn",
		query: z.strictObject(Reference),
		body: z.strictObject({ reason: Reason, resume: z.boolean().default(false) }),
		answer: Agent,
		agents: true,
	}),
	pause: route({
		method: "post",
		path: "/api/agents/:agent/pause",
		summary: "start no further turns",
		query: z.strictObject(Reference),
		body: z.strictObject({ reason: Reason }),
		answer: Agent,
	}),
	resume: route({
		method: "post",
		path: "/api/agents/:agent/resume",
		summary: "end the holds that may be ended",
		query: z.strictObject(Reference),
		body: none,
		answer: Agent,
	}),
	recover: route({
		method: "post",
		path: "/api/agents/:agent/recover",
		summary: "end the holds that trouble set",
		query: z.strictObject(Reference),
		body: none,
		answer: Agent,
	}),
	reap: route({ method: "post", path: "/api/agents/:agent/reap", summary: "hide an ended agent", query: z.strictObject(Reference), body: none, answer: Agent }),

	queue: route({
		method: "get",
		path: "/api/agents/:agent/queue",
		summary: "the prompts that wait",
		query: z.strictObject(Reference),
		answer: z.array(Prompt),
	}),
	prompt: route({
		method: "post",
		path: "/api/agents/:agent/queue",
		summary: "queue a prompt",
		query: z.strictObject(Reference),
		body: z.strictObject({ text: z.string().min(1), front: z.boolean().default(false) }),
		answer: Prompt,
		agents: true,
	}),
	turns: route({
		method: "get",
		path: "/api/agents/:agent/turns",
		summary: "its turns, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Turn),
	}),
	items: route({
		method: "get",
		path: "/api/agents/:agent/items",
		summary: "its thread, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Item),
	}),
	context: route({
		method: "get",
		path: "/api/agents/:agent/context",
		summary: "what its model sees, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Item),
	}),
	clear: route({
		method: "post",
		path: "/api/agents/:agent/clear",
		summary: "begin a new context",
		query: z.strictObject(Reference),
		body: none,
		answer: Item,
	}),
	mark: route({
		method: "post",
		path: "/api/agents/:agent/mark",
		summary: "name a place in the context",
		query: z.strictObject(Reference),
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),
	rewind: route({
		method: "post",
		path: "/api/agents/:agent/rewind",
		summary: "go back to a mark",
		query: z.strictObject(Reference),
		body: z.strictObject({ name: z.string().optional() }),
		answer: Item,
	}),

	send: route({
		method: "post",
		path: "/api/agents/:agent/mail",
		summary: "send it a mail",
		query: z.strictObject(Reference),
		body: z.strictObject({ body: z.string().min(1) }),
		answer: Mail,
		agents: true,
	}),
	mail: route({
		method: "get",
		path: "/api/agents/:agent/mail",
		summary: "its mail, oldest first",
		query: z.strictObject(Reference),
		answer: z.array(Mail),
		agents: true,
	}),
	mailRead: route({
		method: "post",
		path: "/api/agents/:agent/mail/read",
		summary: "take the unread mail, oldest first; each is given out once",
		query: z.strictObject(Reference),
		body: z.strictObject({ mail: EventId.optional() }),
		answer: z.array(Mail),
		agents: true,
	}),
	mailDelete: route({
		method: "delete",
		path: "/api/agents/:agent/mail/:mail",
		summary: "delete a mail",
		query: z.strictObject(Reference),
		answer: Mail,
		agents: true,
	}),
} satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
