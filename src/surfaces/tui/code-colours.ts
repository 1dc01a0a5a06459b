// Code in the terminal's colours.
import { visible } from "#contract/visible.ts";
import { codeLines } from "#views/code-tokens.ts";
import { painted } from "#views/paint.ts";

/** One row for each line. */
export const colouredCode = (code: string, language: string, colour: boolean): string[] =>
	codeLines(code, language).map((tokens) =>
		tokens.map(({ kind, text }) => (kind === "plain" ? visible(text) : painted(kind, text, colour))).join(""),
	);
