// Writing the files of a commit into a tree that has none.
import type { Git } from "../run/git.ts";

/**
 * Settings for writing a whole working tree: every processor writes, and nothing is flushed, since after a crash it is
 * simply done again. Flushing one ref behind twenty thousand new files would wait for all of them.
 */
export const quickCheckout: readonly string[] = ["-c", "checkout.workers=0", "-c", "core.fsync=none"];

const checkoutTimeoutMs = 10 * 60 * 1000;

/** Several workers where there are many files; git decides how many are many. */
export async function checkOut(
	{ git }: { git: Git },
	{ path, start }: { path: string; start: string | null },
): Promise<void> {
	if (start !== null)
		await git(path, [...quickCheckout, "read-tree", "-m", "-u", "HEAD"], { timeoutMs: checkoutTimeoutMs });
}
