// How refusals are described: one response for all operations, whose codes are listed by HTTP status.
import { refusalCodes } from "#contract/refusal.ts";
import { RefusalSchema } from "#contract/refusal-schema.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

const meanings: Record<number, string> = {
	400: "the request is not valid",
	401: "the token is missing or not valid",
	403: "the caller may not do this",
	404: "it does not exist",
	409: "it cannot be done in the present state",
	410: "the text or the snapshot is no longer there, or git cannot use the repository",
	413: "the request is too large",
	429: "a limit is reached; the same request may be accepted later",
	500: "the daemon, git or the disk failed",
	502: "an agent's program is not installed, could not be installed, or is not logged in",
	503: "the daemon cannot do this now",
	504: "it took too long",
	507: "the disk is full",
};

/** The codes by their HTTP status: a client that knows the status knows which codes it may meet. */
export function refusalCodesByStatus(): JsonSchema {
	const codes = Object.entries(refusalCodes).map(([code, { status }]) => ({ code, status: Number(status) }));
	const byStatus = Map.groupBy(codes, ({ status }) => status);
	return {
		oneOf: [...byStatus]
			.toSorted(([one], [other]) => one - other)
			.map(([status, each]) => {
				const meaning = meanings[status];
				if (meaning === undefined) throw new Error(`say in openapi/refusals.ts what status ${status} means`);
				return { "x-status": status, description: meaning, enum: each.map(({ code }) => code) };
			}),
	};
}

/** The same for every operation: what tells refusals apart is the code. */
export function refusedResponse(schemas: Schemas): JsonSchema {
	const error = schemas.read(RefusalSchema);
	return {
		description:
			"Refused; the schema of `error.code` lists the codes of each HTTP status. Any operation may answer 400, 401, 403 and 500 and above; " +
			"404 and 409 one that names or changes something; 429 one that changes something or streams.",
		content: { "application/json": { schema: { type: "object", required: ["error"], properties: { error } } } },
	};
}
