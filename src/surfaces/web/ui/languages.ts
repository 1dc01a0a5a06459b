// Syntax colours. Each language is a chunk of its own, loaded when its first file is shown.
import type { Parser } from "@lezer/common";
import { classHighlighter, highlightCode } from "@lezer/highlight";

const loaders: Readonly<Record<string, () => Promise<Parser>>> = {
	javascript: async () => (await import("@lezer/javascript")).parser.configure({ dialect: "ts jsx" }),
	python: async () => (await import("@lezer/python")).parser,
	json: async () => (await import("@lezer/json")).parser,
	css: async () => (await import("@lezer/css")).parser,
	html: async () => (await import("@lezer/html")).parser,
	rust: async () => (await import("@lezer/rust")).parser,
	go: async () => (await import("@lezer/go")).parser,
	cpp: async () => (await import("@lezer/cpp")).parser,
	java: async () => (await import("@lezer/java")).parser,
	yaml: async () => (await import("@lezer/yaml")).parser,
};

const names: Readonly<Record<string, string>> = {
	...{ js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript", ts: "javascript", mts: "javascript" },
	...{ tsx: "javascript", typescript: "javascript", javascript: "javascript", py: "python", python: "python" },
	...{ json: "json", jsonc: "json", css: "css", scss: "css", html: "html", htm: "html", svg: "html", xml: "html" },
	...{ rs: "rust", rust: "rust", go: "go", c: "cpp", h: "cpp", cc: "cpp", cpp: "cpp", hpp: "cpp", java: "java" },
	...{ kt: "java", yaml: "yaml", yml: "yaml" },
};

export interface Piece {
	text: string;
	/** of the highlighter, such as `tok-keyword`; empty for plain text */
	className: string;
}

const loaded = new Map<string, Parser>();

/** By a file's name or a fence's word; null if there is no parser for it. */
export function parserFor(name: string): string | null {
	const ending = name
		.toLowerCase()
		.split(/[./\s{]/)
		.findLast((part) => part !== "");
	return (ending === undefined ? undefined : names[ending]) ?? null;
}

export const isLoaded = (language: string): boolean => loaded.has(language);

export async function load(language: string): Promise<void> {
	const parser = await loaders[language]?.();
	if (parser !== undefined) loaded.set(language, parser);
}

/** a longer text is shown without colours: parsing it would block the page */
const textMax = 200_000;

/** The lines of a text in colours; plain if its language is not loaded. */
export function colouredLines(text: string, language: string | null): Piece[][] {
	const parser = language === null ? undefined : loaded.get(language);
	if (parser === undefined || text.length > textMax)
		return text.split("\n").map((line) => [{ text: line, className: "" }]);
	const lines: Piece[][] = [[]];
	highlightCode(
		text,
		parser.parse(text),
		classHighlighter,
		(piece, className) => lines.at(-1)?.push({ text: piece, className }),
		() => lines.push([]),
	);
	return lines;
}
