// Removes a home, and what it keeps in the projects' repositories: `brood uninstall --all` runs it when the daemon has
// stopped. Branches stay: they are the user's. So do other files in the home, a playground that somebody has used, and
// the refs of another home's agents in the same repository. The projects' paths and the agents' ids arrive on standard
// input, and what was removed is printed, both as JSON. With `--look` it only says how many uncommitted files each
// workspace has.
import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import path from "node:path";
import { makeGit } from "#adapters/git/run/git.ts";
import { worktreesOf } from "#adapters/git/run/worktrees.ts";
import { dropRefs, forgetWorktree } from "#adapters/git/snapshot/destroy.ts";
import { lockHome } from "#adapters/system/home-lock.ts";
import { isOfHome } from "#adapters/system/home-names.ts";
import { messageOf } from "#contract/message-of.ts";
import { playground } from "#local/playground-repository.ts";

interface RemovedFromProject {
	path: string;
	refs: number;
	worktrees: number;
	/** refs of another home */
	othersRefs: number;
	/** why nothing could be removed there */
	problem: string | null;
}

interface WorkspaceFolder {
	/** its name */
	agent: string;
	folder: string;
}

const home = realpathSync(process.argv[2] ?? "");
const { projects, agents, workspaces }: { projects: string[]; agents: string[]; workspaces: WorkspaceFolder[] } =
	JSON.parse(readFileSync(0, "utf8"));
const ours = new Set(agents);
const git = makeGit({ environment: process.env });
const ofAgent =
	/^refs\/brood\/(?:borrows|clones|left|merges|moved|snapshots|work)\/([A-Za-z0-9][A-Za-z0-9_-]{21})(?:\/|$)/;
/** Also where the home, or a folder above it, is a link: the daemon has the paths as they were given. */
const isInHome = (folder: string): boolean =>
	(existsSync(folder) ? realpathSync(folder) : folder).startsWith(`${home}${path.sep}`);

process.stdout.write(JSON.stringify(process.argv[3] === "--look" ? await uncommitted() : await remove()));

/** Of the workspaces that go with the home; a person's own checkout stays. */
async function uncommitted(): Promise<{ agent: string; files: number | null }[]> {
	const found: { agent: string; files: number | null }[] = [];
	for (const { agent, folder } of workspaces.filter((each) => isInHome(each.folder) && existsSync(each.folder))) {
		const files = await uncommittedIn(folder);
		if (files !== 0) found.push({ agent, files });
	}
	return found;
}

/** Null if git cannot read the tree: a sandboxed agent's, which is read only in its sandbox, or a damaged one. */
async function uncommittedIn(folder: string): Promise<number | null> {
	try {
		const { text } = await git(folder, ["status", "--porcelain", "--untracked-files=all"]);
		return text.split("\n").filter((line) => line !== "").length;
	} catch {
		return null;
	}
}

async function remove(): Promise<{ remaining: string[]; projects: RemovedFromProject[] }> {
	// never while a daemon uses it
	using _lock = await lockHome(home);
	const found = await Promise.all(projects.filter((folder) => !isInHome(folder)).map(look));
	const isUnused = await isPlaygroundUnused();
	for (const name of readdirSync(home).filter((each) => isOfHome(each) || (each === playground && isUnused)))
		rmSync(path.join(home, name), { recursive: true, force: true });
	const remaining = readdirSync(home).sort();
	if (remaining.length === 0) rmdirSync(home);
	const removed: RemovedFromProject[] = [];
	for (const each of found) removed.push(await clean(each));
	return { remaining, projects: removed };
}

/** The playground is Brood's as long as nobody has put anything into it: it has its first commit and nothing else. */
async function isPlaygroundUnused(): Promise<boolean> {
	const folder = path.join(home, playground);
	if (!existsSync(path.join(folder, ".git"))) return false;
	const kept = ["--branches", "--tags", "--remotes", "--glob=refs/stash", "--glob=refs/brood/work"];
	try {
		const [commits, files] = [
			await git(folder, ["rev-list", "--count", ...kept]),
			await git(folder, ["status", "--porcelain", "--untracked-files=all", "--ignored"]),
		];
		return commits.text.trim() === "1" && files.text === "";
	} catch {
		return false;
	}
}

interface BroodRefs {
	path: string;
	refs: { ref: string; id: string }[];
	worktrees: { path: string; locked: boolean }[];
	othersRefs: number;
	problem: string | null;
}

async function look(folder: string): Promise<BroodRefs> {
	try {
		const listed = await git(folder, ["for-each-ref", "--format=%(refname) %(objectname)", "refs/brood"]);
		const lines = listed.text === "" ? [] : listed.text.split("\n").map((line) => line.split(" "));
		const all = lines.map(([ref = "", id = ""]) => ({ ref, id }));
		const others = all.filter(({ ref }) => isOfAnother(ref));
		// what belongs to no agent, but to the project, serves the other home as well
		const refs = others.length === 0 ? all : all.filter(({ ref }) => ours.has(ownerOf(ref) ?? ""));
		const worktrees = (await worktreesOf(git, folder)).filter((each) => isInHome(each.path));
		return {
			path: folder,
			refs,
			worktrees: worktrees.map((each) => ({ path: each.path, locked: each.locked !== null })),
			othersRefs: others.length,
			problem: null,
		};
	} catch (error) {
		return { path: folder, refs: [], worktrees: [], othersRefs: 0, problem: messageOf(error) };
	}
}

/** The agent that a ref is named after; undefined for refs of the project. */
function ownerOf(ref: string): string | undefined {
	const [, owner] = ofAgent.exec(ref) ?? [];
	return owner;
}

function isOfAnother(ref: string): boolean {
	const owner = ownerOf(ref);
	return owner !== undefined && !ours.has(owner);
}

async function clean({ path: folder, refs, worktrees, othersRefs, problem }: BroodRefs): Promise<RemovedFromProject> {
	if (problem !== null) return { path: folder, refs: 0, worktrees: 0, othersRefs, problem };
	try {
		for (const each of worktrees) await forgetWorktree(git, folder, each.path, { locked: each.locked });
		await keepWork(folder, refs);
		if (refs.length > 0) await dropRefs(git, folder, refs);
		return { path: folder, refs: refs.length, worktrees: worktrees.length, othersRefs, problem: null };
	} catch (error) {
		return { path: folder, refs: 0, worktrees: 0, othersRefs, problem: messageOf(error) };
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
			(await git(folder, ["rev-parse", "-q", "--verify", `refs/heads/${branch}`], { answers: [1] })).exit === 0;
		const kept = taken ? `${branch}-${id.slice(0, 8)}` : branch;
		// only where no branch is yet
		await git(folder, ["update-ref", `refs/heads/${kept}`, id, ""]);
	}
}
