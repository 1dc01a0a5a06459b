// A temporary index with the staged content of the tree's own, but without its stat cache: the agent can write anything
// there, such as that a changed file need not be read. With this index git reads every file.
import { lstatSync } from "node:fs";
import { rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { temporaryFolder } from "#adapters/system/temporary.ts";
import { withoutStatCache } from "../format/index-file.ts";
import type { Git } from "../run/git.ts";
import { openTree, readIndex } from "./tree.ts";

const readTimeoutMs = 10 * 60 * 1000;

/** Runs `work` with the variables that make git use it. */
export async function withFreshIndex<T>(
	git: Git,
	folder: string,
	work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
	const location = await temporaryFolder("index");
	try {
		const environment = { GIT_INDEX_FILE: path.join(location, "index") };
		const tree = await openTree(folder);
		const index = await readIndex(git, tree);
		const absent = (name: Buffer): boolean => {
			try {
				return lstatSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { throwIfNoEntry: false }) === undefined;
			} catch {
				// a path through a file, or through a link to itself
				return true;
			}
		};
		if (index !== null) {
			await writeFile(environment.GIT_INDEX_FILE, withoutStatCache(index.bytes, index, tree.hashLength, absent));
			// once for all later commands
			await git(folder, ["update-index", "-q", "--unmerged", "--refresh"], {
				environment,
				answers: [1],
				timeoutMs: readTimeoutMs,
			});
		}
		return await work(environment);
	} finally {
		for (const name of ["index", "index.lock"]) await rm(path.join(location, name), { force: true });
		await rmdir(location);
	}
}
