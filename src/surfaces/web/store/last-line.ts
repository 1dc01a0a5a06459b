import { withCharacters } from "./entities.ts";

/** The last line of a text that says something, from its beginning; null if there is none. */
export function lastLineOf(text: string | null | undefined): string | null {
	let rest = (text ?? "").trimEnd();
	while (rest !== "") {
		// no split: a text may be megabytes long, and its last line too
		const at = rest.lastIndexOf("\n") + 1;
		const line = shown(rest.slice(at, at + 2000));
		if (line !== "" && !/^\[end of mail \d+\]$/.test(line)) return line;
		rest = rest.slice(0, Math.max(0, at - 1)).trimEnd();
	}
	return null;
}

/** The first line of a text that says something; empty if its beginning has none. */
export function firstLineOf(text: string): string {
	const lines = text.trimStart().slice(0, 2000).split("\n").map(shown);
	return lines.find((line) => line !== "" && !/^\[mail \d+ from .*\]$/.test(line)) ?? "";
}

/** Of an item or a block. A prompt says first what is asked; what an agent writes says last what it does now. */
export const lineOf = (kind: string, text: string | null | undefined): string | null =>
	((kind === "user" || kind === "prompt") && firstLineOf(text ?? "")) || lastLineOf(text);

/** Marks of markdown say nothing on one line. */
const shown = (line: string): string =>
	withCharacters(line.replaceAll(/\*\*|~~|`|^\s*#+\s/g, "").replaceAll(/\[([^[\]]*)\]\(https?:[^()\s]*\)/g, "$1"))
		.trim()
		.slice(0, 240)
		.toWellFormed();
