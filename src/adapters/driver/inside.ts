// Whether files are an agent's own to change: in its workspace as the disk has it, and none that git or a program would
// run or obey.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { autorunPaths, namedByConfiguration, programPlaces, TooMuch } from "./trust.ts";

/** more are not looked at one by one */
const placesMax = 2000;

/** False also where nothing is named: what nobody names may be anywhere. */
export async function areInside(folder: string, places: readonly string[]): Promise<boolean> {
	const root = isThere(folder) ? realOf(folder) : null;
	if (root === null || places.length === 0 || places.length > placesMax) return false;
	const scripts = await namedByConfiguration(root).catch(unknown);
	return scripts !== null && places.every((place) => isInside(root, place, scripts));
}

/** Where nobody can tell what would be run, anything may be. */
function unknown(error: unknown): null {
	if (error instanceof TooMuch) return null;
	throw error;
}

function isInside(root: string, place: string, scripts: ReadonlySet<string>): boolean {
	const real = isPlain(place) ? realOf(path.isAbsolute(place) ? place : `${root}/${place}`) : null;
	if (real === null || !real.startsWith(root + path.sep)) return false;
	// on some disks upper and lower case are the same
	const inner = path.relative(root, real).toLowerCase();
	const parts = inner.split(path.sep);
	const obeyed =
		parts.some((part) => obeyedAnywhere.has(part)) || autorunPaths.includes(parts[0] ?? "") || inner === ".brood.yaml";
	return !obeyed && !scripts.has(inner);
}

/** Vendors' programs look for theirs in the folders of the files that they read, too. */
const obeyedAnywhere: ReadonlySet<string> = new Set([".git", ".gitattributes", ...programPlaces]);

/**
 * A path that means the same to every program. `..` does not: one program removes it from the text, another lets the
 * kernel follow links first. Nor does what a shell, a URL or a trim would make something else of.
 */
function isPlain(place: string): boolean {
	const isOther = /^[~$]|^[a-z][a-z\d+.-]*:|^\s|\s$/i.test(place) || hasControl.test(place);
	return !isOther && !place.split(/[\\/]/).includes("..");
}

const hasControl = /\p{Cc}/u;

/**
 * Where a path leads, with every link followed: for what is not there yet, from the nearest folder that is. Null for a
 * link into nothing.
 */
function realOf(file: string): string | null {
	try {
		return realpathSync.native(file);
	} catch (error) {
		// what cannot be looked at may lead anywhere
		if (!isMissing(error) || isThere(file)) return null;
		const above = path.dirname(file);
		const real = above === file ? null : realOf(above);
		return real === null ? null : path.join(real, path.basename(file));
	}
}

const isMissing = (error: unknown): boolean =>
	error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

function isThere(file: string): boolean {
	try {
		lstatSync(file);
		return true;
	} catch {
		return false;
	}
}
