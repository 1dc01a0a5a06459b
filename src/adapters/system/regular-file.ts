// Reading a file that somebody else may have put there. A pipe or a device in its place would keep one of the few
// threads that read files waiting for ever, and a link could lead anywhere: neither is opened, and what is no regular
// file counts as none.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";

export class NotRegular extends Error {
	readonly code = "ENOENT";
	constructor(file: string) {
		super(`${file} is not a regular file`);
		this.name = "NotRegular";
	}
}

/** Never waits for a pipe that took the place of a file, and takes no terminal. */
export const careful = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Rejects as `readFile` does; what is no regular file, or larger than allowed, is not there. Only the last part of the
 * path is kept from being a link.
 */
export async function readRegular(
	file: string,
	{ follow = false, bytesMax = Number.POSITIVE_INFINITY } = {},
): Promise<Buffer> {
	const handle = await open(file, follow ? careful : careful | constants.O_NOFOLLOW);
	try {
		const about = await handle.stat();
		if (!about.isFile() || about.size > bytesMax) throw new NotRegular(file);
		return await handle.readFile();
	} finally {
		await handle.close();
	}
}

export async function readRegularText(
	file: string,
	options?: { follow?: boolean; bytesMax?: number },
): Promise<string> {
	return (await readRegular(file, options)).toString();
}

/** The same at once; what is larger than allowed is told apart. */
export function readRegularNow(
	file: string,
	{ follow = false, bytesMax = Number.POSITIVE_INFINITY } = {},
): Buffer | "too large" {
	const descriptor = openSync(file, follow ? careful : careful | constants.O_NOFOLLOW);
	try {
		const about = fstatSync(descriptor);
		if (!about.isFile()) throw new NotRegular(file);
		return about.size > bytesMax ? "too large" : readFileSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
