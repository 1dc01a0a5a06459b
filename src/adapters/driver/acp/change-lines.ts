// Where the diffs of an edit begin. ACP's diffs have no line numbers: programs that know them say a location for each.
import { hiddenBefore } from "#contract/file-edit.ts";

export interface Location {
	path: string;
	line: number | null;
}

interface Part {
	path: string;
	oldText?: string | null | undefined;
	newText: string;
}

/** The first shown line of each diff, before and after the edit; nothing where the program does not say it. */
export function lineNumbers(
	parts: readonly Part[],
	locations: readonly Location[],
): { line?: { old: number; new: number } }[] {
	return parts.map((part, at) => {
		const earlier = parts.slice(0, at).filter(({ path }) => path === part.path);
		const count = parts.filter(({ path }) => path === part.path).length;
		const found = locations.filter(({ path }) => path === part.path);
		const line = found[earlier.length]?.line ?? null;
		if (found.length !== count || line === null) return {};
		const fresh = line + hiddenBefore(part.oldText ?? "", part.newText);
		const grown = earlier.reduce((sum, each) => sum + linesIn(each.newText) - linesIn(each.oldText ?? ""), 0);
		return { line: { old: Math.max(1, fresh - grown), new: fresh } };
	});
}

const linesIn = (text: string): number => (text === "" ? 0 : text.split("\n").length);
