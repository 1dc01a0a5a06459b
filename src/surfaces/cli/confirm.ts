import { createInterface } from "node:readline/promises";
import { visible } from "#contract/visible.ts";

/** A yes or no on the terminal; null where there is nobody to ask. */
export async function confirm(question: string): Promise<boolean | null> {
	if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const closed = new AbortController();
	lines.once("close", () => closed.abort());
	try {
		return /^y(es)?$/i.test((await lines.question(`${visible(question)} [y/N] `, { signal: closed.signal })).trim());
	} catch {
		return false;
	} finally {
		lines.close();
	}
}
