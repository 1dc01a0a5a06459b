// The OpenAPI 3.1 document, written from the routes of the contract.
import { z } from "zod";
import { Refusal } from "#contract/refusal-schema.ts";
import { type Route, routes } from "#contract/routes.ts";

export function openApi(version: string): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const [name, route] of Object.entries<Route>(routes)) {
		for (const way of [route, ...(route.also ? [{ ...route, ...route.also }] : [])]) {
			const path = way.path.replace(/:(\w+)/g, "{$1}");
			// a way of its own has a name of its own
			paths[path] = { ...paths[path], [way.method]: operation(way === route ? name : `${name}Also`, way) };
		}
	}
	return {
		openapi: "3.1.0",
		info: { title: "Brood", version, description: "A process manager for coding agents." },
		servers: [{ url: "http://127.0.0.1:4180" }],
		security: [{ token: [] }],
		components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas: { Refusal: schemaOf(Refusal) } },
		paths,
	};
}

function operation(name: string, { path, summary, query, body, answer, method }: Omit<Route, "method"> & { method: string }): object {
	const inPath = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({ name: parameter, in: "path", required: true, schema: { type: "string" } }));
	const inQuery = Object.entries(query?.shape ?? {}).map(([parameter, schema]) => ({
		name: parameter,
		in: "query",
		required: false,
		schema: schemaOf(schema),
	}));
	const key = method === "get" ? [] : [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 200 } }];
	return {
		operationId: name,
		summary,
		parameters: [...inPath, ...inQuery, ...key],
		...(body && { requestBody: { content: { "application/json": { schema: schemaOf(body) } } } }),
		responses: {
			"200": {
				description: "done",
				content: { "application/json": { schema: { type: "object", required: ["data"], properties: { data: schemaOf(answer) } } } },
			},
			default: {
				description: "refused",
				content: { "application/json": { schema: { type: "object", required: ["error"], properties: { error: { $ref: "#/components/schemas/Refusal" } } } } },
			},
		},
	};
}

function schemaOf(schema: z.core.$ZodType): object {
	const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
	return rest;
}
