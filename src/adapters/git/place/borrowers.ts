// Who borrows objects from a repository: workspaces of ours whose own repository names it in `objects/info/alternates`. This is
// the one place where that is asked. While somebody borrows, nothing that could be missed may be removed from the repository.
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { ProjectPlace } from "#engine/workspaces.ts";
import type { Ground } from "./ground.ts";
import type { Layout } from "./layout.ts";
import { readMark } from "./mark.ts";
import { placeOf } from "./place.ts";

/** The folders of the borrowers: workspaces of the project's agents, and what of them lies in the trash. */
export async function borrowersOf({ layout }: Pick<Ground, "layout">, project: ProjectPlace): Promise<string[]> {
	const { commonFolder } = await placeOf(project.path, {});
	if (commonFolder === null) return [];
	const lender = await real(path.join(commonFolder, "objects"));
	const below = async (folder: string): Promise<string[]> => (await readdir(folder).catch((): string[] => [])).map((name) => path.join(folder, name));
	// those that were made for a sandbox always borrow, and are not looked into from outside
	const locked = await marksOf(layout, project);
	const binned = await below(layout.trash);
	const lockedInTrash = new Set((await Promise.all(binned.map(async (place) => ((await isLocked(place, project)) ? [place] : [])))).flat());
	const trashed = binned.filter((place) => !lockedInTrash.has(place)).map((place) => path.join(place, "files"));
	const found = [...locked, ...lockedInTrash];
	for (const place of [...(await below(layout.agents(project.slug))), ...(await below(layout.scratches(project.slug))), ...trashed])
		if (!locked.includes(place) && (await borrows(place, lender))) found.push(place);
	return found;
}

async function marksOf(layout: Layout, { slug }: ProjectPlace): Promise<string[]> {
	const folder = layout.ownGits(slug);
	const marks = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(".json"));
	return (await Promise.all(marks.map(async (name) => await readMark(path.join(folder, name))))).flatMap((mark) => (mark === null ? [] : [mark.path]));
}

async function isLocked(place: string, { slug }: ProjectPlace): Promise<boolean> {
	const mark = await readMark(path.join(place, "own.json"));
	return mark !== null && mark.project === slug;
}

/** Directly, or through one that it borrows from. */
async function borrows(place: string, lender: string): Promise<boolean> {
	const { gitFolder, commonFolder } = await placeOf(place, {});
	// a worktree has its repository's objects and none of its own
	if (gitFolder === null || commonFolder === null || gitFolder !== commonFolder) return false;
	return (await lendersOf(path.join(commonFolder, "objects"), new Set())).has(lender);
}

async function lendersOf(objects: string, seen: Set<string>): Promise<Set<string>> {
	const text = await readRegularText(path.join(objects, "info", "alternates")).catch(() => "");
	for (const line of text.split("\n")) {
		if (line === "" || line.startsWith("#")) continue;
		const lender = await real(path.resolve(objects, line));
		if (seen.has(lender)) continue;
		seen.add(lender);
		await lendersOf(lender, seen);
	}
	return seen;
}

const real = async (place: string): Promise<string> => await realpath(place).catch(() => path.resolve(place));
