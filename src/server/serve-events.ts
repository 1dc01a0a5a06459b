// `GET /api/events`, outside of the app: it writes the same bytes to many sockets.
import type { IncomingMessage, ServerResponse } from "node:http";
import { agentOf } from "#contract/ids.ts";
import { isRefusal, type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { StreamQuery } from "#contract/stream.ts";
import { validationMessage } from "#contract/validation-message.ts";
import { queryIn } from "./answer.ts";
import { authenticated, type Guard, unauthorized } from "./auth.ts";
import type { EventStream } from "./event-stream.ts";
import { headersOf } from "./exchange.ts";
import type { RequestContext } from "./request-context.ts";

export interface Streaming {
	stream: EventStream;
	guard: Guard;
	context: RequestContext;
}

/** False if the request is for another route. */
export function serveEvents(streaming: Streaming, request: IncomingMessage, response: ServerResponse): boolean {
	const { stream, guard } = streaming;
	// compared as sent: it may not even be a valid URL
	const [path, query = ""] = (request.url ?? "").split("?", 2);
	if (path !== "/api/events" || request.method !== "GET") return false;
	const caller = authenticated(headersOf(request), guard);
	if (caller === null) return sendRefusal(response, unauthorized);
	if (agentOf(caller.actor) !== null) return sendRefusal(response, refuse("FORBIDDEN", "This is not for agents."));
	if (stream.full)
		return sendRefusal(
			response,
			refuse("READER_LIMIT", `${stream.readersMax} readers are connected; no more are accepted.`),
		);
	const lastSeen = request.headers["last-event-id"];
	const parsed = StreamQuery.safeParse({
		...queryIn(query),
		...(typeof lastSeen === "string" && lastSeen !== "" && { after: lastSeen }),
	});
	if (!parsed.success) return sendRefusal(response, refuse("VALIDATION_ERROR", validationMessage(parsed.error)));
	if (caller.leftMs !== null) endAfter(response, caller.leftMs);
	begin(streaming, response, { ...parsed.data, cuts: stream.cuts }).catch(() => response.destroy());
	return true;
}

/** A browser's stream ends when the browser is signed out by time. */
function endAfter(response: ServerResponse, leftMs: number): void {
	const timer = setTimeout(() => response.destroy(), leftMs).unref();
	response.on("close", () => clearTimeout(timer));
}

async function begin(
	{ stream, context }: Streaming,
	response: ServerResponse,
	{ after, deltas, agent: reference, project, kind, threads, cuts }: StreamQuery & { cuts: number },
): Promise<void> {
	const agent = reference === undefined ? null : await context.engine.queries.resolve(reference, project ?? null);
	const refusal =
		agent !== null && isRefusal(agent)
			? agent
			: ((await context.unknownProject(project)) ?? (await context.cursorRefusal(after)));
	if (refusal !== null) {
		sendRefusal(response, refusal);
		return;
	}
	// with an agent, the project only says where its name is looked up
	const whose = agent !== null && "id" in agent ? { agent: agent.id } : { project };
	await stream.serve(response, { after, deltas, cuts, ...whose, kinds: kind?.split(","), threads });
}

function sendRefusal(response: ServerResponse, refusal: Refusal): true {
	response.writeHead(refusalCodes[refusal.code].status, { "content-type": "application/json" });
	response.end(JSON.stringify({ error: refusal }));
	return true;
}
