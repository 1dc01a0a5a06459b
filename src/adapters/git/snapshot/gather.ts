// The files of a working tree as a tree of git: raw bytes, through a shadow whose own index remembers what was read
// before, so that only what changed is read again.
import { accessSync, constants, lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { type ByteName, isTooLong, listOf, namesIn, pathOf } from "../format/names.ts";
import { inTurn } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { Links } from "../tree/links.ts";
import { codeOf, type ReadIndex, readIndex, readIndexFile, type Tree } from "../tree/tree.ts";
import { openShadow, type Shadow } from "./shadow.ts";
import { type Survey, surveyTree } from "./survey.ts";

export interface Gathered {
	/** the id of the tree */
	id: string;
	survey: Survey;
	index: ReadIndex | null;
	/** the shadow's own index: what the tree holds */
	held: ReadIndex | null;
	tooLarge: ByteName[];
	unreadable: ByteName[];
	/** by their path nobody can open them */
	tooLong: ByteName[];
	names: ByteName[];
	unsteady: boolean;
	/** something had to be read */
	readAny: boolean;
}

const attemptsMax = 3;

/** Where the shadow's index is kept between two snapshots; it goes away with the worktree. */
export const memoryOf = ({ gitFolder }: Tree): string => path.join(gitFolder, "brood-index");

export async function gather(git: Git, tree: Tree, fileBytesMax: number): Promise<Gathered> {
	return await inTurn(memoryOf(tree), async () => {
		await using shadow = await openShadow(git, tree, memoryOf(tree));
		for (let attempt = 1; ; attempt++) {
			const gathered = await gatherOnce(git, tree, shadow, fileBytesMax).catch(async (error: unknown) => {
				if (attempt >= attemptsMax) throw error;
				// what it remembers may be what is broken
				await rm(memoryOf(tree), { force: true });
				return null;
			});
			if (gathered === null) continue;
			// what was compared and not read was compared just now
			if (!gathered.readAny) return gathered;
			const changed = namesIn((await shadow.git(["diff-files", "--name-only", "-z"])).bytes);
			if (changed.length === 0) return gathered;
			if (attempt >= attemptsMax) return { ...gathered, unsteady: true };
		}
	});
}

async function gatherOnce(git: Git, tree: Tree, shadow: Shadow, fileBytesMax: number): Promise<Gathered> {
	const memory = memoryOf(tree);
	const index = await readIndex(git, tree);
	const [survey, before] = await Promise.all([surveyTree(git, tree, index), readIndexFile(memory, tree.hashLength)]);
	const known = new Set(before?.entries.map((entry) => entry.path.toString("latin1")));
	const touched = before === null ? [] : namesIn((await shadow.git(["diff-files", "--name-only", "-z"])).bytes);
	const candidates = new Set([...touched, ...[...survey.wanted].filter((name) => !known.has(name))]);
	const sorted = await sortOut(tree, candidates, fileBytesMax);
	const gone = [...known].filter((name) => !survey.wanted.has(name));
	await record(shadow, sorted.take, [...sorted.leave.filter((name) => known.has(name)), ...gone]);
	const id = (await shadow.git(["write-tree"])).text;
	return {
		id,
		survey,
		index,
		held: await readIndexFile(memory, tree.hashLength),
		...sorted,
		unsteady: false,
		readAny: sorted.take.length > 0,
	};
}

interface Sorted {
	take: ByteName[];
	/** gone, or nothing that the tree can hold */
	leave: ByteName[];
	tooLarge: ByteName[];
	unreadable: ByteName[];
	tooLong: ByteName[];
	names: ByteName[];
}

async function sortOut({ folder }: Tree, candidates: Iterable<ByteName>, fileBytesMax: number): Promise<Sorted> {
	const sorted: Sorted = { take: [], leave: [], tooLarge: [], unreadable: [], tooLong: [], names: [] };
	const links = new Links(folder);
	let count = 0;
	for (const name of candidates) {
		const place = isTooLong(folder, name)
			? "tooLong"
			: await reached(async () => ((await links.leavesFolder(name)) ? "leave" : placeFor(folder, name, fileBytesMax)));
		sorted[place].push(name);
		if (place !== "take" && place !== "leave") sorted.leave.push(name);
		if (++count % 256 === 0) await breathe();
	}
	return sorted;
}

/** Below a folder that the user may not look into there may be anything. */
async function reached(look: () => Promise<keyof Sorted>): Promise<keyof Sorted> {
	try {
		return await look();
	} catch (error) {
		if (codeOf(error) === "EACCES") return "unreadable";
		throw error;
	}
}

/** At once and not later: asking the thread pool for each of many thousand files takes longer than all the answers. */
function placeFor(folder: string, name: ByteName, fileBytesMax: number): keyof Sorted {
	const file = pathOf(folder, name);
	const stat = lstatSync(file, { throwIfNoEntry: false });
	if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return "leave";
	if (/(^|\/)\.git(\/|$)/i.test(name)) return "names";
	if (stat.isSymbolicLink()) return "take";
	if (stat.size > fileBytesMax) return "tooLarge";
	try {
		accessSync(file, constants.R_OK);
		return "take";
	} catch {
		return "unreadable";
	}
}

async function record(shadow: Shadow, take: readonly ByteName[], drop: readonly ByteName[]): Promise<void> {
	if (drop.length > 0) await shadow.git(["update-index", "--force-remove", "-z", "--stdin"], { input: listOf(drop) });
	if (take.length > 0)
		await shadow.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
			input: listOf(take),
			timeoutMs: 600_000,
		});
}
