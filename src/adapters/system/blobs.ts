// Long texts in files that are named after their hash: written once, never changed.
import { createHash } from "node:crypto";
import { constants, copyFile, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Blobs } from "#engine/ports/blobs.ts";

const nameRule = /^[0-9a-f]{64}$/;

const nameOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export function blobsIn(folder: string): Blobs {
	let written = 0;
	return {
		async put(text) {
			const name = nameOf(text);
			await mkdir(folder, { recursive: true, mode: 0o700 });
			const temporary = path.join(folder, `${name}.${process.pid}-${++written}`);
			try {
				await write(temporary, text);
				await rename(temporary, path.join(folder, name));
			} catch (error) {
				await rm(temporary, { force: true });
				throw error;
			}
			await syncFolder(folder);
			return name;
		},
		async get(name) {
			if (!nameRule.test(name)) return null;
			const text = await readFile(path.join(folder, name), "utf8").catch(() => null);
			return text !== null && nameOf(text) === name ? text : null;
		},
		async drop(name) {
			if (nameRule.test(name)) await rm(path.join(folder, name), { force: true });
		},
		async copyTo(target, { again }) {
			const names = (await readdir(folder).catch(() => [])).filter((name) => nameRule.test(name));
			if (names.length === 0) return;
			await mkdir(target, { mode: 0o700, recursive: again });
			const how = constants.COPYFILE_FICLONE | (again ? 0 : constants.COPYFILE_EXCL);
			for (const name of names) await copyFile(path.join(folder, name), path.join(target, name), how);
		},
	};
}

async function write(file: string, text: string): Promise<void> {
	await using handle = await open(file, "wx", 0o600);
	await handle.writeFile(text);
	await handle.sync();
}

/** Makes the name durable too. */
async function syncFolder(folder: string): Promise<void> {
	await using handle = await open(folder, "r");
	await handle.sync();
}
