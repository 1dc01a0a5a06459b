// Words that are not ours, as a person may be shown them. A terminal takes some characters for orders: to move the
// cursor, to hide what follows, to fill the clipboard; others turn the order of the letters around. What such a
// character is stays visible, what it does is gone: `␛[8m`, `<U+202E>`.

/** Everything without a shape of its own. The two joiners only join letters, and some scripts and signs need them. */
const unseen = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Lines and tabs stay; for what has to stay on one line there is `inline`. */
export const visible = (text: string): string => text.toWellFormed().replaceAll(unseen, picture);

/** The same for a cell, a name or a heading: nothing can begin another line. */
export const inline = (text: string): string => visible(text).replaceAll("\n", "␊").replaceAll("\t", "␉");

/** The first line as it is, the others behind a mark, so that none of them passes for one of ours. */
export const indented = (text: string, mark: string): string => text.replaceAll("\n", `\n${mark}`);

/** Exactly the same JSON, without a character that a terminal takes for an order. */
export const asJson = (value: unknown): string =>
	JSON.stringify(value).replaceAll(unseen, (character) =>
		Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(""),
	);

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

function picture(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x20) return String.fromCodePoint(0x24_00 + code);
	return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
