// Whether the output has colours: none if it is not a terminal.
import { painted as paintedIn, type Style } from "#views/paint.ts";

export type { Style };

/** `--color always|never` and `NO_COLOR` decide before the terminal does. */
export function hasColour(stream: { isTTY?: boolean } = process.stdout): boolean {
	const { NO_COLOR: off = "", BROOD_COLOR: chosen, TERM: terminal } = process.env;
	if (chosen === "always" || chosen === "never") return chosen === "always";
	return off === "" && terminal !== "dumb" && stream.isTTY === true;
}

/** The text in a colour, with control characters escaped. */
export const painted = (style: Style, text: string, colour: boolean = hasColour()): string =>
	paintedIn(style, text, colour);

const whens = ["always", "never", "auto"];

/**
 * What `--color` was given that is none of its values; null if all is well. Alone, before another option, it is
 * `always`.
 */
export function wrongColour(args: readonly string[]): string | null {
	const end = args.indexOf("--");
	const words = end < 0 ? args : args.slice(0, end);
	const given = words.flatMap((word, at) =>
		word.startsWith("--color=") ? word.slice("--color=".length) : word === "--color" ? (words[at + 1] ?? []) : [],
	);
	return given.find((word) => !word.startsWith("-") && !whens.includes(word)) ?? null;
}

/** Removes `--color` and `--no-color` from the arguments: every command accepts them, anywhere. */
export function takeColour(args: readonly string[], env: NodeJS.ProcessEnv): string[] {
	const end = args.indexOf("--");
	// after `--` everything is text
	const [words, text] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end)];
	const kept: string[] = [];
	let isOpen = false;
	for (const word of words) {
		const [, when] = /^--color=(always|never|auto)$/.exec(word) ?? [];
		if (isOpen && whens.includes(word)) env["BROOD_COLOR"] = word;
		else if (word === "--color" || word === "--no-color" || when !== undefined)
			env["BROOD_COLOR"] = when ?? (word === "--color" ? "always" : "never");
		else kept.push(word);
		isOpen = word === "--color";
	}
	return [...kept, ...text];
}
