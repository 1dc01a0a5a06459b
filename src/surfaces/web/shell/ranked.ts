// Fuzzy search: all letters in order. Whole words and beginnings come first.

/** The best first; all of them, in their order, for an empty text. */
export function ranked<T>(all: readonly T[], text: string, nameOf: (each: T) => string): T[] {
	const wanted = text.toLowerCase().replaceAll(/\s+/g, "");
	if (wanted === "") return [...all];
	return all
		.map((each) => ({ each, score: scoreOf(nameOf(each).toLowerCase(), wanted) }))
		.filter(({ score }) => score > 0)
		.toSorted((a, b) => b.score - a.score)
		.map(({ each }) => each);
}

/** 0 if a letter is missing. */
export function scoreOf(name: string, wanted: string): number {
	const whole = name.indexOf(wanted);
	if (whole !== -1) return 1000 - name.length - (isStart(name, whole) ? 0 : 300);
	let [at, score] = [0, 500 - name.length];
	for (const letter of wanted) {
		const found = name.indexOf(letter, at);
		if (found === -1) return 0;
		score -= Math.min(20, found - at) - (isStart(name, found) ? 5 : 0);
		at = found + 1;
	}
	return Math.max(1, score);
}

const isStart = (name: string, at: number): boolean => at === 0 || /[^a-z0-9]/.test(name[at - 1] ?? "");
