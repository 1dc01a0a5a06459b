// A patch as files and lines, for every surface that shows one.

export type DiffLine =
	| { kind: "hunk"; text: string }
	| { kind: "context" | "added" | "deleted" | "note"; text: string; old: number | null; new: number | null };

export interface DiffFile {
	path: string;
	/** the old path of a rename */
	from: string | null;
	lines: readonly DiffLine[];
	added: number;
	deleted: number;
	isBinary: boolean;
}

/** Reads what `git diff` prints. Lines that it does not know are kept as notes: nothing is lost. */
export function diffFiles(patch: string): DiffFile[] {
	const files: DiffFile[] = [];
	for (const part of patch.split(/^(?=diff --git )/m)) {
		if (part.startsWith("diff --git ")) files.push(fileOf(part.split("\n")));
	}
	return files;
}

function fileOf(rows: readonly string[]): DiffFile {
	const first = rows.findIndex((row) => row.startsWith("@@"));
	const head = first === -1 ? rows : rows.slice(0, first);
	const named = (start: string): string | null =>
		head.find((row) => row.startsWith(start))?.slice(start.length) ?? null;
	const bare = (name: string | null): string | null =>
		name === null || name === "/dev/null" ? null : unquoted(name).replace(/^[ab]\//, "");
	const [, both = ""] = /^diff --git (.*)$/.exec(rows[0] ?? "") ?? [];
	const path = bare(named("+++ ")) ?? bare(named("--- ")) ?? named("rename to ") ?? bare(secondOf(both)) ?? both;
	const lines = first === -1 ? [] : linesOf(rows.slice(first));
	const count = (kind: DiffLine["kind"]): number => lines.filter((line) => line.kind === kind).length;
	return {
		...{ path, from: named("rename from "), lines, added: count("added"), deleted: count("deleted") },
		isBinary: head.some((row) => row.startsWith("Binary files ") || row.startsWith("GIT binary patch")),
	};
}

/** `a/x b/x`: both names are the same unless the file was renamed. */
const secondOf = (both: string): string => (both.startsWith('"') ? both : both.slice(Math.ceil(both.length / 2)));

/** Git quotes names with special characters. */
const unquoted = (name: string): string => (/^"(.*)"$/.exec(name)?.[1] ?? name).replace(/\t$/, "");

function linesOf(rows: readonly string[]): DiffLine[] {
	let [old, fresh] = [0, 0];
	const lines: DiffLine[] = [];
	// a patch ends with a line break, which is no line of it
	const all = rows.at(-1) === "" ? rows.slice(0, -1) : rows;
	for (const row of all) {
		const [mark, text] = [row[0], row.slice(1)];
		const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(row);
		if (hunk !== null) {
			[old, fresh] = [Number(hunk[1]), Number(hunk[2])];
			lines.push({ kind: "hunk", text: row });
		} else if (mark === "+") lines.push({ kind: "added", text, old: null, new: fresh++ });
		else if (mark === "-") lines.push({ kind: "deleted", text, old: old++, new: null });
		else if (mark === " ") lines.push({ kind: "context", text, old: old++, new: fresh++ });
		else lines.push({ kind: "note", text: row.replace(/^\\ /, ""), old: null, new: null });
	}
	return lines;
}
