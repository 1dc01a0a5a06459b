// Whether files are an agent's own to change: in its workspace as the disk has it, and none that git or a program would run or obey.
import { lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { namedByConfiguration, TooMuch, trustPlaces } from "./trust.ts";

/** more are not looked at one by one */
const placesMax = 1000;

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
	// what a shell would make of it is not ours to guess
	if (place.startsWith("~") || place.includes("\0")) return false;
	const real = realOf(path.resolve(root, place));
	if (real === null || !real.startsWith(root + path.sep)) return false;
	// on some disks upper and lower case are the same
	const inner = path.relative(root, real).toLowerCase();
	const parts = inner.split(path.sep);
	const obeyed = parts.includes(".git") || trustPlaces.includes(parts[0] ?? "") || inner === ".brood.yaml" || parts.at(-1) === ".gitattributes";
	return !obeyed && !scripts.has(inner);
}

/** Where a path leads, with every link followed: for what is not there yet, from the nearest folder that is. Null for a link into nothing. */
function realOf(file: string): string | null {
	try {
		return realpathSync.native(file);
	} catch {
		if (isThere(file)) return null;
		const above = path.dirname(file);
		const real = above === file ? null : realOf(above);
		return real === null ? null : path.join(real, path.basename(file));
	}
}

function isThere(file: string): boolean {
	try {
		lstatSync(file);
		return true;
	} catch {
		return false;
	}
}
