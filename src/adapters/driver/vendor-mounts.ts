// What an agent in a sandbox gets of its vendor's home. Settings there name programs (hooks, tool servers, plugins)
// that the vendor's own program runs for the user too, outside: so an agent sees them, and cannot change them. What it
// may write is a folder of its own, laid over the vendor's, with copies of the settings in it. Only the login is the
// user's, because vendors renew it.
import {
	chmodSync,
	closeSync,
	constants,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	realpathSync,
	renameSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expected } from "#contract/log.ts";
import type { BindMount, SandboxMounts } from "../system/mounts.ts";
import { readRegularNow } from "../system/regular-file.ts";
import { removeFolder } from "../system/remove.ts";
import type { Variables, VendorFolder } from "./vendors/vendor.ts";
import { allVendors, vendors } from "./vendors/vendors.ts";

/**
 * Folders whose content a vendor's program runs or obeys; everything else in its home is hidden, sessions and histories
 * of others above all.
 */
const obeyed =
	/^(agents?|commands?|skills|plugins?|hooks|prompts|rules|extensions|output-styles|themes|modes?|tools?|node_modules)$/;
/** Files that it reads at its start. */
const settings = /\.(json|jsonc|toml|md|ya?ml|js|ts|lock|lockb)$|^(installation_id|version\.json)$/;
const never = /history|session|\.log$|\.jsonl$/i;
/** opens a folder whatever its mode is (Linux; Node has no name for it) */
const pathOnly = 0o10000000;
const fileBytesMax = 4 * 1024 * 1024;

/**
 * The places of a vendor for one agent, whose own folder is `own`. They are laid over all vendors' homes, which are
 * hidden.
 */
export function vendorMounts({
	type,
	own,
	seen,
	home,
}: {
	type: string;
	own: string;
	seen: Variables;
	home: string;
}): Pick<SandboxMounts, "bound" | "environment"> {
	const folders = vendors[type]?.folders(seen, home) ?? [];
	const bound = folders.flatMap((folder, at) => overlays(folder, path.join(own, String(at))));
	const variables = folders.flatMap(({ variable, place }) =>
		variable === undefined ? [] : [[variable, place] as const],
	);
	return { bound, environment: Object.fromEntries(variables) };
}

/** The homes of all vendors: the usual ones, and where these variables say that they are. */
export function vendorHomes(seen: Variables): string[] {
	const home = seen["HOME"] ?? os.homedir();
	const folders = allVendors.flatMap((vendor) => [...vendor.folders({}, home), ...vendor.folders(seen, home)]);
	return [...new Set([...folders.map(({ place }) => place), ...folders.flatMap(({ adopts }) => adopts?.from ?? [])])];
}

function overlays({ place: named, logins, adopts }: VendorFolder, own: string): BindMount[] {
	mkdirSync(named, { recursive: true, mode: 0o700 });
	// people link it from elsewhere; what is laid over it has to be where that is
	const place = realpathSync(named);
	mkdirSync(own, { recursive: true, mode: 0o700 });
	const names = readdirSync(place);
	const bound: BindMount[] = [{ from: own, to: place, writable: true }];
	for (const name of names) {
		const from = path.join(place, name);
		if (logins.includes(name)) bound.push({ from, to: makeMountPoint(own, name, "file", place), writable: true });
		else if (obeyed.test(name) && isFolder(from))
			bound.push({ from, to: makeMountPoint(own, name, "folder", place), writable: false });
		else if (settings.test(name) && !never.test(name)) copyFresh(from, path.join(own, name));
	}
	// its program writes to it all the time, and finds again what it wrote
	if (adopts !== undefined && lstatSync(path.join(own, adopts.as), { throwIfNoEntry: false }) === undefined)
		copyFresh(adopts.from, path.join(own, adopts.as));
	return bound;
}

/** Something to lay the user's own over; whatever the agent left there under that name is gone. */
function makeMountPoint(own: string, name: string, kind: "file" | "folder", place: string): string {
	const there = path.join(own, name);
	const found = lstatSync(there, { throwIfNoEntry: false });
	if (found !== undefined && !(kind === "file" ? found.isFile() : found.isDirectory())) putAway(there, own);
	if (kind === "folder") mkdirSync(there, { recursive: true });
	else if (lstatSync(there, { throwIfNoEntry: false }) === undefined) writeFresh(there, Buffer.alloc(0));
	return path.join(place, name);
}

/**
 * What the agent left there may be a folder without end: it is moved to where no agent can reach it, and removed in the
 * background. A folder can only be moved by whoever may write in it.
 */
function putAway(place: string, own: string): void {
	const found = lstatSync(place, { throwIfNoEntry: false });
	if (found === undefined) return;
	if (!found.isDirectory()) {
		unlinkSync(place);
		return;
	}
	const removed = path.join(path.dirname(path.dirname(own)), ".removed");
	mkdirSync(removed, { recursive: true, mode: 0o700 });
	const handle = openSync(place, pathOnly | constants.O_NOFOLLOW | constants.O_DIRECTORY);
	try {
		chmodSync(`/proc/self/fd/${handle}`, 0o700);
	} finally {
		closeSync(handle);
	}
	const away = mkdtempSync(path.join(removed, "left-"));
	renameSync(place, path.join(away, "left"));
	// what is left is removed by the next sweep
	removeFolder(away).catch(expected("the sweep tries again"));
}

/** As the user has it now. The agent may change its copy, which is taken anew for the next process. */
function copyFresh(from: string, to: string): void {
	const bytes = smallFile(from);
	if (bytes === null) return;
	putAway(to, path.dirname(to));
	writeFresh(to, bytes);
}

/** Never through a link that the agent put there. */
function writeFresh(file: string, bytes: Buffer): void {
	const handle = openSync(
		file,
		constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
		0o600,
	);
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
