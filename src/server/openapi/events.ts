// The event stream, which is not a route of the table: it does not end by itself, and writes messages instead of an
// answer.
import { z } from "zod";
import { EventId } from "#contract/ids.ts";
import { Delta, type StreamMessage, StreamQuery, UnjournaledUpdate } from "#contract/stream.ts";
import { WireEvent } from "#contract/wire.ts";
import { queryParameters } from "./parameters.ts";
import { refusedResponse } from "./refusals.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

type Named<M = StreamMessage> = M extends unknown ? keyof M : never;

/** Each by the name of its `event:` line; an event of the journal has no such line, which stands for `message`. */
const messages: Record<Named, { data: z.ZodType; id?: z.ZodType; meaning: string }> = {
	event: { data: WireEvent, id: EventId, meaning: "an event of the journal, under its id" },
	delta: {
		data: Delta,
		meaning:
			"a piece of an unfinished item, or of a running tool call's output (`kind` is `tool_result`, `part` the call's id); " +
			"only with `deltas`, in no journal",
	},
	soFar: {
		data: Delta,
		meaning:
			"what was written of such an item before the reader connected, of a call's output the last 8192 characters. Also " +
			"replaces output that does not continue what was sent",
	},
	upTo: { data: z.int().nonnegative(), meaning: "the reader has everything that it asked for up to this event" },
	unjournaled: {
		data: UnjournaledUpdate,
		meaning:
			"what no event tells; only with `threads`, whole at first and with every keep-alive, `phases` alone when they change",
	},
	cut: {
		data: z.object({ after: z.int().nonnegative() }),
		meaning: "the reader did not keep up; reconnect with `after` set to this event",
	},
};

const description =
	"Server-sent events: everything after `after`, then whatever happens. The schema is that of one message: its `event:` and `id:` lines and its `data:` " +
	"line, which is JSON.";

export function eventsOperation(schemas: Schemas): JsonSchema {
	const lastSeen = {
		...{ name: "Last-Event-ID", in: "header", schema: schemas.read(EventId) },
		description: "Stands for `after`, and comes before it: browsers send it when they connect again.",
	};
	const shapes = Object.entries(messages).map(([event, { data, id, meaning }]) => ({
		type: "object",
		description: meaning,
		required: ["event", ...(id ? ["id"] : []), "data"],
		properties: {
			event: { const: event === "event" ? "message" : event },
			...(id && { id: schemas.read(id) }),
			data: schemas.read(data),
		},
	}));
	return {
		operationId: "events",
		tags: ["events"],
		summary: "stream the journal from where the caller left off, then everything as it happens",
		description,
		parameters: [...queryParameters(StreamQuery, schemas), lastSeen],
		responses: {
			200: { description: "a stream of messages", content: { "text/event-stream": { schema: { oneOf: shapes } } } },
			default: refusedResponse(schemas),
		},
	};
}
