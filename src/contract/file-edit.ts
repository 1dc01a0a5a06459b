// What an edit changes in a file, as the lines of a diff. Pure.

export interface FileEdit {
	added: number;
	deleted: number;
	/** as in a diff: each begins with `+`, `-` or a space */
	lines: readonly string[];
}

/** longer ones are shown by the diff of the workspace */
const linesMax = 2000;
/** unchanged lines that are shown around a change */
const around = 2;

/** Null if the texts are too long. */
export function fileEdit(old: string, fresh: string): FileEdit | null {
	const [from, to] = [linesOf(old), linesOf(fresh)];
	let head = 0;
	while (head < from.length && head < to.length && from[head] === to[head]) head++;
	let tail = 0;
	while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
	const [gone, come] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
	if (gone.length + come.length > linesMax) return null;
	const lines = [
		...from.slice(Math.max(0, head - around), head).map((line) => ` ${line}`),
		...gone.map((line) => `-${line}`),
		...come.map((line) => `+${line}`),
		...from.slice(from.length - tail, from.length - tail + around).map((line) => ` ${line}`),
	];
	return { added: come.length, deleted: gone.length, lines };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
