// A message that is being written. Only its last, unfinished part is laid out again when a word is added: the cost of a
// frame does not depend on the length of the message.
import type { Delta } from "#contract/stream.ts";
import { visible } from "#contract/visible.ts";
import { painted } from "#views/paint.ts";
import { hanging, proseMax } from "./block-rows.ts";
import { colouredCode } from "./code-colours.ts";
import { markdownLines, markdownRows } from "./pi/text.ts";
import type { SaidLine } from "./said.ts";

interface Look {
	width: number;
	colour: boolean;
}

/** of a thought only its end is shown */
const thoughtLines = 5;

export function runningRows({ agent, part, kind, text }: Delta, look: Look): string[] {
	if (kind === "thought") return thoughtRows(text, look);
	const key = `${agent} ${part} ${look.width} ${look.colour}`;
	const before = finished.get(key);
	const { length, rows } = before !== undefined && text.startsWith(before.text) ? before.done : { length: 0, rows: [] };
	const next = length + finishedLength(text.slice(length));
	const done = next === length ? rows : [...rows, ...laidOut(text.slice(length, next), look), ""];
	keep(key, { text: text.slice(0, next), done: { length: next, rows: done } });
	return [...done, ...laidOut(text.slice(next), look)];
}

/** The same before it is cut into rows. */
export const runningLines = ({ kind, text }: Delta): SaidLine[] =>
	(kind === "thought" ? lastOf(text).split("\n") : markdownLines(visible(text.trim()))).map((line) => ({ text: line }));

const lastOf = (text: string): string => visible(text.trim()).split("\n").slice(-thoughtLines).join("\n");

function thoughtRows(text: string, { width, colour }: Look): string[] {
	const last = lastOf(text);
	return last === "" ? [] : hanging("  ", last, width).map((row) => painted("faint", row, colour));
}

function laidOut(text: string, { width, colour }: Look): string[] {
	const shown = visible(text.trim());
	const look = { width: Math.min(width, proseMax), colour, highlight: colouredCode };
	return shown === "" ? [] : markdownRows(shown, look).map((row) => `  ${row}`.trimEnd());
}

/** How much of a text is whole blocks of markdown: up to an empty line outside of code, before what is not a list. */
export function finishedLength(text: string): number {
	let [at, found, isCode, isAfterBlank] = [0, 0, false, false];
	for (const line of text.split("\n")) {
		if (isAfterBlank && !isCode && /^[^\s\d*+-]/.test(line)) found = at;
		if (/^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
		isAfterBlank = line.trim() === "";
		at += line.length + 1;
	}
	return found;
}

/** the rows of the messages that were drawn last */
const finished = new Map<string, { text: string; done: { length: number; rows: string[] } }>();
const finishedMax = 32;

function keep(key: string, entry: { text: string; done: { length: number; rows: string[] } }): void {
	finished.delete(key);
	finished.set(key, entry);
	const [oldest] = finished.keys();
	if (finished.size > finishedMax && oldest !== undefined) finished.delete(oldest);
}
