/** A path as one word of a suggested command. */
export const shellWord = (word: string): string =>
	/^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
