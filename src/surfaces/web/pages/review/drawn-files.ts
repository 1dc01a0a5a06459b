// The files of a review whose lines are shown.
import type { ChangedFile, Diff } from "#contract/workspace.ts";
import { type DiffFile, diffFiles } from "#views/diff-lines.ts";

/** changed lines; longer files are loaded when somebody asks */
const linesMax = 20_000;

export const isShort = ({ added, deleted }: ChangedFile): boolean => (added ?? 0) + (deleted ?? 0) <= linesMax;

/** With the files of one more answer that are wanted. */
export function drawnWith(
	drawn: ReadonlyMap<string, DiffFile>,
	{ files, patch }: Pick<Diff, "files" | "patch">,
	isWanted: (file: ChangedFile) => boolean = () => true,
): ReadonlyMap<string, DiffFile> {
	const listed = new Map(files.map((file) => [file.path, file]));
	const found = new Map(drawn);
	for (const [at, file] of diffFiles(patch).entries()) {
		// a name that is not UTF-8 is written in another way there; patches come in the order of the files
		const changed = listed.get(file.path) ?? files[at];
		const path = changed?.path ?? file.path;
		if (changed === undefined || isWanted(changed)) found.set(path, { ...file, path });
	}
	return found;
}
