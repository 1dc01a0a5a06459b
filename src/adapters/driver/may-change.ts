// Whether an agent may change files: they must be in its workspace, with links resolved, and none that git or a program
// would run or obey.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { attempt, codeOf } from "../system/errors.ts";
import { autorunPaths, namedByConfiguration, obeyedPaths, TooMuch } from "./trust.ts";

/** more are not checked */
const pathsMax = 2000;

/** False for an empty list: unknown files may be anywhere. */
export async function mayChange(folder: string, paths: readonly string[]): Promise<boolean> {
	const root = rootOf(folder);
	if (root === null || paths.length === 0 || paths.length > pathsMax) return false;
	const scripts = await namedByConfiguration(root).catch(unknown);
	return scripts !== null && paths.every((given) => isAllowed(root, given, scripts));
}

/** Where a folder really is; null if it is not there. */
export const rootOf = (folder: string): string | null => (isThere(folder) ? realOf(folder) : null);

/** Where a path really leads; null if it may lead out of the root. */
export function within(root: string, given: string): string | null {
	const real = isPlain(given) ? realOf(path.isAbsolute(given) ? given : `${root}/${given}`) : null;
	return real?.startsWith(root + path.sep) ? real : null;
}

/** Null where it is unknown what would be run. */
function unknown(error: unknown): null {
	if (error instanceof TooMuch) return null;
	throw error;
}

function isAllowed(root: string, given: string, scripts: ReadonlySet<string>): boolean {
	const real = within(root, given);
	if (real === null) return false;
	// some file systems ignore case
	const inner = path.relative(root, real).toLowerCase();
	const parts = inner.split(path.sep);
	const obeyed =
		parts.some((part) => obeyedAnywhere.has(part)) || autorunPaths.includes(parts[0] ?? "") || inner === ".brood.yaml";
	return !obeyed && !scripts.has(inner);
}

/** Vendors' programs also look for these in the folders of the files that they read. */
const obeyedAnywhere: ReadonlySet<string> = new Set([".git", ".gitattributes", ...obeyedPaths]);

/**
 * A path that means the same to every program. `..` does not: one program removes it from the text, another follows
 * links first. Nor does a path that a shell, a URL parser or a trim would change.
 */
function isPlain(given: string): boolean {
	const isOther = /^[~$]|^[a-z][a-z\d+.-]*:|^\s|\s$/i.test(given) || hasControl.test(given);
	return !isOther && !given.split(/[\\/]/).includes("..");
}

const hasControl = /\p{Cc}/u;

/** The real path; for a missing file, below the real path of its nearest existing folder. Null for a broken link. */
function realOf(file: string): string | null {
	try {
		return realpathSync.native(file);
	} catch (error) {
		// a path that cannot be read may lead anywhere
		if (!["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "") || isThere(file)) return null;
		const above = path.dirname(file);
		const real = above === file ? null : realOf(above);
		return real === null ? null : path.join(real, path.basename(file));
	}
}

const isThere = (file: string): boolean => attempt(() => lstatSync(file), null) !== null;
