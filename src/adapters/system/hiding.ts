// How places are hidden in a sandbox.
//
// A mount over a file goes when somebody outside replaces that file, as most programs do with their logins and histories, and what is not
// there yet cannot be mounted over at all. So it is not the place that is covered but the folder around it: that is empty inside, and everything in it
// that is not hidden is mounted back, as it was when the process started. What comes later, under whatever name, is not there.
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isHistory } from "./private-places.ts";

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
	const hidden = all.filter((place) => !isBelow(place, all) || isBelow(place, shown));
	const folders = new Set<string>();
	const alone: string[] = [];
	for (const place of hidden) {
		const folder = path.dirname(place);
		if (!isBelow(place, temporary) && entriesOf(folder) !== null) folders.add(folder);
		else if (existsSync(place)) alone.push(place);
	}
	// so that no folder on the way to one can be replaced either
	for (const folder of [...folders]) for (const each of between(folder, folders)) if (entriesOf(each) !== null) folders.add(each);
	for (const folder of socketFolders(folders, [...hidden, ...shown])) folders.add(folder);
	const kept = new Set(hidden);
	const around = [...folders]
		.sort((a, b) => depth(a) - depth(b))
		.map((folder) => ({ folder, back: backIn(folder, (place) => kept.has(place) || folders.has(place)) }));
	return { around, alone };
}

/** The folders around one, inside of the outermost that is emptied. */
function between(folder: string, folders: ReadonlySet<string>): string[] {
	const found: string[] = [];
	for (let up = path.dirname(folder); up !== "/" && isBelow(up, [...folders]); up = path.dirname(up)) found.push(up);
	return found;
}

/**
 * Where in the emptied folders somebody listens on a socket: a read-only mount keeps nobody from talking to it, so these folders are emptied as well.
 * One that is deep below, with much around it, would take too many mounts.
 */
function socketFolders(folders: ReadonlySet<string>, apart: readonly string[]): string[] {
	const found = new Set<string>();
	let mounts = 0;
	for (const folder of new Set(liveSockets().map((place) => path.dirname(place)))) {
		if (!isBelow(folder, [...folders]) || isBelow(folder, apart) || apart.includes(folder)) continue;
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
	const found = places.flatMap((place) => [made(place), realOf(place) ?? []].flat());
	// people link a history to /dev/null
	return [...new Set(found.filter((place) => place !== "/" && !isBelow(place, ["/dev", "/proc", "/sys"])))];
}

function made(place: string): string {
	const folder = realOf(path.dirname(place));
	if (folder !== null) return path.join(folder, path.basename(place));
	return path.dirname(place) === place ? place : made(path.dirname(place));
}

export function realOf(place: string): string | null {
	try {
		return realpathSync(place);
	} catch {
		return null;
	}
}

export const isBelow = (place: string, folders: readonly string[]): boolean =>
	folders.some((folder) => place !== folder && place.startsWith(folder === "/" ? "/" : `${folder}/`));

const depth = (place: string): number => place.split("/").length;

/** Null for a folder that cannot be emptied: the machine's own, one that has more in it than can be mounted back, one that cannot be read. */
function entriesOf(folder: string): Dirent[] | null {
	const home = realOf(os.homedir());
	if (depth(folder) <= 2 && folder !== home) return null;
	try {
		const entries = readdirSync(folder, { withFileTypes: true });
		if (entries.length <= entriesMax) return entries;
		if (home === null || (folder !== home && !isBelow(folder, [home]))) return null;
		// folders and settings first: what is left out is somebody's heap of files
		const rank = (entry: Dirent): number => (entry.isDirectory() ? 0 : entry.isSymbolicLink() || entry.name.startsWith(".") ? 1 : 2);
		return entries.sort((a, b) => rank(a) - rank(b)).slice(0, entriesMax);
	} catch {
		return null;
	}
}

/** As bubblewrap is to be told. Sockets, pipes and devices stay away, and so does what cannot be looked at. */
function backIn(folder: string, isLeft: (place: string) => boolean): string[] {
	return (entriesOf(folder) ?? []).flatMap((entry) => {
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
