// Copies files to another disk or mount byte for byte, also names that are not UTF-8, which `cp` cannot.
import { constants } from "node:fs";
import { copyFile, lstat, lutimes, mkdir, readdir, readlink, symlink } from "node:fs/promises";

/** Pipes, sockets and devices have no content to keep and are left out. */
export async function copyAside(from: Buffer, to: Buffer): Promise<void> {
	const found = await lstat(from);
	if (found.isDirectory()) {
		await mkdir(to, { mode: 0o700 });
		for (const name of await readdir(from, { encoding: "buffer" }))
			await copyAside(within(from, name), within(to, name));
	} else if (found.isSymbolicLink()) await symlink(await readlink(from, { encoding: "buffer" }), to);
	else if (found.isFile()) await copyFile(from, to, constants.COPYFILE_EXCL);
	else return;
	await lutimes(to, found.atime, found.mtime);
}

const within = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/"), name]);
