// The OpenAPI 3.1 document, written from the routes of the contract.
import { z } from "zod";
import { isList, queryOf } from "#contract/routes/route.ts";
import { type Route, routes } from "#contract/routes.ts";
import { eventsOperation } from "./events.ts";
import { idempotencyKey, parameterComponents, pathParameters, queryParameters } from "./parameters.ts";
import { refusalComponents, refusalResponses } from "./refusals.ts";
import { type JsonSchema, Schemas } from "./schemas.ts";

export function openApi(version: string): object {
	const schemas = new Schemas();
	const answers: Record<string, JsonSchema> = {};
	const paths: Record<string, JsonSchema> = { "/api/events": { get: eventsOperation(schemas) } };
	for (const [name, route] of Object.entries<Route>(routes)) {
		for (const way of [route, ...(route.alias ? [{ ...route, ...route.alias }] : [])]) {
			const path = way.path.replace(/:(\w+)/g, "{$1}");
			// an alias needs an operation id of its own
			paths[path] = {
				...paths[path],
				[way.method]: operation(way === route ? name : `${name}Also`, way, schemas, answers),
			};
		}
	}
	const parts = {
		paths,
		parameters: parameterComponents(schemas),
		responses: { ...answers, ...refusalComponents(schemas) },
	};
	const { schemas: components, rest } = schemas.resolved(parts);
	return {
		openapi: "3.1.0",
		info: {
			title: "Brood",
			version,
			description:
				"A process manager for coding agents. Agents use an operation that is also for agents with the token of their turn.",
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "http://127.0.0.1:4180" }],
		security: [{ token: [] }],
		tags: [...new Set(Object.values(routes).map(({ path }) => tagOf(path)))].toSorted().map((name) => ({ name })),
		paths: rest.paths,
		components: {
			securitySchemes: {
				token: {
					type: "http",
					scheme: "bearer",
					description: "The person's token, from the file `token` in the daemon's home.",
				},
			},
			parameters: rest.parameters,
			responses: rest.responses,
			schemas: { ...components, NextPage: nextPage },
		},
	};
}

function operation(
	name: string,
	route: Omit<Route, "method"> & { method: string },
	schemas: Schemas,
	answers: Record<string, JsonSchema>,
): JsonSchema {
	const { path, summary, body, answer, method, agents } = route;
	const parameters = [
		...pathParameters(path),
		...queryParameters(queryOf(route), schemas),
		...(method === "get" ? [] : [idempotencyKey]),
	];
	return {
		operationId: name,
		tags: [tagOf(path)],
		summary,
		...(agents && { description: "Also for agents." }),
		...(parameters.length > 0 && { parameters }),
		// a body that can hold nothing is none
		...(body && Object.keys(body.shape).length > 0 && { requestBody: bodyOf(body, schemas) }),
		responses: { 200: answerOf(schemas.read(answer), answers, isList(route)), ...refusalResponses(route) },
	};
}

function bodyOf(body: z.ZodObject, schemas: Schemas): JsonSchema {
	return {
		...(!body.safeParse({}).success && { required: true }),
		content: { "application/json": { schema: schemas.sent(body) } },
	};
}

/** A noun, or a list of one, is answered by many routes: described once, under the noun's name. */
function answerOf(data: JsonSchema, answers: Record<string, JsonSchema>, list: boolean): JsonSchema {
	const properties = { data, ...(list && { next: { $ref: "#/components/schemas/NextPage" } }) };
	const response = {
		description: "done",
		content: { "application/json": { schema: { type: "object", required: ["data"], properties } } },
	};
	const name = nameIn(data) ?? nameIn(data["items"], "List");
	if (name === null) return response;
	answers[name] = response;
	return { $ref: `#/components/responses/${name}` };
}

/** described once, because every list has it */
const nextPage = {
	type: ["integer", "null"],
	description: "where the next page begins, null behind the last; absent if the list is whole",
};

function nameIn(schema: unknown, suffix = ""): string | null {
	const { $ref } = Reference.safeParse(schema).data ?? {};
	return $ref === undefined ? null : `${$ref.slice($ref.lastIndexOf(":") + 1)}${suffix}`;
}

const Reference = z.object({ $ref: z.string() });

/** The noun that a route is about: the last word of its path that names one. */
function tagOf(path: string): string {
	const [first = "", ...rest] = path
		.slice("/api/".length)
		.split("/")
		.filter((word) => !word.startsWith(":"));
	return rest.flatMap((word) => nounsBelow[first]?.[word] ?? []).at(-1) ?? nouns[first] ?? first;
}

const nouns: Record<string, string> = {
	backup: "daemon",
	space: "daemon",
	status: "daemon",
	token: "daemon",
	journal: "events",
	search: "items",
};

const workspace = ["diff", "commit", "sync", "release", "approve", "health", "snapshots", "restore"];
const conversation = ["items", "context", "clear", "mark", "rewind"];
const nounsBelow: Record<string, Record<string, string>> = {
	agents: {
		...{ queue: "prompts", turns: "turns", finish: "turns", mail: "mail", usage: "usage" },
		...Object.fromEntries(workspace.map((word) => [word, "workspaces"])),
		...Object.fromEntries(conversation.map((word) => [word, "items"])),
	},
	projects: { agents: "agents", issues: "issues", labels: "issues", presets: "issues" },
};
