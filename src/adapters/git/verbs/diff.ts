// Diffs. Untracked files are part of an agent's work, so they are shown too: they are added to a copy of the index,
// never to the real one.
import { lstatSync } from "node:fs";
import type { Refusal } from "#contract/refusal.ts";
import type { Diff, OmittedFile } from "#contract/workspace.ts";
import type { Checkout, DiffExtent, DiffTarget } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { snapshotFileBytesMax } from "../snapshot/snapshot.ts";
import { withFreshIndex } from "../tree/fresh-index.ts";
import { renderDiff } from "../tree/render-diff.ts";
import { baseCommit, type GitContext } from "../workspace/git-context.ts";
import { addChanges, readStatus, type StatusEntry } from "../workspace/tree-status.ts";
import { noTree } from "./branch-status.ts";

export async function diffOf(context: GitContext, checkout: Checkout, against: DiffTarget): Promise<Diff | Refusal> {
	const gone = (await noTree(checkout)) ?? (against.kind === "agent" ? await noTree(against.checkout) : null);
	if (gone !== null) return gone;
	const { path: folder } = checkout.workspace;
	const { git } = context;
	if (against.kind === "agent") {
		const theirs = await writeTree(context, against.checkout.workspace.path);
		return await againstTree(context, checkout, against.checkout, theirs, against.what);
	}
	// read first: what is committed meanwhile may be shown, and is then not part of what is approved
	const commit = await commitOf(git, folder, "HEAD");
	const from =
		against.kind === "index" ? null : await mergeBase(git, folder, await baseCommit(context, checkout), "HEAD");
	return await withIndex(git, folder, "name", async (index) => ({
		...(await renderDiff({ git, folder, ...index }, from === null ? [] : [from], from ?? "index", against.what)),
		commit,
	}));
}

/** Against a tree that the project has as an object. */
export async function diffAgainstTree(
	context: GitContext,
	checkout: Checkout,
	other: Checkout,
	theirs: Omit<Whole, "objects">,
	what?: DiffExtent,
): Promise<Diff | Refusal> {
	const gone = await noTree(checkout);
	if (gone !== null) return gone;
	const objects = await objectsOf(context.git, checkout.project.path);
	return await againstTree(context, checkout, other, { ...theirs, objects }, what);
}

async function againstTree(
	{ git }: GitContext,
	{ workspace: { path: folder } }: Checkout,
	other: Checkout,
	theirs: Whole,
	what?: DiffExtent,
): Promise<Diff> {
	return await withIndex(git, folder, "name", async (index) => {
		// two clones have two object stores; git reads both, and nothing is copied
		const environment = { ...index.environment, GIT_ALTERNATE_OBJECT_DIRECTORIES: theirs.objects };
		const omitted = [...index.omitted, ...theirOwn(other, theirs.omitted)];
		return await renderDiff({ git, folder, environment, omitted }, [theirs.tree], checkoutName(other), what);
	});
}

/** The files that another agent's tree object lacks. */
export const theirOwn = (other: Checkout, omitted: readonly OmittedFile[]): OmittedFile[] =>
	omitted.map(({ path, reason }) => ({ path, reason: `in ${checkoutName(other)}: ${reason}` }));

/** The commit at which the branch left base; without one, the empty tree. */
export async function mergeBase(git: Git, folder: string, base: string | null, head: string): Promise<string> {
	const found = base === null ? null : await git(folder, ["merge-base", base, head], { answers: [1, 128] });
	return found?.exit === 0 ? found.text : (await git(folder, ["hash-object", "-t", "tree", "--stdin"])).text;
}

interface Whole {
	tree: string;
	/** the folder of its objects */
	objects: string;
	/** files that are not in the tree */
	omitted: readonly OmittedFile[];
}

/** Writes all files of a workspace as a tree object, which nothing refers to. */
export async function writeTree({ git }: GitContext, folder: string): Promise<Whole> {
	const written = await withIndex(git, folder, "content", async ({ environment, omitted }) => {
		return { tree: (await git(folder, ["write-tree"], { environment })).text, omitted };
	});
	return { ...written, objects: await objectsOf(git, folder) };
}

const objectsOf = async (git: Git, folder: string): Promise<string> =>
	(await git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])).text;

/** Runs `work` with a copy of the index that has untracked files too, by name or with content, except in `omitted`. */
async function withIndex<T>(
	git: Git,
	folder: string,
	depth: "name" | "content",
	work: (index: { environment: Record<string, string>; omitted: OmittedFile[] }) => Promise<T>,
): Promise<T> {
	return await withFreshIndex(git, folder, async (environment) => {
		const { changes } = await readStatus(git, folder, { everyFile: true, environment });
		const omitted = omittedIn(folder, changes);
		const files = changes.filter((change) => !omitted.has(change) && !change.raw.endsWith("/"));
		const named = depth === "name" ? files.filter((change) => change.status === "??") : files;
		const option = depth === "name" ? "--intent-to-add" : "-A";
		await addChanges(git, folder, option, named, environment);
		return await work({ environment, omitted: [...omitted].map(([{ path }, reason]) => ({ path, reason })) });
	});
}

/** Only untracked files are left out. Tracked files are always shown. */
function omittedIn(folder: string, changes: readonly StatusEntry[]): Map<StatusEntry, string> {
	const tracked = new Set(changes.filter((change) => change.status !== "??").map((change) => change.raw));
	const omitted = new Map<StatusEntry, string>();
	for (const change of changes) {
		if (change.status !== "??" || tracked.has(change.raw)) continue;
		const reason = change.omitReason ?? tooLargeReason(folder, change.raw);
		if (reason !== null) omitted.set(change, reason);
	}
	return omitted;
}

function tooLargeReason(folder: string, raw: string): string | null {
	const stat = lstatSync(pathOf(folder, raw), { throwIfNoEntry: false });
	return stat?.isFile() === true && stat.size > snapshotFileBytesMax
		? `untracked, ${stat.size} bytes: too large to show`
		: null;
}
