// The rows of the file tree. Their order is that of the diff: git sorts by path, so what is in a folder follows each
// other there.
import type { ChangedFile } from "#contract/workspace.ts";

/** Where a row is in the tree, counted from 1: only some of the rows are in the page. */
interface RowPosition {
	level: number;
	position: number;
	siblings: number;
}

interface FolderRow extends RowPosition {
	kind: "folder";
	/** its path, with a slash at its end */
	folder: string;
	/** below the row above it: several folders if each is all that the one before it has */
	name: string;
	/** files below it */
	count: number;
	isCollapsed: boolean;
}

interface FileOnly extends RowPosition {
	kind: "file";
	file: ChangedFile;
	name: string;
}

export type FileRow = FolderRow | FileOnly;

interface Asked {
	/** all of them have to be in a file's path */
	words: string;
	collapsed: ReadonlySet<string>;
}

/** While something is searched for, no folder is collapsed. */
export function fileRows(files: readonly ChangedFile[], { words, collapsed }: Asked): FileRow[] {
	const wanted = wordsIn(words);
	if (wanted.length === 0) return rowsIn({ folder: "", files }, 1, collapsed);
	const found = files.filter(({ path }) => wanted.every((word) => path.toLowerCase().includes(word)));
	return rowsIn({ folder: "", files: found }, 1, new Set());
}

export const wordsIn = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

interface Folder {
	folder: string;
	files: readonly ChangedFile[];
}

function rowsIn(inside: Folder, level: number, collapsed: ReadonlySet<string>): FileRow[] {
	const entries = entriesIn(inside);
	return entries.flatMap((entry, at): FileRow[] => {
		const position = { level, position: at + 1, siblings: entries.length };
		if ("path" in entry)
			return [{ kind: "file", file: entry, name: entry.path.slice(inside.folder.length), ...position }];
		const { folder, files } = endOfChain(entry);
		const isCollapsed = collapsed.has(folder);
		const name = folder.slice(inside.folder.length);
		const row: FolderRow = { kind: "folder", folder, name, count: files.length, isCollapsed, ...position };
		return isCollapsed ? [row] : [row, ...rowsIn({ folder, files }, level + 1, collapsed)];
	});
}

/** What is directly in a folder. */
function entriesIn({ folder, files }: Folder): (ChangedFile | Folder)[] {
	const entries: (ChangedFile | { folder: string; files: ChangedFile[] })[] = [];
	for (const file of files) {
		const below = file.path.slice(0, file.path.indexOf("/", folder.length) + 1);
		const last = entries.at(-1);
		if (below === "") entries.push(file);
		else if (last !== undefined && "files" in last && last.folder === below) last.files.push(file);
		else entries.push({ folder: below, files: [file] });
	}
	return entries;
}

/** The last of the folders that each have nothing but the next one. */
function endOfChain(from: Folder): Folder {
	const [only, ...others] = entriesIn(from);
	return only === undefined || "path" in only || others.length > 0 ? from : endOfChain(only);
}
