// What stands in the paths and headers of the API.
import { z } from "zod";
import { BrowserId } from "#contract/browser.ts";
import { AgentType, EventId, Key, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import { IssueNumber } from "#contract/issue.ts";
import { agentFilter, Paging, scope } from "#contract/routes/route.ts";
import { SnapshotId } from "#contract/routes/workspaces.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

interface Parameter {
	schema: z.ZodType;
	description: string;
}

/** Every name that a path has behind a colon. */
const inPath: Record<string, Parameter> = {
	agent: {
		schema: z.string(),
		description: "an agent: its id, the beginning of its id, its handle, or `project/handle`",
	},
	browser: { schema: BrowserId, description: "the id of a browser that is signed in" },
	approval: { schema: EventId, description: "the id of an approval" },
	issue: {
		schema: z.string(),
		description:
			"an issue: `project#number`, a number together with `?project=`, or `mine` for the issue of the agent that asks",
	},
	item: { schema: EventId, description: "the id of an item" },
	mail: { schema: EventId, description: "the id of a mail" },
	on: { schema: IssueNumber, description: "the number of the other issue" },
	project: { schema: ProjectSlug, description: "the slug of a project" },
	prompt: { schema: EventId, description: "the id of a prompt" },
	snapshot: { schema: SnapshotId, description: "the id of a snapshot" },
	subscription: { schema: SubscriptionName, description: "the name of a subscription" },
	turn: { schema: z.union([EventId, z.literal("last")]), description: "the id of a turn, or `last` for the latest" },
	type: { schema: AgentType, description: "an agent type" },
	wait: { schema: EventId, description: "the id of a wait" },
};

/** What many routes take in their query, under the same name. */
const inManyQueries: Record<string, z.core.$ZodType> = { ...scope.shape, ...Paging.shape, ...agentFilter };

const keyHeader = {
	name: "Idempotency-Key",
	in: "header",
	description:
		"Carries the request out once: a retry with the same key gets the first answer, another request with the same key is refused with CONFLICT. " +
		"A key belongs to its caller and is remembered for 7 days (`limits.receiptsKeptMs`).",
};

const componentRef = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

/** `agentPath`, `projectQuery` and the like, and the key. */
export function parameterComponents(schemas: Schemas): Record<string, JsonSchema> {
	const paths = Object.entries(inPath).map(([name, { schema, description }]) => [
		`${name}Path`,
		{ name, in: "path", required: true, description, schema: schemas.read(schema) },
	]);
	const queries = Object.entries(inManyQueries).map(([name, schema]) => [
		`${name}Query`,
		queryParameter(name, schema, schemas),
	]);
	return { ...Object.fromEntries([...paths, ...queries]), idempotencyKey: { ...keyHeader, schema: schemas.read(Key) } };
}

export const idempotencyKey = componentRef("idempotencyKey");

export function pathParameters(path: string): JsonSchema[] {
	return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
		if (inPath[name] === undefined) throw new Error(`${path}: say in openapi/parameters.ts what :${name} is`);
		return componentRef(`${name}Path`);
	});
}

/** One that many routes have is described once. */
export function queryParameters(query: z.ZodObject | undefined, schemas: Schemas): JsonSchema[] {
	return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
		const own = queryParameter(name, schema, schemas);
		const shared = inManyQueries[name] && queryParameter(name, inManyQueries[name], schemas);
		return JSON.stringify(own) === JSON.stringify(shared) ? componentRef(`${name}Query`) : own;
	});
}

function queryParameter(name: string, schema: z.core.$ZodType, schemas: Schemas): JsonSchema {
	const read = schemas.read(schema);
	// several values are written behind each other, with commas
	const list = read["type"] === "array" && { style: "form", explode: false };
	return {
		name,
		in: "query",
		...(!z.safeParse(schema, undefined).success && { required: true }),
		...list,
		schema: read,
	};
}
