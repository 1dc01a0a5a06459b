import { createInterface } from "node:readline/promises";
import { visible } from "#contract/visible.ts";
import { printToStderr } from "./print.ts";

/** A yes or no on the terminal; null where there is nobody to ask. Ctrl+C is no answer: it ends the program. */
export async function confirm(question: string): Promise<boolean | null> {
	if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	const closed = new AbortController();
	lines.once("close", () => closed.abort());
	lines.once("SIGINT", () => {
		lines.close();
		printToStderr("");
		process.kill(process.pid, "SIGINT");
	});
	try {
		return /^y(es)?$/i.test((await lines.question(`${visible(question)} [y/N] `, { signal: closed.signal })).trim());
	} catch {
		return false;
	} finally {
		lines.close();
	}
}
