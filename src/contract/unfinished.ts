// What is known of an unfinished item from its pieces: a message or a thought, or the output of a running tool call.
import { looseData } from "./loose-data.ts";
import type { Delta } from "./stream.ts";

/** characters of a running call's output that are sent at once, and that readers keep of it: its end */
const outputLengthMax = 8 * 1024;

export const outputEnd = (text: string): string =>
	text.length <= outputLengthMax ? text : text.slice(-outputLengthMax).toWellFormed();

export const isOutput = ({ kind }: Pick<Delta, "kind">): boolean => kind === "tool_result";

/** An unfinished item with its next piece. */
export function extended(before: Delta | undefined, piece: Delta): Delta {
	const text = (before?.text ?? "") + piece.text;
	return { ...piece, text: isOutput(piece) ? outputEnd(text) : text };
}

/**
 * Whether the unfinished item has become this one. Calls run side by side: a result ends only the output of its call.
 */
export const isFinishedBy = (delta: Delta, { kind, data }: { kind: string; data: unknown }): boolean =>
	delta.kind === kind && (!isOutput(delta) || looseData(data).call === delta.part);

/** Tells the unfinished items of one agent apart: a message and a call may have the same id. */
export const keyOf = ({ kind, part }: Delta): string => `${kind} ${part}`;
