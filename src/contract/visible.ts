// Untrusted text for a terminal. Control characters can move the cursor, hide text or fill the clipboard; others
// reverse the order of letters. They are shown, not obeyed: `␛[8m`, `<U+202E>`.

/** All control and format characters, except for the two joiners: some scripts and emoji need them. */
const control = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Line breaks and tabs stay; `inline` is for text on one line. */
export const visible = (text: string): string => text.toWellFormed().replaceAll(control, picture);

/** The same for a cell, a name or a heading: on one line. */
export const inline = (text: string): string => visible(text).replaceAll("\n", "␊").replaceAll("\t", "␉");

/** White space of any length is one space. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The first line as it is, the others after a prefix, so that none of them looks like Brood's own. */
export const indented = (text: string, prefix: string): string => text.replaceAll("\n", `\n${prefix}`);

/** The same JSON with control characters escaped. */
export const asJson = (value: unknown): string =>
	JSON.stringify(value).replaceAll(control, (character) =>
		Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(""),
	);

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

function picture(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x20) return String.fromCodePoint(0x24_00 + code);
	return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
