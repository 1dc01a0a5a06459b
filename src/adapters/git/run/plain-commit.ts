// The commit that a ref names, read from git's own files. Nearly every step asks for one, and starting git costs far
// more than what it does then. Only what is certain is answered: a ref with a file of its own, and a commit with a file
// of its own, whose content has its name as the hash, or one that git found before in packs that have not changed
// since. Everything else is git's to answer: packed refs, another format of refs, borrowed objects, damage.
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { attempt } from "#adapters/system/errors.ts";
import { readRegular, readRegularText } from "#adapters/system/regular-file.ts";
import { treeEntries } from "../format/tree-object.ts";
import { gitFoldersOf } from "./repository-paths.ts";

export interface PlainCommit {
	id: string;
	/** the id of its tree; null if the commit is packed */
	tree: string | null;
}

/** a larger commit is git's */
const bytesMax = 64 * 1024;

/** The commit of HEAD, of a full ref or of an id; null if only git can tell. */
export async function plainCommit(folder: string, name: string): Promise<PlainCommit | null> {
	const folders = await gitFoldersOf(folder);
	if (folders === null) return null;
	const id = isId.test(name) ? name : await idOf(folders, name);
	return id === null ? null : await commitIn(path.join(folders.commonFolder, "objects"), id);
}

/** A file at the top of a commit's tree; null if only git can tell. */
export async function plainFile(folder: string, commit: string, name: string): Promise<Buffer | null> {
	const folders = await gitFoldersOf(folder);
	if (folders === null) return null;
	const objects = path.join(folders.commonFolder, "objects");
	const tree = (await commitIn(objects, commit))?.tree ?? null;
	const listed = tree === null ? null : await objectIn(objects, tree, "tree");
	const entry = treeEntries(listed ?? Buffer.alloc(0), commit.length / 2).find((one) => one.name === name);
	return entry === undefined ? null : await objectIn(objects, entry.id, "blob");
}

/** Whether an object is there, as far as that can be said without git. */
export async function hasObject(commonFolder: string, id: string): Promise<boolean> {
	const objects = path.join(commonFolder, "objects");
	const own = await lstat(fileOf(objects, id)).catch(() => null);
	return own?.isFile() === true || (await isNoted(objects, id));
}

const fileOf = (objects: string, id: string): string => path.join(objects, id.slice(0, 2), id.slice(2));

/** Notes that git finds an object in a repository. `packs` is their state before git was asked. */
export function noteObject(packs: Packs | null, id: string): void {
	if (packs === null) return;
	const key = `${packs.objects}\0${id}`;
	noted.delete(key);
	noted.set(key, packs.stamp);
	const oldest = noted.keys().next();
	if (noted.size > notedMax && oldest.done !== true) noted.delete(oldest.value);
}

interface Packs {
	objects: string;
	/** changes when a pack is added or removed */
	stamp: string;
}

const noted = new Map<string, string>();
const notedMax = 5000;

async function isNoted(objects: string, id: string): Promise<boolean> {
	const stamp = noted.get(`${objects}\0${id}`);
	return stamp !== undefined && (await packsIn(objects))?.stamp === stamp;
}

export async function packsOf(folder: string): Promise<Packs | null> {
	const folders = await gitFoldersOf(folder);
	return folders === null ? null : await packsIn(path.join(folders.commonFolder, "objects"));
}

/** Null where objects are borrowed, which others can take away. */
async function packsIn(objects: string): Promise<Packs | null> {
	const [packs, borrowed] = await Promise.all(
		["pack", path.join("info", "alternates")].map((name) =>
			lstat(path.join(objects, name), { bigint: true }).catch(() => null),
		),
	);
	if (packs == null || borrowed !== null) return null;
	return { objects, stamp: `${packs.ino} ${packs.mtimeNs}` };
}

/** The full ref that HEAD is on; null if it is detached, or only git can tell. */
export async function plainHead(folder: string): Promise<string | null> {
	const folders = await gitFoldersOf(folder);
	return folders === null ? null : branchIn(await headIn(folders.gitFolder));
}

const isId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** what all worktrees share, without names that lead out of the folder */
const sharedRef = /^refs\/(?:heads|remotes|brood)(?:\/(?!\.)[^/\p{Cc}\s]+(?<!\.lock))+$/u;

const headIn = async (gitFolder: string): Promise<string> =>
	await readRegularText(path.join(gitFolder, "HEAD"), { bytesMax }).catch(() => "");

function branchIn(head: string): string | null {
	const ref = /^ref: (refs\/heads\/.+)\n$/.exec(head)?.[1] ?? "";
	return sharedRef.test(ref) ? ref : null;
}

async function idOf(
	{ gitFolder, commonFolder }: { gitFolder: string; commonFolder: string },
	name: string,
): Promise<string | null> {
	const head = name === "HEAD" ? await headIn(gitFolder) : null;
	const ref = head === null ? name : branchIn(head);
	if (ref === null) return idIn(head ?? "");
	if (!sharedRef.test(ref)) return null;
	return idIn(await readRegularText(path.join(commonFolder, ref), { bytesMax }).catch(() => ""));
}

function idIn(text: string): string | null {
	const id = text.replace(/\n$/, "");
	return isId.test(id) ? id : null;
}

async function commitIn(objects: string, id: string): Promise<PlainCommit | null> {
	const bytes = await objectIn(objects, id, "commit");
	if (bytes === null) return (await isNoted(objects, id)) ? { id, tree: null } : null;
	const tree = /^tree ([0-9a-f]+)\n/.exec(bytes.toString("latin1", 0, 80))?.[1];
	return tree === undefined ? null : { id, tree };
}

/** The content of an object with a file of its own; null if only git can tell. */
async function objectIn(objects: string, id: string, type: "commit" | "tree" | "blob"): Promise<Buffer | null> {
	const own = await readRegular(fileOf(objects, id), { bytesMax }).catch(() => null);
	if (own === null) return null;
	const bytes = attempt(() => inflateSync(own, { maxOutputLength: 4 * bytesMax }), null);
	if (
		bytes === null ||
		createHash(id.length === 40 ? "sha1" : "sha256")
			.update(bytes)
			.digest("hex") !== id
	)
		return null;
	return bytes.toString("latin1", 0, type.length + 1) === `${type} ` ? bytes.subarray(bytes.indexOf(0) + 1) : null;
}
