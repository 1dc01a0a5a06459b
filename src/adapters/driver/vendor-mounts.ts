// The vendor's home for an agent in a sandbox. Settings there name programs (hooks, tool servers, plugins) that the
// vendor's program also runs for the user outside, so an agent can read but not change them. It writes to its own
// folder, which is mounted over the vendor's and has copies of the settings. Only the login is the user's, because
// vendors' programs renew it.
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
import { attempt } from "../system/errors.ts";
import type { BindMount, SandboxMounts } from "../system/mounts.ts";
import { readRegularNow } from "../system/regular-file.ts";
import { removeFolder } from "../system/remove.ts";
import type { Variables, VendorFolder } from "./vendors/vendor.ts";
import { allVendors, vendors } from "./vendors/vendors.ts";

/** Folders whose content a vendor's program runs or obeys. The rest of its home is hidden: sessions, histories. */
const obeyed =
	/^(agents?|commands?|skills|plugins?|hooks|prompts|rules|extensions|output-styles|themes|modes?|tools?|node_modules)$/;
/** Files that it reads when it starts. */
const settings = /\.(json|jsonc|toml|md|ya?ml|js|ts|lock|lockb)$|^(installation_id|version\.json)$/;
const never = /history|session|\.log$|\.jsonl$/i;
/** O_PATH: opens a folder whatever its mode is */
const pathOnly = 0o10000000;
const fileBytesMax = 4 * 1024 * 1024;

interface VendorMountsRequest {
	type: string;
	/** the agent's own folder */
	own: string;
	seen: Variables;
	home: string;
}

/** Mounted over the homes of all vendors, which are hidden. */
export function vendorMounts(request: VendorMountsRequest): Pick<SandboxMounts, "bound" | "environment"> {
	const { type, own, seen, home } = request;
	const folders = vendors[type]?.folders(seen, home) ?? [];
	const bound = folders.flatMap((folder, at) => overlays(folder, path.join(own, String(at))));
	const variables = folders.flatMap(({ variable, location }) =>
		variable === undefined ? [] : [[variable, location] as const],
	);
	return { bound, environment: Object.fromEntries(variables) };
}

/** The homes of all vendors: the default ones, and those in variables. */
export function vendorHomes(seen: Variables): string[] {
	const home = seen["HOME"] ?? os.homedir();
	const folders = allVendors.flatMap((vendor) => [...vendor.folders({}, home), ...vendor.folders(seen, home)]);
	return [
		...new Set([...folders.map(({ location }) => location), ...folders.flatMap(({ adopts }) => adopts?.from ?? [])]),
	];
}

function overlays({ location: named, logins, adopts }: VendorFolder, own: string): BindMount[] {
	mkdirSync(named, { recursive: true, mode: 0o700 });
	// people link it from elsewhere; the mount has to be at the real path
	const location = realpathSync(named);
	mkdirSync(own, { recursive: true, mode: 0o700 });
	const names = readdirSync(location);
	const bound: BindMount[] = [{ from: own, to: location, writable: true }];
	for (const name of names) {
		const from = path.join(location, name);
		if (logins.includes(name)) bound.push({ from, to: makeMountPoint(own, name, "file", location), writable: true });
		else if (obeyed.test(name) && isFolder(from))
			bound.push({ from, to: makeMountPoint(own, name, "folder", location), writable: false });
		else if (settings.test(name) && !never.test(name)) copyFresh(from, path.join(own, name));
	}
	// its program writes to it all the time, so an existing copy is kept
	if (adopts !== undefined && lstatSync(path.join(own, adopts.as), { throwIfNoEntry: false }) === undefined)
		copyFresh(adopts.from, path.join(own, adopts.as));
	return bound;
}

/** A mount point for the user's own file; anything else that the agent put there is removed. */
function makeMountPoint(own: string, name: string, kind: "file" | "folder", location: string): string {
	const there = path.join(own, name);
	const found = lstatSync(there, { throwIfNoEntry: false });
	if (found !== undefined && !(kind === "file" ? found.isFile() : found.isDirectory())) putAway(there, own);
	if (kind === "folder") mkdirSync(there, { recursive: true });
	else if (lstatSync(there, { throwIfNoEntry: false }) === undefined) writeFresh(there, Buffer.alloc(0));
	return path.join(location, name);
}

/**
 * The agent may have made a huge folder: it is moved out of the agent's reach and removed in the background. Moving a
 * folder requires write permission in it.
 */
function putAway(location: string, own: string): void {
	const found = lstatSync(location, { throwIfNoEntry: false });
	if (found === undefined) return;
	if (!found.isDirectory()) {
		unlinkSync(location);
		return;
	}
	const removed = path.join(path.dirname(path.dirname(own)), ".removed");
	mkdirSync(removed, { recursive: true, mode: 0o700 });
	const handle = openSync(location, pathOnly | constants.O_NOFOLLOW | constants.O_DIRECTORY);
	try {
		chmodSync(`/proc/self/fd/${handle}`, 0o700);
	} finally {
		closeSync(handle);
	}
	const away = mkdtempSync(path.join(removed, "left-"));
	renameSync(location, path.join(away, "left"));
	removeFolder(away).catch(expected("the sweep tries again"));
}

/** A copy of the user's current file, made again for each process. */
function copyFresh(from: string, to: string): void {
	const bytes = smallFile(from);
	if (bytes === null) return;
	putAway(to, path.dirname(to));
	writeFresh(to, bytes);
}

/** Never writes through a link that the agent put there. */
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
	const bytes = attempt(() => readRegularNow(file, { follow: true, bytesMax: fileBytesMax }), null);
	return bytes === "too large" ? null : bytes;
}

const isFolder = (location: string): boolean => lstatSync(location, { throwIfNoEntry: false })?.isDirectory() === true;
