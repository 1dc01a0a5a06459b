// One entry of the HTTP surface, and what many of them share.
import { z } from "zod";
import { ProjectSlug } from "../ids.ts";

export interface Route {
	method: "get" | "post" | "delete";
	/** `:name` stands for a parameter, always a text */
	path: `/api/${string}`;
	/** another way to say the same, for those who know it from elsewhere */
	also?: { method: "patch" | "delete"; path: `/api/${string}` };
	summary: string;
	query?: z.ZodObject;
	body?: z.ZodObject;
	answer: z.ZodType;
	/** whether an agent may ask with the token of its process; most of the house is for people */
	agents?: true;
}

export const route = <const R extends Route>(made: R): R => made;

/** Where the agent's name in the path is looked for first. */
export const Reference = { project: ProjectSlug.optional() };
export const Reason = z.string().max(1000).default("");
export const none = z.strictObject({});
