// Runs steps that would race with each other one at a time.
import { realpath } from "node:fs/promises";
import { expected } from "#contract/log.ts";
import { repositoryPathsOf } from "./repository-paths.ts";

const tails = new Map<string, Promise<unknown>>();

/**
 * One at a time per repository, for git commands that race, such as `worktree add`. `repository` may be one of its
 * worktrees. Never nest it for the same repository: that would deadlock.
 */
export async function exclusively<T>(repository: string, work: () => Promise<T>): Promise<T> {
	const { commonFolder, realFolder } = await repositoryPathsOf(repository, {});
	const key = commonFolder === null ? realFolder : await realpath(commonFolder).catch(() => commonFolder);
	return await serialized(`repository ${key}`, work);
}

/** Runs `work` after all earlier work with the same key, whether that succeeded or failed. */
export async function serialized<T>(key: string, work: () => Promise<T>): Promise<T> {
	const before = tails.get(key) ?? Promise.resolve();
	const mine = before.then(work, work);
	const tail = mine.catch(expected("the caller gets the rejection"));
	tails.set(key, tail);
	try {
		return await mine;
	} finally {
		if (tails.get(key) === tail) tails.delete(key);
	}
}
