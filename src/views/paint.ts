// Terminal colours: only the 16 of the terminal's theme, so that light and dark ones work.
import { visible } from "#contract/visible.ts";
import type { Tone } from "./state-style.ts";

export type Style = Tone | "strong" | "faint" | "added" | "deleted" | "marked" | CodeStyle;
/** of the parts of source code */
type CodeStyle = "comment" | "string" | "number" | "keyword";

const codes: Readonly<Record<Style, string>> = {
	run: "36",
	wait: "1;33",
	bad: "31",
	ok: "32",
	off: "2",
	strong: "1",
	faint: "2",
	added: "32",
	deleted: "31",
	marked: "7",
	comment: "2",
	string: "32",
	number: "36",
	keyword: "35",
};

/**
 * A symbol in its colour, and what it means in the terminal's own: some themes have a yellow or a cyan that cannot be
 * read on their background.
 */
export const signed = (style: Tone, glyph: string, text: string, colour: boolean): string =>
	`${painted(style, glyph, colour)}${style === "wait" || style === "bad" ? painted("strong", text, colour) : visible(text)}`;

/** The text in a colour, with control characters escaped. */
export function painted(style: Style, text: string, colour: boolean): string {
	return colour && text !== "" ? `\u001B[${codes[style]}m${visible(text)}\u001B[0m` : visible(text);
}
