// What a sandbox shows of the project's repository: its git folder, and the object stores that it borrows from. The
// repository itself names these paths (`.git`, `commondir`, `objects/info/alternates`), so each is checked: it must be
// a git folder or an object store, and not hidden in a sandbox.
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { mayBeSeen } from "#adapters/system/mounts.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";

/** stores may borrow from stores; the same limit as git's */
const depthMax = 5;
const alternatesBytesMax = 64 * 1024;
/** names that only git writes into an object store */
const inStore = /^([0-9a-f]{2}|pack|info|tmp_[\w-]+|incoming-\w+|[\w-]+\.lock)$/;

/** Real paths, or a refusal that names one that cannot be shown. */
export async function alternateStores(common: string, hidden: readonly string[]): Promise<string[] | Refusal> {
	const folder = await realpath(common).catch(() => null);
	if (folder === null) return [];
	if (!(await isGitFolder(folder))) return notShown(folder, "which is not the git folder of a repository");
	const stores = await storesOf(await realpath(path.join(folder, "objects")));
	for (const store of stores)
		if (!(await isStore(store))) return notShown(store, "which is not a store of git objects");
	const all = [folder, ...stores];
	const open = mayBeSeen(all, hidden);
	const closed = all.find((location) => !open.includes(location));
	return closed === undefined ? all : notShown(closed, "which is hidden in a sandbox");
}

/** All stores that one borrows from, without itself. Git ignores missing ones. */
export async function storesOf(store: string): Promise<string[]> {
	const found = new Set<string>();
	let from = [store];
	for (let depth = 0; depth < depthMax && from.length > 0; depth++) {
		const named = (await Promise.all(from.map(namedIn))).flat();
		from = [...new Set(named)].filter((location) => location !== store && !found.has(location));
		for (const location of from) found.add(location);
	}
	return [...found];
}

async function namedIn(store: string): Promise<string[]> {
	const text = await readRegularText(path.join(store, "info/alternates"), { bytesMax: alternatesBytesMax }).catch(
		() => "",
	);
	const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	const locations = await Promise.all(lines.map((line) => realpath(path.resolve(store, line)).catch(() => null)));
	return locations.filter((location) => location !== null);
}

async function isStore(location: string): Promise<boolean> {
	if (path.basename(location) === "objects" && (await isGitFolder(path.dirname(location)))) return true;
	const names = await readdir(location).catch(() => null);
	return names?.every((name) => inStore.test(name)) ?? false;
}

async function isGitFolder(location: string): Promise<boolean> {
	const [head, objects, refs] = await Promise.all(
		["HEAD", "objects", "refs"].map((name) => stat(path.join(location, name)).catch(() => null)),
	);
	return head?.isFile() === true && objects?.isDirectory() === true && refs?.isDirectory() === true;
}

function notShown(location: string, why: string): Refusal {
	return refuse(
		"CONFLICT",
		`its repository takes objects from ${location}, ${why}; look at .git, commondir and objects/info/alternates in the repository`,
		{ details: { path: location } },
	);
}
