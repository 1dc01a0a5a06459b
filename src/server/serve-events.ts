// `GET /api/events`, which goes around the framework: it writes shared bytes straight into the socket.
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { inWords } from "#contract/complaint.ts";
import { agentOf } from "#contract/ids.ts";
import { type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { actorOf, type Guard } from "./auth.ts";
import type { EventStream } from "./event-stream.ts";

const Query = z.strictObject({ after: z.coerce.number().int().nonnegative().default(0), deltas: z.stringbool().default(false) });

export interface Streaming {
	stream: EventStream;
	guard: Guard;
	/** the refusal for a place to begin that there is not */
	beyond(after: number): Promise<Refusal | null>;
}

/** False if the request is for somebody else. */
export function serveEvents({ stream, guard, beyond }: Streaming, request: IncomingMessage, response: ServerResponse): boolean {
	// compared as it was sent: what is no URL at all is not for us either
	const [path, query = ""] = (request.url ?? "").split("?", 2);
	if (path !== "/api/events" || request.method !== "GET") return false;
	const headers = new Headers(
		Object.entries(request.headersDistinct).flatMap(([name, values]) => (values ?? []).map((value): [string, string] => [name, value])),
	);
	const actor = actorOf(headers, guard);
	if (actor === null) return turnAway(response, refuse("UNAUTHORIZED", "This needs the daemon's token."));
	if (agentOf(actor) !== null) return turnAway(response, refuse("FORBIDDEN", "This is not for agents."));
	if (stream.full) return turnAway(response, refuse("QUEUE_FULL", `${stream.watchersMax} watchers are connected; no more are accepted.`));
	const lastSeen = request.headers["last-event-id"];
	const wish = Query.safeParse({ ...Object.fromEntries(new URLSearchParams(query)), ...(typeof lastSeen === "string" && { after: lastSeen }) });
	if (!wish.success) return turnAway(response, refuse("VALIDATION_ERROR", inWords(wish.error)));
	begin(stream, response, wish.data, beyond).catch(() => response.destroy());
	return true;
}

async function begin(stream: EventStream, response: ServerResponse, wish: z.infer<typeof Query>, beyond: Streaming["beyond"]): Promise<void> {
	const refusal = await beyond(wish.after);
	if (refusal !== null) turnAway(response, refusal);
	else await stream.serve(response, wish);
}

function turnAway(response: ServerResponse, refusal: Refusal): true {
	response.writeHead(refusalCodes[refusal.code].status, { "content-type": "application/json" });
	response.end(JSON.stringify({ error: refusal }));
	return true;
}
