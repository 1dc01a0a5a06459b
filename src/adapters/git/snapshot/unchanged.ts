// Whether the files of a tree still match an index into which git has just read some of them. In a small tree, reading
// those once more and looking at the others costs less than a process.
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { attempt } from "#adapters/system/errors.ts";
import { readRegular } from "#adapters/system/regular-file.ts";
import { type IndexEntry, sameStat } from "../format/index-file.ts";
import { type ByteName, pathOf } from "../format/names.ts";
import { Links } from "../tree/links.ts";
import type { ReadIndex, Tree } from "../tree/tree.ts";

const entriesMax = 1000;
const readMax = 32;
const bytesMax = 256 * 1024;
const link = 0o120000;

/**
 * `names` are the files that were read. Null where git has to compare them: many or large ones, and whatever is odd.
 */
export async function areUnchanged(tree: Tree, held: ReadIndex, names: readonly ByteName[]): Promise<boolean | null> {
	if (names.length > readMax || held.entries.length > entriesMax) return null;
	const wanted = new Set(names);
	const [read, others] = [true, false].map((isRead) =>
		held.entries.filter(({ path }) => wanted.has(path.toString("latin1")) === isRead),
	);
	const bytes = read?.reduce((sum, { at }) => sum + held.bytes.readUInt32BE(at + 36), 0) ?? 0;
	if (read?.length !== wanted.size || bytes > bytesMax) return null;
	const links = new Links(tree.folder);
	for (const entry of read) if (!(await isAsRead(tree, links, entry))) return false;
	return others?.every((entry) => isUntouched(tree, held, entry)) === true ? true : null;
}

/** By its stat data. Synchronous: the thread pool's overhead is larger than the calls themselves. */
function isUntouched({ folder }: Tree, held: ReadIndex, entry: IndexEntry): boolean {
	const file = pathOf(folder, entry.path.toString("latin1"));
	const stat = attempt(() => lstatSync(file, { bigint: true, throwIfNoEntry: false }), undefined);
	return stat !== undefined && sameStat(held.bytes, entry, stat);
}

async function isAsRead({ folder, hashLength }: Tree, links: Links, entry: IndexEntry): Promise<boolean> {
	const name = entry.path.toString("latin1");
	try {
		if (await links.leavesFolder(name)) return false;
		const file = pathOf(folder, name);
		const content =
			entry.mode === link ? await readlink(file, { encoding: "buffer" }) : await readRegular(file, { bytesMax });
		const hash = createHash(hashLength === 32 ? "sha256" : "sha1");
		const id = hash.update(`blob ${content.length}\0`).update(content).digest();
		return id.equals(entry.id) && (entry.mode === link || entry.mode === modeOf((await lstat(file)).mode));
	} catch {
		// it is gone, or something else now
		return false;
	}
}

/** Of a file's permissions git knows only the owner's right to run it. */
const modeOf = (mode: number): number => ((mode & 0o100) === 0 ? 0o100644 : 0o100755);
