// Removes folders that an agent could write: their paths may be too long, or they may be read-only.
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { codeOf } from "./errors.ts";

const run = promisify(execFile);
const beyondNode = new Set(["ENAMETOOLONG", "EACCES", "EPERM", "ENOTEMPTY"]);

/** Without effect if there is none. Links are not followed. */
export async function removeFolder(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch (error) {
		if (!beyondNode.has(codeOf(error) ?? "")) throw error;
		// these two change into each folder, so no path grows with the depth
		await run("chmod", ["-R", "u+rwX", folder]);
		await run("rm", ["-rf", folder]);
	}
}
