// What stands in the paths and headers of the API.
import { z } from "zod";
import { BrowserId } from "#contract/browser.ts";
import { AgentType, EventId, IdempotencyKey, PersonName, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import { IssueNumber } from "#contract/issue.ts";
import { NodeName } from "#contract/node.ts";
import { SnapshotId } from "#contract/routes/workspaces.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

interface Parameter {
	schema: z.ZodType;
	description: string;
}

/** Every name that a path has after a colon. */
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
	node: { schema: NodeName, description: "the name or id of a node" },
	person: { schema: PersonName, description: "the name of a person" },
	project: { schema: ProjectSlug, description: "the slug of a project" },
	prompt: { schema: EventId, description: "the id of a prompt" },
	snapshot: { schema: SnapshotId, description: "the id of a snapshot" },
	subscription: { schema: SubscriptionName, description: "the name of a subscription" },
	turn: { schema: z.union([EventId, z.literal("last")]), description: "the id of a turn, or `last` for the latest" },
	type: { schema: AgentType, description: "an agent type" },
	wait: { schema: EventId, description: "the id of a wait" },
};

const keyHeader = {
	name: "Idempotency-Key",
	in: "header",
	description:
		"A retry with the same key gets the first answer, another request with the same key CONFLICT. " +
		"A key belongs to its caller and is kept for 7 days.",
};

export function idempotencyKey(schemas: Schemas): JsonSchema {
	return { ...keyHeader, schema: schemas.read(IdempotencyKey) };
}

export function pathParameters(path: string, schemas: Schemas): JsonSchema[] {
	return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
		const known = inPath[name];
		if (known === undefined) throw new Error(`${path}: say in openapi/parameters.ts what :${name} is`);
		const { schema, description } = known;
		return { name, in: "path", required: true, description, schema: schemas.read(schema) };
	});
}

export function queryParameters(query: z.ZodObject | undefined, schemas: Schemas): JsonSchema[] {
	return Object.entries(query?.shape ?? {}).map(([name, schema]) => queryParameter(name, schema, schemas));
}

function queryParameter(name: string, schema: z.core.$ZodType, schemas: Schemas): JsonSchema {
	const read = schemas.read(schema);
	// several values are written one after another, with commas
	const list = read["type"] === "array" && { style: "form", explode: false };
	const { description } = z.globalRegistry.get(schema) ?? {};
	return {
		name,
		in: "query",
		...(description !== undefined && { description }),
		...(!z.safeParse(schema, undefined).success && { required: true }),
		...list,
		schema: read,
	};
}
