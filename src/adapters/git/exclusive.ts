// Steps that race inside git, such as `worktree add`, take turns per repository.
import { realpath } from "node:fs/promises";

const tails = new Map<string, Promise<unknown>>();

/** Runs `work` when everything that was asked for the same repository before has ended, well or badly. */
export async function exclusively<T>(repository: string, work: () => Promise<T>): Promise<T> {
	const key = await realpath(repository).catch(() => repository);
	const before = tails.get(key) ?? Promise.resolve();
	const mine = before.then(work, work);
	const tail = mine.catch(() => {});
	tails.set(key, tail);
	try {
		return await mine;
	} finally {
		if (tails.get(key) === tail) tails.delete(key);
	}
}
