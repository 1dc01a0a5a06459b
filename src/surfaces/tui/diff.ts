// A patch, cut into files.
import type { Diff } from "#contract/workspace.ts";
import type { DiffFile, Panel } from "./model.ts";

export function diffPanel({ patch, files, truncated, omitted }: Diff, title: string): Panel {
	const shown = filesOf(patch);
	const named = new Set(shown.map(({ path }) => path));
	const others: DiffFile[] = files
		.filter(({ path }) => !named.has(path))
		.map(({ path }) => ({ path, added: null, deleted: null, lines: [] }));
	const cut = truncated ? ["The diff is too long and was cut; `git diff` in the workspace shows all of it."] : [];
	const left = omitted.map(({ path, reason }) => `${path}: ${reason}`);
	const notes = [...cut, ...left];
	const last: DiffFile[] =
		notes.length === 0
			? []
			: [{ path: "not shown", added: null, deleted: null, lines: notes.map((note) => ` ${note}`) }];
	return { kind: "diff", at: 0, title, files: [...shown, ...others, ...last], reviewed: new Set() };
}

export function filesOf(patch: string): DiffFile[] {
	const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
	return parts.map((part) => {
		const lines = part.trimEnd().split("\n");
		const from = lines.findIndex((line) => line.startsWith("@@"));
		const head = from < 0 ? lines : lines.slice(0, from);
		const body = from < 0 ? [] : lines.slice(from);
		const path =
			head
				.map((line) => /^(?:\+\+\+ b|rename to |--- a)\/?(.*)$/.exec(line)?.[1])
				.findLast((each) => each !== undefined) ??
			lines[0]?.replace(/^diff --git a\/.* b\//, "") ??
			"";
		const isText = from >= 0 || !head.some((line) => /^(Binary files|GIT binary patch)/.test(line));
		return {
			path,
			added: isText ? body.filter((line) => line.startsWith("+")).length : null,
			deleted: isText ? body.filter((line) => line.startsWith("-")).length : null,
			lines: body,
		};
	});
}

/** The file that a row belongs to. */
export function fileAt({ files, at }: { files: readonly DiffFile[]; at: number }): number {
	let row = 0;
	for (const [index, { lines }] of files.entries()) {
		row += lines.length + 1;
		if (at < row) return index;
	}
	return files.length - 1;
}
