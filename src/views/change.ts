// What a tool call changes in a file, from the arguments that agents give to their edit tools. Pure.

export interface FileEdit {
	added: number;
	deleted: number;
	/** as in a diff: each begins with `+`, `-` or a space */
	lines: readonly string[];
}

const before = ["old_string", "oldString", "oldText", "old_text", "old_str"];
const after = ["new_string", "newString", "newText", "new_text", "new_str", "content", "file_text"];
/** longer ones are shown by the diff of the workspace */
const linesMax = 2000;
/** unchanged lines that are shown around a change */
const around = 2;

/** Null if the arguments are not those of an edit. */
export function changeOf(tool: string, input: unknown): FileEdit | null {
	if (tool !== "edit") return null;
	const [old, fresh] = [textOf(input, before), textOf(input, after)];
	if (old === null && fresh === null) return null;
	const [from, to] = [linesOf(old), linesOf(fresh)];
	if (from.length + to.length > linesMax) return null;
	let head = 0;
	while (head < from.length && head < to.length && from[head] === to[head]) head++;
	let tail = 0;
	while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
	const [gone, come] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
	const lines = [
		...from.slice(Math.max(0, head - around), head).map((line) => ` ${line}`),
		...gone.map((line) => `-${line}`),
		...come.map((line) => `+${line}`),
		...from.slice(from.length - tail, from.length - tail + around).map((line) => ` ${line}`),
	];
	return { added: come.length, deleted: gone.length, lines };
}

function textOf(input: unknown, names: readonly string[]): string | null {
	const found: unknown = names.map((name) => Reflect.get(Object(input), name)).find((each) => typeof each === "string");
	return typeof found === "string" ? found : null;
}

const linesOf = (text: string | null): string[] =>
	text === null || text === "" ? [] : text.replace(/\n$/, "").split("\n");
