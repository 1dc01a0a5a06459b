// The OpenAPI 3.1 document, written from the routes of the contract.
import type { z } from "zod";
import { isList, queryOf } from "#contract/routes/route.ts";
import { type Route, routes } from "#contract/routes.ts";
import { shareParts } from "./components.ts";
import { eventsOperation } from "./events.ts";
import { idempotencyKey, pathParameters, queryParameters } from "./parameters.ts";
import { refusalCodesByStatus, refusedResponse } from "./refusals.ts";
import { type JsonSchema, Schemas } from "./schemas.ts";

export function openApi(version: string): object {
	const schemas = new Schemas();
	const described: Record<string, Record<string, JsonSchema>> = { "/api/events": { get: eventsOperation(schemas) } };
	for (const [name, route] of Object.entries<Route>(routes)) {
		if (route.internal) continue;
		const path = documented(route.path);
		described[path] = { ...described[path], [route.method]: operation(name, route, schemas) };
	}
	const resolved = schemas.resolved(described);
	const { paths, components } = shareParts(resolved.rest);
	return {
		openapi: "3.1.0",
		info: {
			title: "Brood",
			version,
			description:
				"A process manager for coding agents. An agent may call what has `x-agents`, with the token of its process, while a turn is open. `x-alias` is another method and path for the same.",
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "http://127.0.0.1:4180" }],
		security: [{ token: [] }],
		tags: [...new Set(Object.values(routes).map(({ path }) => tagOf(path)))].toSorted().map((name) => ({ name })),
		paths,
		components: {
			securitySchemes: {
				token: {
					type: "http",
					scheme: "bearer",
					description:
						"The owner's token, from the file `token` in the daemon's home, a person's, or that of an agent's process.",
				},
			},
			...components,
			schemas: { ...resolved.schemas, RefusalCode: refusalCodesByStatus(), NextPage: nextPage },
		},
	};
}

const documented = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

function operation(operationId: string, route: Route, schemas: Schemas): JsonSchema {
	const { path, summary, body, answer, method, agents, alias } = route;
	const parameters = [
		...pathParameters(path, schemas),
		...queryParameters(queryOf(route), schemas),
		...(method === "get" ? [] : [idempotencyKey(schemas)]),
	];
	return {
		operationId,
		tags: [tagOf(path)],
		summary,
		...(agents && { "x-agents": true }),
		...(alias && { "x-alias": `${alias.method.toUpperCase()} ${documented(alias.path)}` }),
		...(parameters.length > 0 && { parameters }),
		// a body that can hold nothing is none
		...(body && Object.keys(body.shape).length > 0 && { requestBody: bodyOf(body, schemas) }),
		responses: { 200: answerOf(schemas.read(answer), isList(route)), default: refusedResponse(schemas) },
	};
}

function bodyOf(body: z.ZodObject, schemas: Schemas): JsonSchema {
	return {
		...(!body.safeParse({}).success && { required: true }),
		content: { "application/json": { schema: schemas.sent(body) } },
	};
}

function answerOf(data: JsonSchema, list: boolean): JsonSchema {
	const properties = { data, ...(list && { next: { $ref: "#/components/schemas/NextPage" } }) };
	return {
		description: "done",
		content: { "application/json": { schema: { type: "object", required: ["data"], properties } } },
	};
}

/** described once, because every list has it */
const nextPage = {
	type: ["integer", "null"],
	description: "where the next page begins, null after the last; absent if the list is whole",
};

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
