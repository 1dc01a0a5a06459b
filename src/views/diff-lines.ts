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
	/** what it is beside its text: `mode 644 → 755`, `symlink`; null for an ordinary file */
	mode: string | null;
	/** as git prints it */
	source: string;
}

/** Reads what `git diff` prints. Lines that it does not know are kept as notes: nothing is lost. */
export function diffFiles(patch: string): DiffFile[] {
	const files: DiffFile[] = [];
	for (const file of partsOf(patch)) {
		const before = files.at(-1);
		// a file that became a link has two parts
		if (before?.path === file.path) files[files.length - 1] = joined(before, file);
		else files.push(file);
	}
	return files;
}

const joined = (before: DiffFile, after: DiffFile): DiffFile => ({
	...after,
	lines: [...before.lines, ...after.lines],
	added: before.added + after.added,
	deleted: before.deleted + after.deleted,
	mode: `${before.mode ?? "file"} → ${after.mode ?? "file"}`,
	source: `${before.source}\n${after.source}`,
});

const partsOf = (patch: string): DiffFile[] =>
	patchFiles(patch).map(({ path, from, isBinary, mode, source, body }) => {
		const lines = linesOf(body);
		const count = (kind: DiffLine["kind"]): number => lines.filter((line) => line.kind === kind).length;
		return { path, from, lines, added: count("added"), deleted: count("deleted"), isBinary, mode, source };
	});

export interface PatchFile {
	path: string;
	from: string | null;
	isBinary: boolean;
	isDeleted: boolean;
	mode: string | null;
	source: string;
	/** from the first `@@` on, as git prints it */
	body: readonly string[];
}

/** A file counts as viewed until this text of it changes. */
export function viewedText({ source, mode }: Pick<PatchFile, "source" | "mode">): string {
	const first = source.indexOf("\n@@");
	// the head names the whole contents, which a change of base replaces; of a file without lines it is all there is
	return first === -1 ? source : `${mode ?? ""}${source.slice(first)}`;
}

/**
 * The files of a patch. Only a line feed ends a line of it: other line ends are content, and may be followed by
 * anything.
 */
export const patchFiles = (patch: string): PatchFile[] =>
	patch
		.split(/(?<=^|\n)(?=diff --git )/)
		.filter((part) => part.startsWith("diff --git "))
		.map((part) => fileOf(part.replace(/\n$/, "")));

function fileOf(source: string): PatchFile {
	const rows = source.split("\n");
	const first = rows.findIndex((row) => row.startsWith("@@"));
	const head = first === -1 ? rows : rows.slice(0, first);
	const named = (start: string): string | null => {
		const name = head.find((row) => row.startsWith(start))?.slice(start.length);
		return name === undefined ? null : unquoted(name);
	};
	const bare = (name: string | null): string | null =>
		name === null || name === "/dev/null" ? null : name.replace(/^[ab]\//, "");
	const both = (rows[0] ?? "").slice("diff --git ".length);
	const path = bare(named("+++ ")) ?? bare(named("--- ")) ?? named("rename to ") ?? bare(secondOf(both)) ?? both;
	return {
		...{ path, from: named("rename from "), body: first === -1 ? [] : rows.slice(first) },
		isBinary: head.some((row) => row.startsWith("Binary files ") || row.startsWith("GIT binary patch")),
		isDeleted: head.some((row) => row.startsWith("deleted file mode ")),
		mode: modeText(head),
		source,
	};
}

function modeText(head: readonly string[]): string | null {
	const modes = ["old mode ", "deleted file mode ", "new mode ", "new file mode "].flatMap((start) =>
		head.filter((row) => row.startsWith(start)).map((row) => row.slice(start.length)),
	);
	const [, same] = /^index [0-9a-f]+\.\.[0-9a-f]+ (\d+)$/m.exec(head.join("\n")) ?? [];
	const [old, fresh] = [modes[0] ?? same, modes.at(-1) ?? same];
	if (old === undefined || fresh === undefined) return null;
	const kind = (mode: string): string => kinds[mode.slice(0, 3)] ?? "file";
	if (kind(old) !== kind(fresh)) return `${kind(old)} → ${kind(fresh)}`;
	if (kind(fresh) !== "file") return kind(fresh);
	return old === fresh
		? modes.length > 0 && fresh !== "100644"
			? `mode ${bits(fresh)}`
			: null
		: `mode ${bits(old)} → ${bits(fresh)}`;
}

/** by the first digits of git's mode */
const kinds: Readonly<Record<string, string>> = { "120": "symlink", "160": "submodule" };
const bits = (mode: string): string => mode.slice(-3);

/** `a/x b/x`: both names are the same unless the file was renamed. */
const secondOf = (both: string): string =>
	unquoted(/"(?:[^"\\]|\\.)*"$/.exec(both)?.[0] ?? both.slice(Math.ceil(both.length / 2)));

/** Git quotes names with special characters like C does, and writes each byte that is not ASCII as `\303`. */
function unquoted(name: string): string {
	const [, inner] = /^"(.*)"\t?$/.exec(name) ?? [];
	if (inner === undefined) return name.replace(/\t$/, "");
	try {
		return decodeURIComponent(
			inner.replaceAll(/\\([0-7]{3}|.)|[^\\]+/g, (part, code: string | undefined) => {
				if (code === undefined) return encodeURIComponent(part);
				if (code.length === 3) return `%${Number.parseInt(code, 8).toString(16).padStart(2, "0")}`;
				return encodeURIComponent(escapes[code] ?? code);
			}),
		);
	} catch {
		// a name that is not UTF-8 stays as git prints it
		return inner;
	}
}

const escapes: Readonly<Record<string, string>> = {
	...{ a: "\u0007", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" },
};

function linesOf(rows: readonly string[]): DiffLine[] {
	let [old, fresh] = [0, 0];
	const lines: DiffLine[] = [];
	for (const row of rows) {
		const [sign, text] = [row[0], row.slice(1)];
		const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(row);
		if (hunk !== null) {
			[old, fresh] = [Number(hunk[1]), Number(hunk[2])];
			lines.push({ kind: "hunk", text: row });
		} else if (sign === "+") lines.push({ kind: "added", text, old: null, new: fresh++ });
		else if (sign === "-") lines.push({ kind: "deleted", text, old: old++, new: null });
		else if (sign === " ") lines.push({ kind: "context", text, old: old++, new: fresh++ });
		else lines.push({ kind: "note", text: row.replace(/^\\ /, ""), old: null, new: null });
	}
	return lines;
}
