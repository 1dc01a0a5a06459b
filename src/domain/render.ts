// Renders a context as text, for a program that keeps its own conversation and has not seen this one. The result is
// bounded: the oldest tool output is shortened first, then the oldest items are left out, with a note of how many.
//
// Everything is quoted line by line, so that no text of another agent or of a tool can end the quotation or pass for an
// instruction of the user.

import { agentOf } from "#contract/ids.ts";
import { looseData } from "#contract/loose-data.ts";
import { authorIn, linesOf, quote } from "#contract/quote.ts";
import type { HistoryItem } from "./history.ts";

export interface Rendered {
	text: string;
	/** items in the text, how many of them were shortened, and how many were left out */
	items: number;
	shortened: number;
	dropped: number;
}

/**
 * The length of the conversation that a new session gets: half of the model's window, at about four characters a token,
 * which leaves room to work. An unknown window counts as one of the smaller ones.
 */
export function seedLengthFor(windowTokens: number | null): number {
	return Math.min(seedLengthMax, Math.floor((windowTokens ?? usualWindowTokens) * 2));
}

const usualWindowTokens = 200_000;
const seedLengthMax = 2_000_000;

export function render(context: readonly HistoryItem[], lengthMax: number): Rendered {
	const parts = context.flatMap((item) => partOf(item) ?? []);
	let length = parts.reduce((sum, part) => sum + sizeOf(part), 0);
	let shortened = 0;
	for (const [at, part] of parts.entries()) {
		if (length <= lengthMax) break;
		if (!part.output || part.text.length <= stumpLength) continue;
		const stump = {
			...part,
			text: `${part.text.slice(0, stumpLength).toWellFormed()}\n[truncated: ${part.text.length - stumpLength} more characters]`,
		};
		length += sizeOf(stump) - sizeOf(part);
		parts[at] = stump;
		shortened++;
	}
	let dropped = 0;
	for (; dropped < parts.length && length > lengthMax; dropped++) length -= sizeOf(parts[dropped] ?? nothing);
	const kept = parts.slice(dropped);
	const note = dropped === 0 ? [] : [`[${dropped} older items are left out]`];
	return {
		text: [...note, ...kept.map(({ who, text }) => quote(who, text))].join("\n"),
		items: kept.length,
		shortened,
		dropped,
	};
}

interface Part {
	who: string;
	text: string;
	/** tool output is shortened first */
	output: boolean;
}

const nothing: Part = { who: "", text: "", output: false };
const stumpLength = 200;

function partOf({ kind, text: full, data, actor }: HistoryItem): Part | null {
	const text = full ?? "";
	const spoken = (who: string): Part | null => (text === "" ? null : { who, text, output: false });
	switch (kind) {
		case "user":
			return spoken(speakerOf(data));
		case "assistant":
			return spoken("you");
		case "tool_call":
			return {
				who: `you called a tool: ${textIn(data, "tool") ?? "other"}`,
				text: [text, inputOf(data)].filter((line) => line !== "").join("\n"),
				output: false,
			};
		case "tool_result":
			return { who: "the tool answered", text: answerOf(text, data), output: true };
		case "final":
			// the final item of a completed turn repeats its last message
			return textIn(data, "state") === "completed"
				? null
				: { who: "the turn did not end well", text: textIn(data, "reason") ?? text, output: false };
		case "plan":
			return spoken("your plan");
		case "interrupt":
			return spoken(
				actor === undefined || agentOf(actor) === null
					? "brood: interrupt"
					: `not the user but ${actor}, who stopped your turn`,
			);
		case "thought":
		case "usage":
		case "mark":
			return null;
		default:
			return spoken(`brood: ${kind}`);
	}
}

/** Prompts queued by agents, and mail, are not the user's text. */
function speakerOf(data: unknown): string {
	const from = authorIn(data);
	return from === null ? "user" : `not the user but ${from}`;
}

/** With the input, where the call was written before all of it was known. */
function answerOf(text: string, data: unknown): string {
	const [input, output] = [inputOf(data), text === "" ? outputOf(data) : text];
	return input === "" ? output : `to ${input}\n${output}`;
}

function inputOf(data: unknown): string {
	const { input } = looseData(data);
	return input === undefined || input === null ? "" : JSON.stringify(input);
}

function outputOf(data: unknown): string {
	const { output } = looseData(data);
	if (output === undefined || output === null) return textIn(data, "status") ?? "";
	return typeof output === "string" ? output : JSON.stringify(output);
}

function textIn(data: unknown, name: "tool" | "state" | "reason" | "status"): string | null {
	const value = looseData(data)[name];
	return typeof value === "string" ? value : null;
}

/** An estimate: each line gets a bar in front. */
const sizeOf = ({ who, text }: Part): number => who.length + text.length + 6 + 2 * linesOf(text).length;
