// Disk usage, as `du` counts: blocks, a file with several names once, links not followed.
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

export async function diskBytes(location: string, seen: Set<string> = new Set()): Promise<number> {
	const found = await lstat(location).catch(() => null);
	if (found === null) return 0;
	if (!found.isDirectory() && found.nlink > 1) {
		const key = `${found.dev}:${found.ino}`;
		if (seen.has(key)) return 0;
		seen.add(key);
	}
	let bytes = found.blocks * 512;
	if (!found.isDirectory()) return bytes;
	const names = await readdir(location).catch((): string[] => []);
	// in batches: a folder may have a hundred thousand entries
	for (let at = 0; at < names.length; at += batch) {
		const sizes = await Promise.all(
			names.slice(at, at + batch).map((name) => diskBytes(path.join(location, name), seen)),
		);
		bytes += sizes.reduce((sum, size) => sum + size, 0);
	}
	return bytes;
}

const batch = 16;
