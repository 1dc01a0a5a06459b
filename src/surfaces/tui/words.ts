// Splits what follows a slash into words and options: `/fork --name try "a mutex instead"`.

export interface Words {
	command: string;
	words: string[];
	/** `--name x` and `--cascade` */
	options: ReadonlyMap<string, string>;
	/** everything after the command, as it was typed */
	rest: string;
}

/** `flags` take no value; every other option takes the next word. */
export function wordsOf(line: string, flags: ReadonlySet<string>): Words {
	const [, command = "", rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
	const words: string[] = [];
	const options = new Map<string, string>();
	const parts = partsOf(rest);
	for (let at = 0; at < parts.length; at++) {
		const { text, isQuoted } = parts[at] ?? { text: "", isQuoted: false };
		const [, name] = isQuoted ? [] : (/^--([a-z][a-z-]*)$/.exec(text) ?? []);
		if (name === undefined) words.push(text);
		else if (flags.has(name)) options.set(name, "true");
		else options.set(name, parts[++at]?.text ?? "");
	}
	return { command, words, options, rest };
}

/** A quote that is not closed reaches to the end. */
function partsOf(text: string): { text: string; isQuoted: boolean }[] {
	const found = text.matchAll(/"((?:[^"\\]|\\[\s\S])*)"?|'([^']*)'?|(\S+)/g);
	return [...found].map(([, double, single, bare]) => ({
		text: double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? bare ?? "",
		isQuoted: bare === undefined,
	}));
}
