// Splits what follows a slash into words and options: `/fork --name try "a mutex instead"`.
import { Refused } from "#client/client.ts";
import { refuse } from "#contract/refusal.ts";

export interface Words {
	command: string;
	words: string[];
	/** each word with its quotes, and the space before it */
	typed: string[];
	/** `--name x` and `--cascade` */
	options: ReadonlyMap<string, string>;
	/** a quote is not closed: it reaches to the end */
	isUnclosed: boolean;
}

/** `flags` take no value; every other option takes the next word. */
export function wordsOf(line: string, flags: ReadonlySet<string>): Words {
	const [, command = "", rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
	const [words, typed]: [string[], string[]] = [[], []];
	const options = new Map<string, string>();
	const parts = partsOf(rest);
	for (let at = 0; at < parts.length; at++) {
		const { text, whole, isQuoted } = parts[at] ?? { text: "", whole: "", isQuoted: false };
		const [, name] = isQuoted ? [] : (/^--?([a-z][a-z-]*)$/.exec(text) ?? []);
		if (name === undefined) {
			words.push(text);
			typed.push(whole);
		} else if (flags.has(name)) options.set(name, "true");
		else options.set(name, parts[++at]?.text ?? "");
	}
	return { command, words, typed, options, isUnclosed: parts.some((part) => part.isUnclosed) };
}

function partsOf(text: string): { text: string; whole: string; isQuoted: boolean; isUnclosed: boolean }[] {
	const found = text.matchAll(/\s*(?:"((?:[^"\\]|\\[\s\S])*)("?)|'([^']*)('?)|(\S+))/g);
	return [...found].map(([whole, double, doubleEnd, single, singleEnd, bare]) => ({
		text: double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? bare ?? "",
		whole,
		isQuoted: bare === undefined,
		isUnclosed: doubleEnd === "" || singleEnd === "",
	}));
}

/** What is wrong with the words of a command, by how it is to be written; null if nothing is. */
export function problemOf(
	{ words, options, isUnclosed }: Omit<Words, "command" | "typed">,
	usage: string,
): string | null {
	if (isUnclosed) return "a quote is not closed";
	const known = new Set([...usage.matchAll(/--?([a-z][a-z-]*)/g)].map(([, name = ""]) => name));
	for (const [name, value] of options) {
		if (!known.has(name)) return `unknown option '${name.length === 1 ? "-" : "--"}${name}'`;
		if (value === "") return `option --${name} needs a value`;
	}
	const positional = usage.replaceAll(/\[?--?[^\]]*\]?/g, "").match(/\S+/g) ?? [];
	const isOpen = positional.some((each) => /…|TEXT|MESSAGE|prompt/.test(each));
	return isOpen || words.length <= positional.length
		? null
		: `too many words: ${words.slice(positional.length).join(" ")}`;
}

/** How a command is to be written, after what was wrong with it. */
export function usageRefusal(usage: string, problem?: string): Refused {
	const how = `Write it like this: ${usage}`;
	return new Refused(refuse("VALIDATION_ERROR", problem === undefined ? how : `${problem}. ${how}`));
}

export function numberOf(word: string, option: string, refused: (problem: string) => Refused): number {
	if (!/^\d+(\.\d+)?$/.test(word)) throw refused(`${option} has to be a number, not ${word}`);
	return Number(word);
}

/** The words from this one on as one text: as it was typed, with its lines, or what one pair of quotes contains. */
export function textOf({ words, typed }: Pick<Words, "words" | "typed">, from = 0): string {
	const [word = "", ...more] = words.slice(from);
	return more.length === 0 ? word : typed.slice(from).join("").trim();
}
