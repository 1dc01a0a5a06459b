// Which files of a working tree a snapshot does not hold, and which of them are in the way of a commit's files.
import { type ByteName, parentFolders } from "../format/names.ts";
import type { Gathered } from "./gather.ts";
import type { Survey } from "./survey.ts";

/** Existing files that the snapshot does not hold: overwriting them could not be undone. */
export function notInSnapshot(
	survey: Survey,
	more: Pick<Gathered, "tooLarge" | "unreadable" | "tooLong" | "names">,
): ByteName[] {
	const folders = survey.ignored.map((name) => name.replace(/\/$/, ""));
	const submodules = survey.submodules.filter(({ state }) => state === "repository").map((submodule) => submodule.path);
	const unreached = [...survey.tooLong, ...survey.closed, ...more.tooLong];
	return [
		...folders,
		...survey.nestedRepositories,
		...submodules,
		...survey.special,
		...unreached,
		...more.tooLarge,
		...more.unreadable,
		...more.names,
	];
}

/** Names among `wanted` that cannot be written without replacing one of `there`. */
export function collisions(there: readonly ByteName[], wanted: Iterable<ByteName>): ByteName[] {
	const names = new Set(there);
	const folders = new Set(there.flatMap(parentFolders));
	return [...wanted].filter(
		(name) => names.has(name) || folders.has(name) || parentFolders(name).some((folder) => names.has(folder)),
	);
}

/**
 * What has to make way for the commit's files, and is not in the snapshot. `target` are the names of these files, with
 * their objects. A submodule that is as the commit has it stays: no reset touches it.
 */
export function notResettable(gathered: Gathered, target: ReadonlyMap<ByteName, string>): ByteName[] {
	const { survey, tooLarge, unreadable, names, tooLong } = gathered;
	const stays = new Set(
		survey.submodules.flatMap(({ path, commit, dirty }) => (!dirty && target.get(path) === commit ? [path] : [])),
	);
	const outside = notInSnapshot(survey, gathered).filter((name) => !stays.has(name));
	const inTheWay = new Set(collisions(outside, target.keys()).flatMap((name) => [name, ...parentFolders(name)]));
	const submodules = survey.submodules.filter(({ dirty }) => dirty).map((submodule) => submodule.path);
	const wanted = [
		...survey.nestedRepositories,
		...submodules,
		...tooLarge,
		...unreadable,
		...names,
		// a path that is too long to be moved goes with a folder above it
		...[...tooLong, ...survey.tooLong].map((name) => topmostOwn(name, target)),
		...outside.filter((name) => inTheWay.has(name) || parentFolders(name).some((folder) => target.has(folder))),
	];
	const all = new Set(wanted);
	return [...all].filter((name) => !parentFolders(name).some((folder) => all.has(folder)));
}

/** The outermost folder above a name that has none of the commit's files in it. */
function topmostOwn(name: ByteName, target: ReadonlyMap<ByteName, string>): ByteName {
	const used = new Set([...target.keys()].flatMap(parentFolders));
	return parentFolders(name).find((folder) => !used.has(folder)) ?? name;
}
