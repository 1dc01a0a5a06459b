// Repositories inside a working tree that git enters: those that the index lists as a gitlink.
import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { readRegular } from "#adapters/system/regular-file.ts";
import { gitlink, parseIndex } from "../format/index-file.ts";

interface Known {
	stamp: string;
	paths: readonly string[];
}

const knownMax = 500;

export class Nested {
	readonly #known = new Map<string, Known>();

	/** Folders below `folder` that are repositories and that this index names. */
	async below(folder: string, indexFile: string): Promise<readonly string[]> {
		const about = await lstat(indexFile, { bigint: true }).catch(() => null);
		if (about === null) return [];
		const stamp = `${about.ino} ${about.size} ${about.mtimeNs} ${about.ctimeNs}`;
		const known = this.#known.get(indexFile);
		const paths = known?.stamp === stamp ? known.paths : gitlinksIn(await readRegular(indexFile));
		this.#known.set(indexFile, { stamp, paths });
		const oldest = this.#known.keys().next();
		if (this.#known.size > knownMax && oldest.done !== true) this.#known.delete(oldest.value);
		const folders = paths.map((name) => path.join(folder, name));
		const there = await Promise.all(folders.map((inner) => stat(path.join(inner, ".git")).catch(() => null)));
		return folders.filter((_, at) => there[at] !== null);
	}
}

function gitlinksIn(bytes: Buffer): string[] {
	const { entries } = readIndexOfAnyHash(bytes);
	return [...new Set(entries.filter(({ mode }) => mode === gitlink).map((entry) => entry.path.toString()))];
}

/** The file does not say the hash's length; only with the right one do the lengths of all parts add up. */
export function readIndexOfAnyHash(bytes: Buffer): ReturnType<typeof parseIndex> & { hashLength: number } {
	for (const hashLength of [20, 32]) {
		try {
			const index = parseIndex(bytes, hashLength);
			const length = index.extensions.reduce((sum, extension) => sum + extension.bytes.length, index.end + hashLength);
			if (length === bytes.length) return { ...index, hashLength };
		} catch {
			// try the other length
		}
	}
	throw new Error("this is not an index that we can read");
}
