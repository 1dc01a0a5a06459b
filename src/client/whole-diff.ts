// A diff that is longer than one answer, read to its end.
import type { Diff } from "#contract/workspace.ts";

/** Asks for another part of the same diff. */
type AskPart = (part: { from: string } | { path: string }) => Promise<Diff>;

/** With all files, and the patches that came with their pages. */
export async function withAllFiles<D extends Diff>(first: D, ask: AskPart): Promise<D> {
	const pages: Diff[] = [];
	for (let at = first.next.file; at !== null; at = pages.at(-1)?.next.file ?? null) pages.push(await ask({ from: at }));
	if (pages.length === 0) return first;
	const files = [first, ...pages].flatMap((page) => page.files);
	return { ...first, files, next: { ...first.next, file: null } };
}

/** With all files and their whole patch. */
export async function wholeDiff<D extends Diff>(first: D, ask: AskPart): Promise<D> {
	const listed = await withAllFiles(first, ask);
	let at = first.next.patch;
	// the first file alone may be longer than an answer; then it is read again, whole
	const patches = at === null || at !== first.files[0]?.path ? [first.patch] : [];
	while (at !== null) {
		const here: string = at;
		const page = await ask({ from: here });
		const isLong = page.next.patch === here;
		patches.push(isLong ? (await ask({ path: here })).patch : page.patch);
		at = isLong ? after(listed, here) : page.next.patch;
	}
	return { ...listed, patch: patches.join(""), next: { file: null, patch: null }, truncated: false };
}

function after({ files }: Diff, path: string): string | null {
	const at = files.findIndex((file) => file.path === path);
	return at < 0 ? null : (files[at + 1]?.path ?? null);
}
