// Words that are not the user's, as a model reads them: every line behind a bar, below a line that says whose they are.
// The bar is on each line, so that no words can end the quotation, whatever they say and however they break their
// lines.

/** All that Unicode, terminals or a programming language take for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that end lines
const lineEnd = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;

export const linesOf = (words: string): string[] => words.split(lineEnd);

/** `[who]`, then the words, then `[end]` if something has to follow. */
export function quote(who: string, words: string, end?: string): string {
	return [
		heading(who),
		...linesOf(words).map((line) => `| ${line}`),
		...(end === undefined ? [] : [heading(end)]),
	].join("\n");
}

/** A name can neither end its line nor the bracket around it. */
const heading = (text: string): string => `[${linesOf(text).join(" ").replaceAll("[", "(").replaceAll("]", ")")}]`;

/** The author of a text made of mails, each of which is quoted and names its own author. */
export const mailAuthor = "mail";

/** Whose words an item or a prompt has, if they are not the user's. */
export function authorIn(data: unknown): string | null {
	const from: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "from") : undefined;
	return typeof from === "string" ? from : null;
}

/** A prompt as a model is to read it: the user's words are as they are, all others are quoted. */
export function promptForModel({ text, data }: { text: string | null; data: unknown }): string {
	const from = authorIn(data);
	const words = text ?? "";
	return from === null || from === mailAuthor
		? words
		: quote(`a prompt from ${from}, which is not the user`, words, "end of the prompt");
}
