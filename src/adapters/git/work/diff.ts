// What differs. Untracked files are part of an agent's work, so they are shown too: a copy of the index learns of them, the
// real one never does.
import type { Refusal } from "#contract/refusal.ts";
import type { ChangedFile, Diff } from "#contract/workspace.ts";
import type { Against, Stay } from "#engine/workspaces.ts";
import type { Git } from "../git.ts";
import { listOf } from "../names.ts";
import { baseCommit, type Ground } from "../place/ground.ts";
import { lookAt, shown } from "../place/look.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import { treeGone } from "./standing.ts";

const patchMax = 1024 * 1024;
const filesMax = 5000;
/** changed lines beyond which no further files are put into the patch */
const linesMax = 20_000;

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

const shape = ["--no-color", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--no-relative"];

export async function drawDiff(git: Git, folder: string, from: readonly string[], environment: Record<string, string>, against: string): Promise<Diff> {
	const { bytes } = await git(folder, ["diff", ...shape, "--numstat", "-z", ...from, "--"], { environment });
	const all = filesOf(bytes);
	const listed = all.slice(0, filesMax);
	const drawn = listed.slice(0, fitting(listed));
	const text = await patchOf(git, folder, from, environment, drawn.length === all.length ? null : drawn);
	const patch = text.length <= patchMax ? text : text.slice(0, text.lastIndexOf("\n", patchMax) + 1);
	return { against, files: listed.map(({ raw: _, ...file }) => file), patch, truncated: drawn.length < all.length || patch.length < text.length };
}

async function patchOf(
	git: Git,
	folder: string,
	from: readonly string[],
	environment: Record<string, string>,
	only: readonly { raw: readonly string[] }[] | null,
): Promise<string> {
	if (only?.length === 0) return "";
	const names = only?.flatMap(({ raw }) => raw.map((name) => Buffer.from(name, "latin1").toString())) ?? [];
	return (await git(folder, ["--literal-pathspecs", "diff", ...shape, "--patch", ...from, "--", ...names], { environment })).bytes.toString();
}

function fitting(files: readonly ChangedFile[]): number {
	let lines = 0;
	const at = files.findIndex((file) => {
		lines += (file.added ?? 0) + (file.deleted ?? 0);
		return lines > linesMax;
	});
	// at least one, however long it is: its beginning says more than nothing
	return at < 0 ? files.length : Math.max(1, at);
}

function filesOf(bytes: Buffer): (ChangedFile & { raw: readonly string[] })[] {
	const records = bytes.toString("latin1").split("\0");
	const files: (ChangedFile & { raw: readonly string[] })[] = [];
	for (let at = 0; at < records.length; at++) {
		const [added, deleted, ...words] = (records[at] ?? "").split("\t");
		if (added === undefined || deleted === undefined || words.length === 0) continue;
		const name = words.join("\t");
		const raw = name === "" ? [records[++at] ?? "", records[++at] ?? ""] : [name];
		const lines = (text: string): number | null => (text === "-" ? null : Number(text));
		files.push({ path: shown(raw.at(-1) ?? ""), from: raw.length === 2 ? shown(raw[0] ?? "") : null, added: lines(added), deleted: lines(deleted), raw });
	}
	return files;
}
