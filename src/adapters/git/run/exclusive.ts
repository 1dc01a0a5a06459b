// Steps that race with each other take turns.
import { realpath } from "node:fs/promises";
import { expected } from "#contract/log.ts";
import { repositoryPathsOf } from "./repository-paths.ts";

const tails = new Map<string, Promise<unknown>>();

/**
 * One at a time per repository, for what races inside git, such as `worktree add`. Any worktree stands for its
 * repository. Never inside another call for the same one: it would wait for itself.
 */
export async function exclusively<T>(repository: string, work: () => Promise<T>): Promise<T> {
	const { commonFolder, realFolder } = await repositoryPathsOf(repository, {});
	const key = commonFolder === null ? realFolder : await realpath(commonFolder).catch(() => commonFolder);
	return await inTurn(`repository ${key}`, work);
}

/** Runs `work` when everything that was asked for under the same key before has ended, well or badly. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const before = tails.get(key) ?? Promise.resolve();
	const mine = before.then(work, work);
	const tail = mine.catch(expected("whoever asked for it hears of it"));
	tails.set(key, tail);
	try {
		return await mine;
	} finally {
		if (tails.get(key) === tail) tails.delete(key);
	}
}
