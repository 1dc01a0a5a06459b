// What differs. Untracked files are part of an agent's work, so they are shown too: a copy of the index learns of them, the
// real one never does.
import type { Refusal } from "#contract/refusal.ts";
import type { Diff } from "#contract/workspace.ts";
import type { Against, Stay } from "#engine/workspaces.ts";
import { listOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { drawDiff } from "../tree/draw-diff.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import { baseCommit, type Ground } from "../workspace/ground.ts";
import { lookAt } from "../workspace/look.ts";
import { treeGone } from "./standing.ts";

export async function diffOf(ground: Ground, stay: Stay, against: Against): Promise<Diff | Refusal> {
	const gone = (await treeGone(stay)) ?? (against.kind === "agent" ? await treeGone(against.stay) : null);
	if (gone !== null) return gone;
	const { path: folder } = stay.workspace;
	if (against.kind === "index") return await withIndex(ground, folder, "name", async (index) => await drawDiff(ground.git, folder, [], index, "index"));
	if (against.kind === "base") {
		const from = await forkOff(ground, stay);
		return await withIndex(ground, folder, "name", async (index) => await drawDiff(ground.git, folder, [from], index, from));
	}
	const other = await treeOf(ground, against.stay.workspace.path);
	return await withIndex(ground, folder, "name", async (index) => {
		// two clones have two stores; reading from both copies nothing
		const environment = { ...index, GIT_ALTERNATE_OBJECT_DIRECTORIES: other.objects };
		return await drawDiff(ground.git, folder, [other.tree], environment, `${against.stay.project.slug}/${against.stay.agent.handle}`);
	});
}

/** Against a tree that the project has as an object. */
export async function diffAgainstTree(ground: Ground, stay: Stay, other: Stay, tree: string): Promise<Diff | Refusal> {
	const gone = await treeGone(stay);
	if (gone !== null) return gone;
	const { path: folder } = stay.workspace;
	const { text: objects } = await ground.git(stay.project.path, ["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
	return await withIndex(ground, folder, "name", async (index) => {
		const environment = { ...index, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
		return await drawDiff(ground.git, folder, [tree], environment, `${other.project.slug}/${other.agent.handle}`);
	});
}

/** The commit at which the branch left base; without one, the empty tree. */
async function forkOff(ground: Ground, stay: Stay): Promise<string> {
	return await forkPoint(ground.git, stay.workspace.path, await baseCommit(ground, stay), "HEAD");
}

export async function forkPoint(git: Git, folder: string, base: string | null, head: string): Promise<string> {
	const found = base === null ? null : await git(folder, ["merge-base", base, head], { answers: [1, 128] });
	return found?.code === 0 ? found.text : (await git(folder, ["hash-object", "-t", "tree", "--stdin"])).text;
}

/** The whole tree of another workspace as an object; the file contents become objects of that repository that nothing refers to. */
export async function treeOf(ground: Ground, folder: string): Promise<{ tree: string; objects: string }> {
	const tree = await withIndex(ground, folder, "content", async (index) => (await ground.git(folder, ["write-tree"], { environment: index })).text);
	const { text: objects } = await ground.git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
	return { tree, objects };
}

/** An index of our own that knows untracked files, by name or with their content. */
export async function withIndex<T>(
	ground: Ground,
	folder: string,
	depth: "name" | "content",
	work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
	return await withFreshIndex(ground.git, folder, async (environment) => {
		const tree = await lookAt(ground.git, folder, { everyFile: true, environment });
		const files = tree.changes.filter((change) => !change.raw.endsWith("/"));
		const named = depth === "name" ? files.filter((change) => change.status === "??") : files;
		const names = listOf(named.flatMap((change) => (change.from === null ? [change.raw] : [change.from, change.raw])));
		const how = depth === "name" ? "--intent-to-add" : "-A";
		if (named.length > 0)
			await ground.git(folder, ["--literal-pathspecs", "add", how, "--pathspec-from-file=-", "--pathspec-file-nul"], { environment, input: names });
		return await work(environment);
	});
}
