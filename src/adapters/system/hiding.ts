// How places are hidden in a sandbox.
//
// A mount over a file goes when somebody outside replaces that file, as most programs do with their logins and
// histories, and what is not there yet cannot be mounted over at all. So it is not the place that is covered but the
// folder around it: that is empty inside, and everything in it that is not hidden is mounted back, as it was when the
// process started. What comes later, under whatever name, is not there.
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
import { isHistory } from "./private-paths.ts";

/** Empty inside, and everybody's own. */
export const temporary = ["/tmp", "/var/tmp", "/run"];

/** Each mount makes a sandbox start a little later. What is beyond this in one folder of a home is not to be seen. */
const entriesMax = 200;
/** so many of them at most for the sake of sockets */
const socketMountsMax = 100;

export interface Hiding {
	/** folders that are empty but for what is mounted back, outer ones first */
	around: readonly { folder: string; back: readonly string[] }[];
	/** places that are covered themselves, because the folder around them is the machine's */
	alone: readonly string[];
}

/** `shown` are places that are seen although something around them is hidden; what is hidden in them is hidden. */
export function hidingOf(places: readonly string[], shown: readonly string[] = []): Hiding {
	const all = concrete(places);
	const named = new Set(all);
	const hidden = all.filter((place) => !above(place).some((each) => named.has(each)) || isBelow(place, shown));
	const entriesOf = lister();
	const folders = new Set<string>();
	const alone: string[] = [];
	for (const place of hidden) {
		const folder = path.dirname(place);
		if (!isBelow(place, temporary) && entriesOf(folder) !== null) folders.add(folder);
		else if (existsSync(place)) alone.push(place);
	}
	// so that no folder on the way to one can be replaced either
	for (const folder of [...folders])
		for (const each of between(folder, folders)) if (entriesOf(each) !== null) folders.add(each);
	for (const folder of socketFolders(folders, [...hidden, ...shown], entriesOf)) folders.add(folder);
	const kept = new Set(hidden);
	const around = [...folders]
		.sort((a, b) => depth(a) - depth(b))
		.map((folder) => ({
			folder,
			back: backIn(folder, entriesOf(folder) ?? [], (place) => kept.has(place) || folders.has(place)),
		}));
	return { around, alone };
}

/** The folders around one, inside of the outermost that is emptied. */
function between(folder: string, folders: ReadonlySet<string>): string[] {
	const up = above(folder);
	return up.slice(
		0,
		Math.max(
			0,
			up.findLastIndex((each) => folders.has(each)),
		),
	);
}

/** The folders around a place, from the inside out. */
function above(place: string): string[] {
	const found: string[] = [];
	for (let up = path.dirname(place); up !== "/"; up = path.dirname(up)) found.push(up);
	return found;
}

/**
 * Where in the emptied folders somebody listens on a socket: a read-only mount keeps nobody from talking to it, so
 * these folders are emptied as well. One that is deep below, with much around it, would take too many mounts.
 */
function socketFolders(
	folders: ReadonlySet<string>,
	apart: readonly string[],
	entriesOf: ReturnType<typeof lister>,
): string[] {
	const found = new Set<string>();
	let mounts = 0;
	for (const folder of new Set(liveSockets().map((place) => path.dirname(place)))) {
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
	const lines = textOf("/proc/net/unix").split("\n");
	const found = lines.flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1] ?? []);
	return concrete(found.filter((place) => !isBelow(place, temporary))).filter(isSocket);
}

/** Whether a place is one of these, lies in one of them, or has one of them in it. */
export const touches = (place: string, places: readonly string[]): boolean =>
	places.some((each) => each === place || isBelow(place, [each]) || isBelow(each, [place]));

/** Where places really are, and where they lead to; of one that is not there, what would have to be made first. */
export function concrete(places: readonly string[]): string[] {
	const folders = new Map<string, string | null>();
	const found = places.flatMap((place) => {
		const there = made(place, folders);
		return isLink(there) ? [there, realOf(there) ?? []].flat() : [there];
	});
	// people link a history to /dev/null
	return [...new Set(found.filter((place) => place !== "/" && !isBelow(place, ["/dev", "/proc", "/sys"])))];
}

/** Most places share a few folders, so each of these is looked for once. */
function made(place: string, folders: Map<string, string | null>): string {
	const parent = path.dirname(place);
	const folder = folders.get(parent) ?? (folders.has(parent) ? null : realOf(parent));
	folders.set(parent, folder);
	if (folder !== null) return path.join(folder, path.basename(place));
	return parent === place ? place : made(parent, folders);
}

const isLink = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;

export function realOf(place: string): string | null {
	try {
		return realpathSync.native(place);
	} catch {
		return null;
	}
}

export const isBelow = (place: string, folders: readonly string[]): boolean =>
	folders.some((folder) => place !== folder && place.startsWith(folder === "/" ? "/" : `${folder}/`));

const depth = (place: string): number => place.split("/").length;

/**
 * What is in a folder, read once; null if it cannot be emptied: the machine's own, one with more in it than can be
 * mounted back, one that cannot be read.
 */
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
		// folders and settings first: what is left out is somebody's heap of files
		const rank = (entry: Dirent): number =>
			entry.isDirectory() ? 0 : entry.isSymbolicLink() || entry.name.startsWith(".") ? 1 : 2;
		return entries.sort((a, b) => rank(a) - rank(b)).slice(0, entriesMax);
	} catch {
		return null;
	}
}

/** As bubblewrap is to be told. Sockets, pipes and devices stay away, and so does what cannot be looked at. */
function backIn(folder: string, entries: readonly Dirent[], isLeft: (place: string) => boolean): string[] {
	return entries.flatMap((entry) => {
		const place = path.join(folder, entry.name);
		if (isLeft(place) || isHistory(entry.name)) return [];
		try {
			if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(place), place];
			const found = lstatSync(place);
			return found.isFile() || found.isDirectory() ? ["--ro-bind-try", place, place] : [];
		} catch {
			return [];
		}
	});
}

const isSocket = (place: string): boolean => {
	try {
		return statSync(place).isSocket();
	} catch {
		return false;
	}
};

function textOf(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}
