// One entry of the HTTP surface, and what many of them share.
import { z } from "zod";
import { AfterQuery } from "../after-query.ts";
import type { Command } from "../command.ts";
import { type AgentId, ProjectSlug } from "../ids.ts";
import { pageMax } from "../page.ts";
import { type PersonRole, roles } from "../person.ts";
import { Reason } from "../text.ts";

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
	/** dispatched to the agent of the path with the body, and answered with the agent: such a route needs no handler */
	command?: AgentCommand;
	/** the least role that may call it; if absent, `viewer` for what only reads and `member` for the rest */
	role?: "viewer" | "admin";
	/**
	 * where it has to be carried out, because it needs files or processes: at the node of the agent, of the project (or
	 * the issue's project), or at the one that the request names as `node` or `to`; if absent, at whichever node is asked
	 */
	at?: "agent" | "project" | "node";
	/**
	 * while that node is not active, or only if it was removed, the node that is asked answers from rows alone
	 */
	fromRows?: "not active" | "removed";
	/** whether an agent may call it with its token; most routes are for people */
	agents?: true;
	/** only for our own clients: it is not in the API document */
	internal?: true;
}

/** Whether a role may call a route. */
export function isEnough(role: PersonRole, route: Pick<Route, "method" | "role">): boolean {
	return roles.indexOf(role) >= roles.indexOf(leastRole(route));
}

export const leastRole = ({ method, role }: Pick<Route, "method" | "role">): PersonRole =>
	role ?? (method === "get" ? "viewer" : "member");

type Parts = Omit<Route, "method" | "path" | "summary">;
/** The parts that a route names, and the rest of those that all routes of its kind have. */
type With<Common, Own> = Own & Omit<Common, keyof Own>;

const routeOf =
	<const M extends Route["method"], const Common extends Partial<Parts>>(
		method: M,
		common: Common,
		base: Route["path"] | "" = "",
	) =>
	<const Own extends Omit<Parts, keyof Common> & Partial<Parts>>(path: string, summary: string, own: Own) => ({
		method,
		path: `${base}${path}` as Route["path"],
		summary,
		...({ ...common, ...own } as With<Common, Own>),
	});

export const none = z.strictObject({});
export const get = routeOf("get", {});
export const post = routeOf("post", { body: none });
export const remove = routeOf("delete", {});

/** Of a list: only what is in this project. */
export const scope = z.strictObject({ project: ProjectSlug.optional() });

/** With a name in the path. */
export const lookup = z.strictObject({
	project: ProjectSlug.optional().describe("where the name is looked up first"),
});

const below = <const Common extends Partial<Parts>>(base: Route["path"], common: Common) => ({
	get: routeOf("get", common, base),
	post: routeOf("post", { body: none, ...common }, base),
	remove: routeOf("delete", common, base),
});

/** The routes of one agent, and of one issue, whose files are where those of its project are. */
export const ofAgent = below("/api/agents/:agent", { query: lookup });
export const ofIssue = below("/api/issues/:issue", { at: "project", query: lookup });

/** Which agents a list has. */
export const agentFilter = { type: z.string().optional(), model: z.string().optional() };
export const OptionalReason = Reason.default("");

/** The query of every list: the page size, and the `next` of the page before. */
export const Paging = z.object({
	limit: z.coerce.number().int().positive().max(pageMax).optional(),
	after: AfterQuery.optional(),
});

export const isList = ({ answer }: Pick<Route, "answer">): boolean => answer instanceof z.ZodArray;

/** A route's own query, and paging if it answers a list. */
export function queryOf({ answer, query = none }: Pick<Route, "answer" | "query">): z.ZodObject {
	return isList({ answer }) ? query.extend(Paging.shape) : query;
}
