// How refusals are described: one response for each status, with the codes that have it.
import { refusalCodes } from "#contract/refusal.ts";
import { Refusal } from "#contract/refusal-schema.ts";
import type { Route } from "#contract/routes.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

const meanings: Record<number, string> = {
	400: "the request is not valid",
	401: "the token is missing or not valid",
	403: "the caller may not do this",
	404: "it does not exist",
	409: "it cannot be done in the present state",
	410: "the text, the snapshot or the repository is no longer there",
	413: "the request is too large",
	429: "a limit is reached; the same request may be accepted later",
	500: "the daemon, git or the disk failed",
	502: "the installation of a vendor's agent failed",
	503: "the daemon cannot do this now",
	504: "it took too long",
	507: "the disk is full",
};

const statuses = [...new Set(Object.values(refusalCodes).map(({ status }) => Number(status)))].toSorted(
	(one, other) => one - other,
);

/** One for each status by its number, and `Refused` for all of them. */
export function refusalComponents(schemas: Schemas): Record<string, JsonSchema> {
	const any = schemas.read(Refusal);
	const response = (description: string, error: JsonSchema): JsonSchema => ({
		description,
		content: { "application/json": { schema: { type: "object", required: ["error"], properties: { error } } } },
	});
	const byStatus = statuses.map((status) => {
		const codes = Object.entries(refusalCodes).flatMap(([code, each]) => (each.status === status ? [code] : []));
		const meaning = meanings[status];
		if (meaning === undefined) throw new Error(`say in openapi/refusals.ts what a refusal with status ${status} means`);
		return [
			`${status}`,
			response(meaning, {
				allOf: [any, { type: "object", required: ["code"], properties: { code: { enum: codes } } }],
			}),
		];
	});
	return { ...Object.fromEntries(byStatus), Refused: response("refused; `error.code` says why", any) };
}

/**
 * Those that tell routes apart. `default` stands for all others: every route may meet a wrong token, a full disk or a
 * fault.
 */
export function refusalResponses(
	route: Pick<Route, "path" | "query"> & { method: string },
): Record<string, JsonSchema> {
	const changes = route.method !== "get";
	const names = route.path.includes(":") || ["agent", "project"].some((name) => route.query?.shape[name] !== undefined);
	const known = [400, 403, ...(names ? [404] : []), ...(changes ? [409, 429] : [])];
	const answered = known.map((status) => [status, { $ref: `#/components/responses/${status}` }]);
	return { ...Object.fromEntries(answered), default: { $ref: "#/components/responses/Refused" } };
}
