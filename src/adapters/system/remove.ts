// Removing folders that an agent could write in: it may have made them deeper than a path can be long, or read-only.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const beyondNode = new Set(["ENAMETOOLONG", "EACCES", "EPERM", "ENOTEMPTY"]);

/** Nothing happens if it is not there. Links are removed and not followed. */
export async function removeFolder(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch (error) {
		if (!(error instanceof Error && "code" in error && beyondNode.has(String(error.code)))) throw error;
		// these two walk from folder to folder, so that no path grows with the depth
		await run("chmod", ["-R", "u+rwX", folder]);
		await run("rm", ["-rf", folder]);
	}
}
