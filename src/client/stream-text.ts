// The text of the event stream. What is none of it, as of a proxy between, is a `SyntaxError`: the daemon's answers
// cannot be read.
import type { StreamMessage } from "#contract/stream.ts";

/** What the lines of a message, or a comment, begin with. */
const fields = [":", "id:", "event:", "data:", "retry:"];

/** Null for comments, and for messages that this version does not know. */
export function messageIn(part: string): StreamMessage | null {
	const [, kind = "event", data] = /^(?:id: \d+\n)?(?:event: (\w+)\n)?data: (.*)$/s.exec(part) ?? [];
	if (data === undefined) {
		if (part.trim() !== "" && !fields.some((field) => part.startsWith(field))) throw unreadable();
		return null;
	}
	switch (kind) {
		case "event":
			return { event: eventIn(JSON.parse(data)) };
		case "delta":
			return { delta: JSON.parse(data) };
		case "soFar":
			return { soFar: JSON.parse(data) };
		case "upTo":
			return { upTo: numberIn(JSON.parse(data)) };
		case "unjournaled":
			return { unjournaled: JSON.parse(data) };
		case "cut":
			return { cut: JSON.parse(data).after };
		default:
			return null;
	}
}

/** Whether a stream that ends with this was one: a message may be cut off by the end. */
export function endWith(rest: string): void {
	if (!fields.some((field) => rest.startsWith(field) || field.startsWith(rest))) throw unreadable();
}

/** Whatever has no number for an id cannot be placed among the other events. */
function eventIn<T>(data: T): T {
	numberIn(Object(data).id);
	return data;
}

function numberIn(data: unknown): number {
	if (typeof data !== "number") throw unreadable();
	return data;
}

const unreadable = (): SyntaxError => new SyntaxError("This is no message of the event stream.");
