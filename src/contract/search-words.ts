// What counts as a word of a search, and the snippet around a hit. All stores share it, so that they find the same. It
// needs no schemas: the thread that reads the store has none.

/** One word of a search; with `begins` it matches every word with this prefix. */
export interface Term {
	word: string;
	begins: boolean;
}

/** An item is indexed up to this many characters, and this many different words. */
export const searchedLengthMax = 100_000;
const wordsMax = 10_000;
/** longer words are cut, and match by prefix */
const wordLengthMax = 64;
const termsMax = 16;
const snippetLength = 160;

const word = /[\p{L}\p{N}]+/gu;

/** The different words of a text: letters and digits, without case and accents. */
export function searchWords(text: string): string[] {
	const found = new Set<string>();
	for (const [each] of plain(text.slice(0, searchedLengthMax)).matchAll(word)) {
		if (found.size >= wordsMax) break;
		found.add(short(each));
	}
	return [...found];
}

/** `fix parse*` asks for the word "fix" and any word that begins with "parse". */
export function termsOf(text: string): Term[] {
	const found = [...plain(text.slice(0, 1000)).matchAll(/([\p{L}\p{N}]+)(\*?)/gu)];
	return found
		.slice(0, termsMax)
		.map(([, each = "", star]) => ({ word: short(each), begins: star === "*" || each.length > wordLengthMax }));
}

export function matches(text: string, terms: readonly Term[]): boolean {
	const words = searchWords(text);
	return terms.every((term) => words.some((each) => fits(each, term)));
}

/** The words around the first place where a term occurs, on one line. */
export function snippetOf(text: string, terms: readonly Term[]): string {
	const start = text.slice(0, searchedLengthMax);
	const place = [...start.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].find(([each]) =>
		searchWords(each).some((inner) => terms.some((term) => fits(inner, term))),
	);
	const from = Math.max(0, (place?.index ?? 0) - snippetLength / 4);
	const piece = start
		.slice(from, from + snippetLength)
		.toWellFormed()
		.replace(/\s+/g, " ")
		.trim();
	return `${from > 0 ? "…" : ""}${piece}${from + snippetLength < text.length ? "…" : ""}`;
}

const fits = (each: string, { word: wanted, begins }: Term): boolean =>
	begins ? each.startsWith(wanted) : each === wanted;

/** Lower case without accents. */
const plain = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const short = (each: string): string => Array.from(each).slice(0, wordLengthMax).join("");
