// Markdown as tokens. A message that grows is lexed only after its last finished block; a text that no lexer survives
// is shown as it is.
import { Lexer, lexer, type MarkedOptions, type Token } from "marked";

/** a longer text is shown plainly: nobody reads it as prose */
const textMax = 400_000;
/** so deep nesting is hostile: the lexer would run out of stack */
const nestingMax = 40;

export const tokensOf = (text: string): readonly Token[] | null => lexed(text, lexer);

export const inlineTokensOf = (text: string): readonly Token[] | null => lexed(text, Lexer.lexInline);

function lexed(text: string, lex: (text: string, options: MarkedOptions) => Token[]): readonly Token[] | null {
	if (text.length > textMax || isTooDeep(text)) return null;
	try {
		return lex(text, { gfm: true, breaks: true });
	} catch {
		// marked throws on texts that nest without end
		return null;
	}
}

const isTooDeep = (text: string): boolean => new RegExp(`^(?:[ \\t]*[>*+-][ \\t]?){${nestingMax},}`, "m").test(text);

/** Lexes a growing text: blocks that are finished are kept. */
export class GrowingMarkdown {
	#done: Token[] = [];
	#doneLength = 0;
	#before = "";

	tokens(text: string): readonly Token[] | null {
		if (!text.startsWith(this.#before.slice(0, this.#doneLength))) [this.#done, this.#doneLength] = [[], 0];
		this.#before = text;
		const open = tokensOf(text.slice(this.#doneLength));
		if (open === null) return null;
		// the last block may still grow, and with it the blank line before
		const finished = open.slice(0, -2);
		this.#done = [...this.#done, ...finished];
		this.#doneLength += finished.reduce((sum, { raw }) => sum + raw.length, 0);
		return [...this.#done, ...open.slice(finished.length)];
	}
}

/** Links lead only to pages; anything else stays text. */
export const safeHref = (href: string): string | null => (/^https?:\/\//i.test(href) ? href : null);
