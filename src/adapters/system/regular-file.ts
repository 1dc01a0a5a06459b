// Reads files that another program may have put there. A pipe or a device would block one of the few threads of the
// pool for ever, and a link could lead anywhere: a pipe is opened without blocking and never read, and a link is
// followed only where the caller asks. What is not a regular file counts as missing.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";

export class NotRegular extends Error {
	readonly code = "ENOENT";
	constructor(file: string) {
		super(`${file} is not a regular file`);
		this.name = "NotRegular";
	}
}

/** Open flags that never block on a pipe, and never acquire a terminal. */
export const safeOpenFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Rejects as `readFile` does; a file that is not regular, or too large, is missing. Folders in the path may be links.
 */
export async function readRegular(
	file: string | Buffer,
	{ follow = false, bytesMax = Number.POSITIVE_INFINITY } = {},
): Promise<Buffer> {
	await using handle = await open(file, follow ? safeOpenFlags : safeOpenFlags | constants.O_NOFOLLOW);
	const about = await handle.stat();
	if (!about.isFile() || about.size > bytesMax) throw new NotRegular(file.toString());
	return await handle.readFile();
}

export async function readRegularText(
	file: string,
	options?: { follow?: boolean; bytesMax?: number },
): Promise<string> {
	return (await readRegular(file, options)).toString();
}

/** Synchronous; a file that is too large is reported as such. */
export function readRegularNow(
	file: string,
	{ follow = false, bytesMax = Number.POSITIVE_INFINITY } = {},
): Buffer | "too large" {
	const descriptor = openSync(file, follow ? safeOpenFlags : safeOpenFlags | constants.O_NOFOLLOW);
	try {
		const about = fstatSync(descriptor);
		if (!about.isFile()) throw new NotRegular(file);
		return about.size > bytesMax ? "too large" : readFileSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
