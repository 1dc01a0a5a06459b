// How paths are hidden in a sandbox.
//
// A mount over a file is lost when a program outside replaces that file, as most do with logins and histories, and a
// missing file cannot be mounted over at all. So the folder around it is covered: it is empty inside, and its other
// entries are mounted back, as they were when the process started. Later entries are not visible.
import {
	type Dirent,
	existsSync,
	lstatSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	statSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "./errors.ts";
import { isHistory } from "./private-paths.ts";

/** Empty inside; each sandbox has its own. */
export const temporary = ["/tmp", "/var/tmp", "/run"];

/** Each mount delays the start of a sandbox. More entries of one folder in a home are not visible. */
const entriesMax = 200;
/** at most this many mounts to hide sockets */
const socketMountsMax = 100;

export interface Hiding {
	/** folders that are emptied, with the entries to mount back, outer ones first */
	around: readonly { folder: string; back: readonly string[] }[];
	/** paths that are covered themselves, because the folder around them belongs to the machine */
	alone: readonly string[];
}

/** `shown` paths are visible although a folder around them is hidden; hidden paths inside them stay hidden. */
export function hidingOf(locations: readonly string[], shown: readonly string[] = []): Hiding {
	const all = resolvedPaths(locations);
	const named = new Set(all);
	const hidden = all.filter((location) => !above(location).some((each) => named.has(each)) || isBelow(location, shown));
	const entriesOf = lister();
	const folders = new Set<string>();
	const alone: string[] = [];
	for (const location of hidden) {
		const folder = path.dirname(location);
		if (!isBelow(location, temporary) && entriesOf(folder) !== null) folders.add(folder);
		else if (existsSync(location)) alone.push(location);
	}
	// so that no folder above one can be replaced either
	for (const folder of [...folders])
		for (const each of between(folder, folders)) if (entriesOf(each) !== null) folders.add(each);
	for (const folder of socketFolders(folders, [...hidden, ...shown], entriesOf)) folders.add(folder);
	const kept = new Set(hidden);
	const around = [...folders]
		.sort((a, b) => depth(a) - depth(b))
		.map((folder) => ({
			folder,
			back: backIn(folder, entriesOf(folder) ?? [], (location) => kept.has(location) || folders.has(location)),
		}));
	return { around, alone };
}

/** The folders above one, inside the outermost emptied one. */
function between(folder: string, folders: ReadonlySet<string>): string[] {
	const up = above(folder);
	const outermost = up.findLastIndex((each) => folders.has(each));
	return up.slice(0, Math.max(0, outermost));
}

/** The folders above a path, innermost first. */
function above(location: string): string[] {
	const found: string[] = [];
	for (let up = path.dirname(location); up !== "/"; up = path.dirname(up)) found.push(up);
	return found;
}

/**
 * Folders with live sockets inside the emptied ones. A read-only mount does not stop a connection, so these are emptied
 * too, up to a number of mounts.
 */
function socketFolders(
	folders: ReadonlySet<string>,
	apart: readonly string[],
	entriesOf: ReturnType<typeof lister>,
): string[] {
	const found = new Set<string>();
	let mounts = 0;
	for (const folder of new Set(liveSockets().map((location) => path.dirname(location)))) {
		if (!above(folder).some((each) => folders.has(each)) || isBelow(folder, apart) || apart.includes(folder)) continue;
		const fresh = [folder, ...between(folder, folders)].filter((each) => !folders.has(each) && !found.has(each));
		const entries = fresh.map((each) => entriesOf(each)?.length ?? socketMountsMax);
		mounts += entries.reduce((sum, count) => sum + count, 0);
		if (mounts > socketMountsMax) break;
		for (const each of fresh) found.add(each);
	}
	return [...found];
}

function liveSockets(): string[] {
	const lines = attempt(() => readFileSync("/proc/net/unix", "utf8"), "").split("\n");
	const found = lines.flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1] ?? []);
	return resolvedPaths(found.filter((location) => !isBelow(location, temporary))).filter(isSocket);
}

/** Whether a path is one of these, is inside one, or contains one. */
export const overlaps = (location: string, locations: readonly string[]): boolean =>
	locations.some((each) => each === location || isBelow(location, [each]) || isBelow(each, [location]));

/** Real paths and the targets of links; for a missing path, its first missing ancestor. */
export function resolvedPaths(locations: readonly string[]): string[] {
	const folders = new Map<string, string | null>();
	const found = locations.flatMap((location) => {
		const there = firstMissing(location, folders);
		return isLink(there) ? [there, realOf(there) ?? []].flat() : [there];
	});
	// people link their history to /dev/null
	return [...new Set(found.filter((location) => location !== "/" && !isBelow(location, ["/dev", "/proc", "/sys"])))];
}

/** Looks up each parent folder once. */
function firstMissing(location: string, folders: Map<string, string | null>): string {
	const parent = path.dirname(location);
	const folder = folders.get(parent) ?? (folders.has(parent) ? null : realOf(parent));
	folders.set(parent, folder);
	if (folder !== null) return path.join(folder, path.basename(location));
	return parent === location ? location : firstMissing(parent, folders);
}

const isLink = (location: string): boolean => lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink() === true;

export const realOf = (location: string): string | null => attempt(() => realpathSync.native(location), null);

export const isBelow = (location: string, folders: readonly string[]): boolean =>
	folders.some((folder) => location !== folder && location.startsWith(folder === "/" ? "/" : `${folder}/`));

const depth = (location: string): number => location.split("/").length;

/** Reads a folder once. Null if it cannot be emptied: a system folder, one with too many entries, or not readable. */
function lister(): (folder: string) => readonly Dirent[] | null {
	const known = new Map<string, readonly Dirent[] | null>();
	const home = realOf(os.homedir());
	return (folder) => {
		const entries = known.get(folder) ?? (known.has(folder) ? null : entriesIn(folder, home));
		known.set(folder, entries);
		return entries;
	};
}

function entriesIn(folder: string, home: string | null): Dirent[] | null {
	if (depth(folder) <= 2 && folder !== home) return null;
	try {
		const entries = readdirSync(folder, { withFileTypes: true });
		if (entries.length <= entriesMax) return entries;
		if (home === null || (folder !== home && !isBelow(folder, [home]))) return null;
		// folders and settings first, then plain files
		const rank = (entry: Dirent): number =>
			entry.isDirectory() ? 0 : entry.isSymbolicLink() || entry.name.startsWith(".") ? 1 : 2;
		return entries.sort((a, b) => rank(a) - rank(b)).slice(0, entriesMax);
	} catch {
		return null;
	}
}

/** Arguments for bubblewrap, without sockets, pipes, devices and unreadable entries. */
function backIn(folder: string, entries: readonly Dirent[], isLeft: (location: string) => boolean): string[] {
	return entries.flatMap((entry) => {
		const location = path.join(folder, entry.name);
		if (isLeft(location) || isHistory(entry.name)) return [];
		return attempt(() => {
			if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(location), location];
			const found = lstatSync(location);
			return found.isFile() || found.isDirectory() ? ["--ro-bind-try", location, location] : [];
		}, []);
	});
}

const isSocket = (location: string): boolean => attempt(() => statSync(location).isSocket(), false);
