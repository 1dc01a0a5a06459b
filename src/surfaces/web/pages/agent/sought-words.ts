// The words of the search that led to an item, and where a text has them.
import { createContext } from "react";

export const SoughtWords = createContext("");

/** Where a text first has the longest of the words, which has the fewest hits; null if it has none. */
export function hitIn(text: string, words: string): { from: number; to: number } | null {
	const [longest] = (words.match(/[\p{L}\p{N}_]+/gu) ?? []).toSorted((one, other) => other.length - one.length);
	if (longest === undefined) return null;
	const found = new RegExp(`(?<![\\p{L}\\p{N}_])${longest}`, "iu").exec(text);
	return found === null ? null : { from: found.index, to: found.index + found[0].length };
}
