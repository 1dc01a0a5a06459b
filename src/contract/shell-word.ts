/** A path as one word of a suggested command. */
export const shellWord = (place: string): string =>
	/^[\w./@:+-]+$/.test(place) ? place : `'${place.replaceAll("'", `'\\''`)}'`;
