// A file's diff in two columns: what was deleted on the left of what came in its place.
import type { DiffFile, DiffLine } from "./diff-lines.ts";

export type PairedRow =
	| { kind: "hunk"; text: string }
	| { kind: "pair"; left: { line: DiffLine; at: number } | null; right: { line: DiffLine; at: number } | null };

/** `at` is the line's index in the file's lines. */
export function sideBySide({ lines }: Pick<DiffFile, "lines">): PairedRow[] {
	const rows: PairedRow[] = [];
	let [gone, come]: { line: DiffLine; at: number }[][] = [[], []];
	const flush = (): void => {
		for (let at = 0; at < Math.max(gone?.length ?? 0, come?.length ?? 0); at++)
			rows.push({ kind: "pair", left: gone?.[at] ?? null, right: come?.[at] ?? null });
		[gone, come] = [[], []];
	};
	for (const [at, line] of lines.entries()) {
		// a note is about the line before it
		const kind = line.kind === "note" ? lines[at - 1]?.kind : line.kind;
		if (kind === "deleted") gone?.push({ line, at });
		else if (kind === "added") come?.push({ line, at });
		else {
			flush();
			if (line.kind === "hunk") rows.push({ kind: "hunk", text: line.text });
			else rows.push({ kind: "pair", left: { line, at }, right: { line, at } });
		}
	}
	flush();
	return rows;
}
