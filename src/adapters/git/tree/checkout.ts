// Writes the files of a commit into a tree that has none.
import type { Git } from "../run/git.ts";

/**
 * Settings for writing a whole tree: all processors write, and nothing is flushed, since after a crash it is done
 * again. Flushing one ref would wait for all new files.
 */
export const quickCheckout: readonly string[] = ["-c", "checkout.workers=0", "-c", "core.fsync=none"];

const checkoutTimeoutMs = 10 * 60 * 1000;

/** Without a start commit there are no files to write. */
export async function checkOut(
	{ git }: { git: Git },
	{ path, start }: { path: string; start: string | null },
	environment: Readonly<Record<string, string>> = {},
): Promise<void> {
	if (start === null) return;
	await git(path, [...quickCheckout, "read-tree", "-m", "-u", "HEAD"], { timeoutMs: checkoutTimeoutMs, environment });
}
