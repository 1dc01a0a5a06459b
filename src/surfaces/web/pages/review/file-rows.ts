// The rows of the file tree.
import type { ChangedFile } from "#contract/workspace.ts";

export type FileRow =
	| { kind: "folder"; level: 1; folder: string; count: number; isCollapsed: boolean }
	/** `level`: 2 below its folder */
	| { kind: "file"; level: 1 | 2; file: ChangedFile; name: string };

/** Files of the top folder have none above them. While something is searched for, no folder is collapsed. */
export function fileRows(
	files: readonly ChangedFile[],
	{ words, collapsed }: { words: string; collapsed: ReadonlySet<string> },
): FileRow[] {
	const wanted = words.trim().toLowerCase();
	const found = wanted === "" ? files : files.filter(({ path }) => path.toLowerCase().includes(wanted));
	const rows: FileRow[] = [];
	for (const [folder, inside] of Map.groupBy(found, ({ path }) => path.slice(0, path.lastIndexOf("/") + 1))) {
		const isCollapsed = wanted === "" && collapsed.has(folder);
		if (folder !== "") rows.push({ kind: "folder", level: 1, folder, count: inside.length, isCollapsed });
		const level = folder === "" ? 1 : 2;
		if (!isCollapsed)
			for (const file of inside) rows.push({ kind: "file", level, file, name: file.path.slice(folder.length) });
	}
	return rows;
}
