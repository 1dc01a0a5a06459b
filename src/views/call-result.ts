// What a tool call has come to.
import { looseData } from "#contract/loose-data.ts";
import { oneLine } from "#contract/visible.ts";
import type { Item } from "#contract/wire.ts";

export interface CallResult {
	/**
	 * without the fence that programs put around their output, or the tags around a tool's message; fences inside it are
	 * the output's own
	 */
	text: string;
	failed: boolean;
	/** it is what the tool says of its failure, not what a program has printed */
	isMessage?: true;
}

export const isFailed = (item: Pick<Item, "data">): boolean => looseData(item.data).status === "failed";

export function resultOf(item: Pick<Item, "text" | "data">): CallResult {
	const text = (item.text ?? "").trim();
	const fenced = /^(`{3,})[\w-]*\n(?:([\s\S]*)\n)?\1$/.exec(text);
	const inside = fenced === null ? text : (fenced[2] ?? "");
	const message = /^<tool_use_error>([\s\S]*)<\/tool_use_error>$/.exec(inside.trim())?.[1]?.trim();
	return { text: message ?? inside, failed: isFailed(item), ...(message !== undefined && { isMessage: true }) };
}

/** The last line of a result, or the first of a message, and how many lines there are. */
export function summaryOf({ text, isMessage }: Pick<CallResult, "text" | "isMessage">): {
	line: string;
	count: number;
} {
	const lines = text.split("\n");
	return { line: oneLine(lines.at(isMessage === true ? 0 : -1) ?? ""), count: lines.length };
}
