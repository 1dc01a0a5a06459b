// A context as text, for a program that keeps its own conversation and does not know this one. Pure, and bounded: the
// oldest tool output is shortened first, then the oldest items are left out, with a note of how many.
//
// Everything is quoted line by line, so that no words in it can end the quotation or pass for an instruction of the
// user: least of all those of other agents and of tools.
import { agentOf } from "#contract/ids.ts";
import { authorIn, linesOf, quote } from "#contract/quote.ts";
import type { HistoryItem } from "./history.ts";

export interface Rendered {
	text: string;
	/** how many items it has, how many of these were shortened, and how many are left out */
	items: number;
	shortened: number;
	dropped: number;
}

/**
 * How much of a conversation a new session is told: half of the model's window, at about four characters a token, so
 * that there is room to work. Where nobody knows the window it is taken for one of the smaller ones.
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
		if (!part.output || part.words.length <= stumpLength) continue;
		const stump = {
			...part,
			words: `${part.words.slice(0, stumpLength).toWellFormed()}\n[cut: ${part.words.length - stumpLength} more characters]`,
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
		text: [...note, ...kept.map(({ who, words }) => quote(who, words))].join("\n"),
		items: kept.length,
		shortened,
		dropped,
	};
}

interface Part {
	who: string;
	words: string;
	/** of a tool: the first to be shortened */
	output: boolean;
}

const nothing: Part = { who: "", words: "", output: false };
const stumpLength = 200;

function partOf({ kind, text, data, actor }: HistoryItem): Part | null {
	const words = text ?? "";
	const said = (who: string): Part | null => (words === "" ? null : { who, words, output: false });
	switch (kind) {
		case "user":
			return said(speakerOf(data));
		case "assistant":
			return said("you");
		case "tool_call":
			return {
				who: `you called a tool: ${textIn(data, "tool") ?? "other"}`,
				words: [words, inputOf(data)].filter((line) => line !== "").join("\n"),
				output: false,
			};
		case "tool_result":
			return { who: "the tool answered", words: words === "" ? outputOf(data) : words, output: true };
		case "final":
			// the last words of a completed turn were said before
			return textIn(data, "state") === "completed"
				? null
				: { who: "the turn did not end well", words: textIn(data, "reason") ?? words, output: false };
		case "plan":
			return said("your plan");
		case "interrupt":
			return said(
				actor === undefined || agentOf(actor) === null
					? "brood: interrupt"
					: `not the user but ${actor}, who stopped your turn`,
			);
		case "thought":
		case "usage":
		case "mark":
			return null;
		default:
			return said(`brood: ${kind}`);
	}
}

/** Prompts of agents and mail are not the user's words. */
function speakerOf(data: unknown): string {
	const from = authorIn(data);
	return from === null ? "user" : `not the user but ${from}`;
}

function inputOf(data: unknown): string {
	const input = fieldOf(data, "input");
	return input === undefined || input === null ? "" : JSON.stringify(input);
}

function outputOf(data: unknown): string {
	const output = fieldOf(data, "output");
	if (output === undefined || output === null) return textIn(data, "status") ?? "";
	return typeof output === "string" ? output : JSON.stringify(output);
}

const fieldOf = (data: unknown, name: string): unknown =>
	typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined;

function textIn(data: unknown, name: string): string | null {
	const value = fieldOf(data, name);
	return typeof value === "string" ? value : null;
}

/** Close enough: each line has its mark. */
const sizeOf = ({ who, words }: Part): number => who.length + words.length + 6 + 2 * linesOf(words).length;
