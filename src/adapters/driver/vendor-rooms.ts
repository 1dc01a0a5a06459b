// What an agent in a sandbox gets of its vendor's home. Settings there name programs (hooks, tool servers, plugins) that the vendor's own
// program runs for the user too, outside: so an agent sees them, and cannot change them. What it may write is a folder of its own, laid over the
// vendor's, with copies of the settings in it. Only the login is the user's, because vendors renew it.
import { closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, realpathSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { readRegularNow } from "../system/regular-file.ts";
import type { Bound, Room } from "../system/walls.ts";
import type { Variables, VendorFolder } from "./vendors/vendor.ts";
import { allVendors, vendors } from "./vendors/vendors.ts";

/** Folders whose content a vendor's program runs or obeys; everything else in its home is hidden, sessions and histories of others above all. */
const obeyed = /^(agents?|commands?|skills|plugins?|hooks|prompts|rules|extensions|output-styles|themes|modes?|tools?|node_modules)$/;
/** Files that it reads at its start. */
const settings = /\.(json|jsonc|toml|md|ya?ml|js|ts|lock|lockb)$|^(installation_id|version\.json)$/;
const never = /history|session|\.log$|\.jsonl$/i;
const fileBytesMax = 4 * 1024 * 1024;

/** The places of a vendor for one agent, whose own folder is `own`; those of the other vendors are hidden. */
export function vendorPart({
	type,
	own,
	seen,
	home,
}: {
	type: string;
	own: string;
	seen: Variables;
	home: string;
}): Pick<Room, "hidden" | "bound" | "environment"> {
	const folders = vendors[type]?.folders(seen, home) ?? [];
	const mine = new Set(folders.map(({ place }) => place));
	const bound = folders.flatMap((folder, at) => laidOver(folder, path.join(own, String(at))));
	const variables = folders.flatMap(({ variable, place }) => (variable === undefined ? [] : [[variable, place] as const]));
	// a program that an agent names itself may be any vendor's: it can read their homes, and write none
	const hidden = type === "acp" ? [] : homesOf(home).filter((place) => !mine.has(place) && ![...mine].some((each) => each.startsWith(`${place}/`)));
	return { hidden, bound, environment: Object.fromEntries(variables) };
}

/** The usual homes of all vendors. */
function homesOf(home: string): string[] {
	const folders = allVendors.flatMap((vendor) => vendor.folders({}, home));
	return [...folders.map(({ place }) => place), ...folders.flatMap(({ adopts }) => adopts?.from ?? [])];
}

function laidOver({ place: named, logins, adopts }: VendorFolder, own: string): Bound[] {
	mkdirSync(named, { recursive: true, mode: 0o700 });
	// people link it from elsewhere; what is laid over it has to be where that is
	const place = realpathSync(named);
	mkdirSync(own, { recursive: true, mode: 0o700 });
	const names = readdirSync(place);
	const bound: Bound[] = [{ from: own, to: place, writable: true }];
	for (const name of names) {
		const from = path.join(place, name);
		if (logins.includes(name)) bound.push({ from, to: makeRoomFor(own, name, "file", place), writable: true });
		else if (obeyed.test(name) && isFolder(from)) bound.push({ from, to: makeRoomFor(own, name, "folder", place), writable: false });
		else if (settings.test(name) && !never.test(name)) copyFresh(from, path.join(own, name));
	}
	// its program writes to it all the time, and finds again what it wrote
	if (adopts !== undefined && lstatSync(path.join(own, adopts.as), { throwIfNoEntry: false }) === undefined) copyFresh(adopts.from, path.join(own, adopts.as));
	return bound;
}

/** Something to lay the user's own over; whatever the agent left there under that name is gone. */
function makeRoomFor(own: string, name: string, kind: "file" | "folder", place: string): string {
	const there = path.join(own, name);
	const found = lstatSync(there, { throwIfNoEntry: false });
	if (found !== undefined && !(kind === "file" ? found.isFile() : found.isDirectory())) rmSync(there, { recursive: true, force: true });
	if (kind === "folder") mkdirSync(there, { recursive: true });
	else if (lstatSync(there, { throwIfNoEntry: false }) === undefined) writeFresh(there, Buffer.alloc(0));
	return path.join(place, name);
}

/** As the user has it now. The agent may change its copy, which is taken anew for the next process. */
function copyFresh(from: string, to: string): void {
	const bytes = smallFile(from);
	if (bytes === null) return;
	rmSync(to, { recursive: true, force: true });
	writeFresh(to, bytes);
}

/** Never through a link that the agent put there. */
function writeFresh(file: string, bytes: Buffer): void {
	const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
	try {
		writeSync(handle, bytes);
	} finally {
		closeSync(handle);
	}
}

/** People link their settings from elsewhere. */
function smallFile(file: string): Buffer | null {
	try {
		const bytes = readRegularNow(file, { follow: true, bytesMax: fileBytesMax });
		return bytes === "too large" ? null : bytes;
	} catch {
		return null;
	}
}

const isFolder = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
