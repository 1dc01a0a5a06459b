// One entry of the HTTP surface, and what many of them share.
import { z } from "zod";
import type { Command } from "../command.ts";
import { type AgentId, ProjectSlug } from "../ids.ts";

/** The schema of a command that names an agent. */
export type AgentCommand = z.ZodType<Extract<Command, { agent: AgentId }>> & { shape: { type: { value: string } } };

export interface Route {
	method: "get" | "post" | "delete";
	/** `:name` stands for a parameter, always a text */
	path: `/api/${string}`;
	/** a second method and path for the same route */
	alias?: { method: "patch" | "delete"; path: `/api/${string}` };
	summary: string;
	query?: z.ZodObject;
	body?: z.ZodObject;
	answer: z.ZodType;
	/** said to the agent of the path, with the body, and answered with the agent: such a route needs no handler */
	command?: AgentCommand;
	/** whether an agent may call it with its token; most routes are for people */
	agents?: true;
}

export const route = <const R extends Route>(made: R): R => made;

/** Where the agent's name in the path is looked for first. */
export const Reference = { project: ProjectSlug.optional() };
export const Reason = z.string().max(1000).default("");
export const none = z.strictObject({});

/** What every list takes: so many at most, and where the page begins, as `next` of the page before said. */
export const Paging = z.object({
	limit: z.coerce.number().int().positive().max(100_000).optional(),
	after: z.coerce.number().int().nonnegative().optional(),
});

export const isList = ({ answer }: Pick<Route, "answer">): boolean => answer instanceof z.ZodArray;

/** All that a route takes in its query. */
export function queryOf(asked: Pick<Route, "answer" | "query">): z.ZodObject {
	const own = asked.query ?? none;
	return isList(asked) ? own.extend(Paging.shape) : own;
}
