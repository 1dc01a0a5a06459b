// Removes a home, and what Brood keeps in the projects' repositories: `brood uninstall --all` runs it when the daemon has
// stopped. Branches stay: they are the user's. The projects' paths arrive on standard input, and what was removed is
// printed, both as JSON.
import { readFileSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { makeGit } from "#adapters/git/run/git.ts";
import { worktreesOf } from "#adapters/git/run/worktrees.ts";
import { dropRefs, forgetWorktree } from "#adapters/git/snapshot/destroy.ts";
import { lockHome } from "#adapters/system/home.ts";

interface Removed {
	path: string;
	refs: number;
	worktrees: number;
	/** why nothing could be removed there */
	problem: string | null;
}

const home = realpathSync(process.argv[2] ?? "");
const projects: string[] = JSON.parse(readFileSync(0, "utf8"));
const git = makeGit({ environment: process.env });
const isInHome = (folder: string): boolean => folder.startsWith(`${home}${path.sep}`);

// never while a daemon uses it
using _lock = await lockHome(home);
const found = await Promise.all(projects.filter((folder) => !isInHome(folder)).map(look));
rmSync(home, { recursive: true, force: true });
const removed: Removed[] = [];
for (const each of found) removed.push(await clean(each));
process.stdout.write(JSON.stringify(removed));

interface BroodRefs {
	path: string;
	refs: { ref: string; id: string }[];
	worktrees: { path: string; locked: boolean }[];
	problem: string | null;
}

async function look(folder: string): Promise<BroodRefs> {
	try {
		const listed = await git(folder, ["for-each-ref", "--format=%(refname) %(objectname)", "refs/brood"]);
		const refs = listed.text === "" ? [] : listed.text.split("\n").map((line) => line.split(" "));
		const worktrees = (await worktreesOf(git, folder)).filter((each) => isInHome(each.path));
		return {
			path: folder,
			refs: refs.map(([ref = "", id = ""]) => ({ ref, id })),
			worktrees: worktrees.map((each) => ({ path: each.path, locked: each.locked !== null })),
			problem: null,
		};
	} catch (error) {
		return { path: folder, refs: [], worktrees: [], problem: sentence(error) };
	}
}

async function clean({ path: folder, refs, worktrees, problem }: BroodRefs): Promise<Removed> {
	if (problem !== null) return { path: folder, refs: 0, worktrees: 0, problem };
	try {
		for (const each of worktrees) await forgetWorktree(git, folder, each.path, { locked: each.locked });
		await keepWork(folder, refs);
		if (refs.length > 0) await dropRefs(git, folder, refs);
		return { path: folder, refs: refs.length, worktrees: worktrees.length, problem: null };
	} catch (error) {
		return { path: folder, refs: 0, worktrees: 0, problem: sentence(error) };
	}
}

/** The branches of sandboxed agents are only here as refs: those with commits that no branch has become branches. */
async function keepWork(folder: string, refs: BroodRefs["refs"]): Promise<void> {
	for (const { ref, id } of refs) {
		const [, name] = /^refs\/brood\/work\/[^/]+\/(.+)$/.exec(ref) ?? [];
		if (name === undefined) continue;
		const own = await git(folder, ["rev-list", "--max-count=1", id, "--not", "--branches"]);
		if (own.text === "") continue;
		const branch = decodeURIComponent(name);
		const taken =
			(await git(folder, ["rev-parse", "-q", "--verify", `refs/heads/${branch}`], { answers: [1] })).code === 0;
		const kept = taken ? `${branch}-${id.slice(0, 8)}` : branch;
		await git(folder, ["update-ref", `refs/heads/${kept}`, id]);
	}
}

function sentence(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
