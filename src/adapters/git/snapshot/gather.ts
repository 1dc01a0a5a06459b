// Writes the files of a working tree as a git tree, raw bytes, through a shadow repository. The shadow's index
// remembers what was read before, so that only changed files are read again.
import { accessSync, constants, lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { codeOf } from "#adapters/system/errors.ts";
import { cachedTree } from "../format/index-file.ts";
import { type ByteName, isTooLong, listOf, namesIn, pathOf } from "../format/names.ts";
import { serialized } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { hasObject, noteObject, packsOf } from "../run/plain-commit.ts";
import { Links } from "../tree/links.ts";
import { type ReadIndex, readIndex, readIndexFile, type Tree } from "../tree/tree.ts";
import { openShadow, type Shadow } from "./shadow.ts";
import { type Survey, surveyTree } from "./survey.ts";
import { areUnchanged } from "./unchanged.ts";

export interface Gathered {
	/** the id of the tree */
	id: string;
	survey: Survey;
	index: ReadIndex | null;
	/** the shadow's index, with the entries of the tree */
	held: ReadIndex | null;
	tooLarge: ByteName[];
	unreadable: ByteName[];
	/** their path is longer than the system accepts */
	tooLong: ByteName[];
	names: ByteName[];
	/** files kept changing while they were read */
	changedMeanwhile: boolean;
	/** at least one file was read */
	readAny: boolean;
}

const attemptsMax = 3;

/** The shadow's index is kept here between snapshots, and removed with the worktree. */
export const shadowIndexOf = ({ gitFolder }: Tree): string => path.join(gitFolder, "brood-index");

export async function gather(git: Git, tree: Tree, fileBytesMax: number): Promise<Gathered> {
	return await serialized(shadowIndexOf(tree), async () => {
		await using shadow = await openShadow(git, tree, shadowIndexOf(tree));
		for (let attempt = 1; ; attempt++) {
			const gathered = await gatherOnce(git, tree, shadow, fileBytesMax).catch(async (error: unknown) => {
				if (attempt >= attemptsMax) throw error;
				// the remembered index may be damaged
				await rm(shadowIndexOf(tree), { force: true });
				return null;
			});
			if (gathered === null) continue;
			// nothing was read, so nothing can have changed since
			if (!gathered.readAny) return gathered;
			if (await isUnchanged(tree, shadow, gathered)) return gathered;
			if (attempt >= attemptsMax) return { ...gathered, changedMeanwhile: true };
		}
	});
}

async function isUnchanged(tree: Tree, shadow: Shadow, { held, take }: Taken): Promise<boolean> {
	const same = held === null ? null : await areUnchanged(tree, held, take);
	return same ?? (await shadow.git(["diff-files", "--name-only", "-z"])).bytes.length === 0;
}

/** What was gathered, with the files that were read for it. */
type Taken = Gathered & Pick<Sorted, "take">;

async function gatherOnce(git: Git, tree: Tree, shadow: Shadow, fileBytesMax: number): Promise<Taken> {
	const memory = shadowIndexOf(tree);
	const index = await readIndex(git, tree);
	const [survey, before] = await Promise.all([surveyTree(git, tree, index), readIndexFile(memory, tree.hashLength)]);
	const known = new Set(before?.entries.map((entry) => entry.path.toString("latin1")));
	const touched = before === null ? [] : namesIn((await shadow.git(["diff-files", "--name-only", "-z"])).bytes);
	const candidates = new Set([...touched, ...[...survey.wanted].filter((name) => !known.has(name))]);
	const sorted = await sortOut(tree, candidates, fileBytesMax);
	const gone = [...known].filter((name) => !survey.wanted.has(name));
	const dropped = [...sorted.leave.filter((name) => known.has(name)), ...gone];
	await record(shadow, sorted.take, dropped);
	const unchanged = sorted.take.length === 0 && dropped.length === 0 && before !== null;
	const noted = unchanged ? cachedTree(before, tree.hashLength) : null;
	const knownTree = noted !== null && (await hasObject(tree.commonFolder, noted)) ? noted : null;
	return {
		id: knownTree ?? (await writeTree(tree, shadow)),
		survey,
		index,
		held: knownTree === null ? await readIndexFile(memory, tree.hashLength) : before,
		...sorted,
		changedMeanwhile: false,
		readAny: sorted.take.length > 0,
	};
}

async function writeTree({ folder }: Tree, shadow: Shadow): Promise<string> {
	const packs = await packsOf(folder);
	const id = (await shadow.git(["write-tree"])).text;
	noteObject(packs, id);
	return id;
}

interface Sorted {
	take: ByteName[];
	/** missing, or nothing that a git tree can hold */
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
		const bucket = isTooLong(folder, name)
			? "tooLong"
			: await orUnreadable(async () =>
					(await links.leavesFolder(name)) ? "leave" : bucketFor(folder, name, fileBytesMax),
				);
		sorted[bucket].push(name);
		if (bucket !== "take" && bucket !== "leave") sorted.leave.push(name);
		if (++count % 256 === 0) await yieldToLoop();
	}
	return sorted;
}

/** `unreadable` for files below a folder that may not be read. */
async function orUnreadable(look: () => Promise<keyof Sorted>): Promise<keyof Sorted> {
	try {
		return await look();
	} catch (error) {
		if (codeOf(error) === "EACCES") return "unreadable";
		throw error;
	}
}

/** Synchronous: the thread pool's overhead for thousands of files is larger than the calls themselves. */
function bucketFor(folder: string, name: ByteName, fileBytesMax: number): keyof Sorted {
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
