// What differs. Untracked files are part of an agent's work, so they are shown too: a copy of the index learns of them,
// the real one never does.
import { lstatSync } from "node:fs";
import type { Refusal } from "#contract/refusal.ts";
import type { Diff, LeftOut } from "#contract/workspace.ts";
import type { Checkout, DiffTarget } from "#engine/ports/workspace-requests.ts";
import { listOf, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { fileBytesMaxDefault } from "../snapshot/snapshot.ts";
import { drawDiff } from "../tree/draw-diff.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import { baseCommit, type GitContext } from "../workspace/git-context.ts";
import { type Change, readStatus } from "../workspace/tree-status.ts";
import { treeGone } from "./branch-status.ts";

export async function diffOf(context: GitContext, checkout: Checkout, against: DiffTarget): Promise<Diff | Refusal> {
	const gone = (await treeGone(checkout)) ?? (against.kind === "agent" ? await treeGone(against.checkout) : null);
	if (gone !== null) return gone;
	const { path: folder } = checkout.workspace;
	const { git } = context;
	if (against.kind === "agent")
		return await againstTree(
			context,
			checkout,
			against.checkout,
			await treeOf(context, against.checkout.workspace.path),
		);
	const from = against.kind === "index" ? null : await forkOff(context, checkout);
	return await withIndex(
		context,
		folder,
		"name",
		async (look) => await drawDiff({ git, folder, ...look }, from === null ? [] : [from], from ?? "index"),
	);
}

/** Against a tree that the project has as an object. */
export async function diffAgainstTree(
	context: GitContext,
	checkout: Checkout,
	other: Checkout,
	theirs: Omit<Whole, "objects">,
): Promise<Diff | Refusal> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	const { text: objects } = await context.git(checkout.project.path, [
		"rev-parse",
		"--path-format=absolute",
		"--git-path",
		"objects",
	]);
	return await againstTree(context, checkout, other, { ...theirs, objects });
}

async function againstTree(
	context: GitContext,
	{ workspace: { path: folder } }: Checkout,
	other: Checkout,
	theirs: Whole,
): Promise<Diff> {
	return await withIndex(context, folder, "name", async ({ environment: index, left }) => {
		// two clones have two stores; reading from both copies nothing
		const environment = { ...index, GIT_ALTERNATE_OBJECT_DIRECTORIES: theirs.objects };
		return await drawDiff(
			{ git: context.git, folder, environment, left: [...left, ...theirOwn(other, theirs.left)] },
			[theirs.tree],
			checkoutName(other),
		);
	});
}

export const checkoutName = ({ project, agent }: Checkout): string => `${project.slug}/${agent.handle}`;

/** What another one's tree lacks. */
export const theirOwn = (other: Checkout, left: readonly LeftOut[]): LeftOut[] =>
	left.map(({ path, reason }) => ({ path, reason: `in ${checkoutName(other)}: ${reason}` }));

/** The commit at which the branch left base; without one, the empty tree. */
async function forkOff(context: GitContext, checkout: Checkout): Promise<string> {
	return await forkPoint(context.git, checkout.workspace.path, await baseCommit(context, checkout), "HEAD");
}

export async function forkPoint(git: Git, folder: string, base: string | null, head: string): Promise<string> {
	const found = base === null ? null : await git(folder, ["merge-base", base, head], { answers: [1, 128] });
	return found?.code === 0 ? found.text : (await git(folder, ["hash-object", "-t", "tree", "--stdin"])).text;
}

/** All files of a workspace as an object, but for what is left out. */
interface Whole {
	tree: string;
	objects: string;
	left: readonly LeftOut[];
}

/**
 * The whole tree of another workspace as an object; the file contents become objects of that repository that nothing
 * refers to.
 */
export async function treeOf(context: GitContext, folder: string): Promise<Whole> {
	const made = await withIndex(context, folder, "content", async ({ environment, left }) => {
		return { tree: (await context.git(folder, ["write-tree"], { environment })).text, left };
	});
	const { text: objects } = await context.git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "objects"]);
	return { ...made, objects };
}

/**
 * An index of our own that knows untracked files, by name or with their content; but for those that nobody could read
 * in time, or at all.
 */
async function withIndex<T>(
	context: GitContext,
	folder: string,
	depth: "name" | "content",
	work: (look: { environment: Record<string, string>; left: LeftOut[] }) => Promise<T>,
): Promise<T> {
	return await withFreshIndex(context.git, folder, async (environment) => {
		const { changes } = await readStatus(context.git, folder, { everyFile: true, environment });
		const left = leftOut(folder, changes);
		const files = changes.filter((change) => !left.has(change) && !change.raw.endsWith("/"));
		const named = depth === "name" ? files.filter((change) => change.status === "??") : files;
		const names = listOf(named.flatMap((change) => (change.from === null ? [change.raw] : [change.from, change.raw])));
		const how = depth === "name" ? "--intent-to-add" : "-A";
		if (named.length > 0)
			await context.git(folder, ["--literal-pathspecs", "add", how, "--pathspec-from-file=-", "--pathspec-file-nul"], {
				environment,
				input: names,
			});
		return await work({ environment, left: [...left].map(([{ path }, reason]) => ({ path, reason })) });
	});
}

/** Of untracked files only, and of none that git has another word for: what is tracked is always shown. */
function leftOut(folder: string, changes: readonly Change[]): Map<Change, string> {
	const tracked = new Set(changes.filter((change) => change.status !== "??").map((change) => change.raw));
	const left = new Map<Change, string>();
	for (const change of changes) {
		if (change.status !== "??" || tracked.has(change.raw)) continue;
		const reason = change.left ?? tooLargeReason(folder, change.raw);
		if (reason !== null) left.set(change, reason);
	}
	return left;
}

function tooLargeReason(folder: string, raw: string): string | null {
	const stat = lstatSync(pathOf(folder, raw), { throwIfNoEntry: false });
	return stat?.isFile() === true && stat.size > fileBytesMaxDefault
		? `untracked, ${stat.size} bytes: too large to show`
		: null;
}
