// Quotations for a model: text that is not the user's, below a line that names its author. Every line begins with a
// bar, so that no text can end its quotation.
import { looseData } from "./loose-data.ts";

/** Everything that Unicode, terminals or programming languages treat as a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that end lines
const lineEnd = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;

export const linesOf = (words: string): string[] => words.split(lineEnd);

/** `[who]`, the quoted words, and `[end]` if given. */
export function quote(who: string, words: string, end?: string): string {
	return [
		heading(who),
		...linesOf(words).map((line) => `| ${line}`),
		...(end === undefined ? [] : [heading(end)]),
	].join("\n");
}

/** Without line breaks and brackets, which would end the heading. */
const heading = (text: string): string => `[${linesOf(text).join(" ").replaceAll("[", "(").replaceAll("]", ")")}]`;

/** The author of a text made of mails, each of which is quoted with its own author. */
export const mailAuthor = "mail";

/** Mail as a model sees it: quoted, with its author. */
export function quotedMail(mail: { id: number; from: string; body: string }): string {
	return quote(`mail ${mail.id} from ${mail.from}`, mail.body, `end of mail ${mail.id}`);
}

/** The author of an item or a prompt; null for the user. */
export function authorIn(data: unknown): string | null {
	const { from } = looseData(data);
	return typeof from === "string" ? from : null;
}

/** A prompt as a model reads it: the user's as it is, all others quoted. */
export function promptForModel({ text, data }: { text: string | null; data: unknown }): string {
	const from = authorIn(data);
	const words = text ?? "";
	return from === null || from === mailAuthor
		? words
		: quote(`a prompt from ${from}, which is not the user`, words, "end of the prompt");
}
