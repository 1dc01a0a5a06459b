// Reads our own source: its files, imports and function lengths.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";

/** Files that are tracked, or new and not ignored. */
export function trackedFiles(): string[] {
	const list = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
		encoding: "utf8",
	});
	return list.split("\0").filter((file) => file !== "" && existsSync(file));
}

export function importsOf(file: string, text: string): string[] {
	const { program, errors } = parseSync(file, text);
	if (errors.length > 0) throw new SyntaxError(`${file} does not parse: ${errors[0]?.message}`);
	const found: string[] = [];
	const add = (source: { value: unknown } | null): void => {
		if (source !== null && typeof source.value === "string") found.push(source.value);
	};
	new Visitor({
		ImportDeclaration: (node) => add(node.source),
		ExportNamedDeclaration: (node) => add(node.source),
		ExportAllDeclaration: (node) => add(node.source),
		ImportExpression: (node) => (node.source.type === "Literal" ? add(node.source) : undefined),
	}).visit(program);
	return found;
}

/** The files that load with a file: its static imports other than types. */
export function loadedWith(file: string, text: string): string[] {
	const { staticImports, staticExports } = parseSync(file, text).module;
	const imported = staticImports
		.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
		.map((each) => each.moduleRequest.value);
	const passedOn = staticExports.flatMap(({ entries }) =>
		entries.flatMap(({ isType, moduleRequest }) => (isType ? [] : (moduleRequest?.value ?? []))),
	);
	return [...imported, ...passedOn];
}

export function longFunctions(file: string, text: string, linesMax: number): string[] {
	const { program } = parseSync(file, text);
	const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
	const found: string[] = [];
	const measure = (node: { start: number; end: number }): void => {
		const lines = lineAt(node.end) - lineAt(node.start) + 1;
		if (lines > linesMax) found.push(`${file}:${lineAt(node.start)} has a function of ${lines} lines`);
	};
	new Visitor({ FunctionDeclaration: measure, FunctionExpression: measure, ArrowFunctionExpression: measure }).visit(
		program,
	);
	return found;
}

/** Type assertions other than `as const`, by line. */
export function castsIn(file: string, text: string): string[] {
	const found: string[] = [];
	new Visitor({
		TSAsExpression(node) {
			const target = text.slice(node.typeAnnotation.start, node.typeAnnotation.end);
			if (target !== "const") found.push(`${file}:${text.slice(0, node.start).split("\n").length} casts to ${target}`);
		},
	}).visit(parseSync(file, text).program);
	return found;
}

/** Lines that are wider than this, and that are so also without what is in their strings and regular expressions. */
export function wideLines(file: string, text: string, widthMax: number): string[] {
	const isWide = (line: string): boolean => [...line.replaceAll("\t", "  ")].length > widthMax;
	if (!text.split("\n").some(isWide)) return [];
	// in UTF-16 code units, as the parser counts
	const units = text.split("");
	const takeOut = (start: number, end: number): void => {
		for (let at = start; at < end; at++) if (units[at] !== "\n") units[at] = "";
	};
	new Visitor({
		Literal(node) {
			if (typeof node.value === "string" || "regex" in node) takeOut(node.start + 1, node.end - 1);
		},
		TemplateElement: ({ start, end }) => takeOut(start, end),
	}).visit(parseSync(file, text).program);
	return units
		.join("")
		.split("\n")
		.flatMap((line, at) => (isWide(line) ? [`${file}:${at + 1}`] : []));
}
