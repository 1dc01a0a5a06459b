// A snapshot is a commit that nobody checks out, under a ref of our own, so that no garbage collection takes it:
//
//   tree/           the files, tracked and untracked, as raw bytes, with modes and links
//   index           git's index without file dates: conflicts and what was only meant to be added survive
//   staged/         the blobs that only the index knows, so that they stay
//   operation/      a merge, rebase, cherry-pick, revert or bisect in progress
//   manifest.json   HEAD, the circumstances, and what could not be held
//
// Its parents are HEAD's commit and those that the operation needs. It is written durably and read back before it counts.
import { type FileName, SnapshotManifest } from "#contract/snapshot.ts";
import { exclusively } from "./exclusive.ts";
import { type Gathered, gather } from "./gather.ts";
import { type Git, GitFailed } from "./git.ts";
import { timelessIndex } from "./index-file.ts";
import { type ByteName, told } from "./names.ts";
import { commitsOf, type Operation, readOperation } from "./operation.ts";
import { kept, readManifest, refsOf, type Snapshot } from "./snapshots.ts";
import { type Head, openTree, readHead, type Tree } from "./tree.ts";
import { blobId, type Part, writeCommit } from "./write-commit.ts";

export interface SnapshotRequest {
	folder: string;
	/** the id of the agent whose snapshot it is */
	agent: string;
	reason: string;
	turn: number | null;
	/** milliseconds since 1970 */
	at: number;
	/** larger files are named and not held */
	fileBytesMax?: number;
	/** commits that it keeps alive besides HEAD's */
	keep?: readonly string[];
}

const fileBytesMaxDefault = 100 * 1024 * 1024;
const ignoredNamesMax = 1000;

/** The last one again if nothing has changed since. */
export async function takeSnapshot(git: Git, request: SnapshotRequest): Promise<Snapshot> {
	const tree = await openTree(request.folder);
	return await exclusively(`${tree.commonFolder}\0${request.agent}`, async () => {
		const [head, operation, gathered] = await Promise.all([
			readHead(git, tree),
			readOperation(tree),
			gather(git, tree, request.fileBytesMax ?? fileBytesMaxDefault),
		]);
		const manifest = manifestOf(request, head, gathered);
		const parents = await existing(git, tree, [...(head.commit === null ? [] : [head.commit]), ...commitsOf(operation), ...(request.keep ?? [])], "commit");
		const staged = await stagedOnly(git, tree, gathered);
		const merged = await existing(git, tree, operation.get("AUTO_MERGE")?.toString().trim().split("\n") ?? [], "tree");
		const parts = partsOf(tree, gathered, operation, { blobs: staged, trees: merged });
		const last = (await kept(git, request.folder, request.agent)).at(-1);
		if (last !== undefined && (await saysTheSame(git, tree, last.commit, { manifest, parts, parents }))) {
			return { ref: last.ref, commit: last.commit, tree: gathered.id, manifest: await readManifest(git, request.folder, last.commit) };
		}
		const ref = `${refsOf(request.agent)}/${(last?.sequence ?? 0) + 1}`;
		const message = `Snapshot: ${request.reason}\n`;
		const commit = await writeCommit(git, request.folder, { ref, parents, message, at: request.at, parts: [...parts, manifestPart(manifest)] });
		const written = await readManifest(git, request.folder, ref);
		if (written.tree !== gathered.id || written.at !== manifest.at)
			throw new GitFailed(["fast-import"], null, `the snapshot ${ref} does not read as it was written`);
		return { ref, commit, tree: gathered.id, manifest };
	});
}

function manifestOf(request: SnapshotRequest, head: Head, { survey, held, ...gathered }: Gathered): SnapshotManifest {
	const names = (list: readonly ByteName[]): FileName[] => list.map(told);
	return {
		version: 1,
		at: request.at,
		reason: request.reason,
		turn: request.turn,
		head,
		tree: gathered.id,
		files: held?.entries.length ?? 0,
		bytes: held?.entries.reduce((sum, { at }) => sum + held.bytes.readUInt32BE(at + 36), 0) ?? 0,
		emptyDirectories: names(survey.emptyDirectories),
		missing: {
			nestedRepositories: names(survey.nestedRepositories),
			submodules: survey.submodules.map((submodule) => ({ ...submodule, path: told(submodule.path) })),
			tooLarge: names(gathered.tooLarge),
			special: names(survey.special),
			unreadable: names(gathered.unreadable),
			names: names(gathered.names),
			ignored: names(survey.ignored.slice(0, ignoredNamesMax)),
			ignoredCount: survey.ignored.length,
		},
		unsteady: gathered.unsteady,
	};
}

/** Blobs of the index that the tree of files does not hold: staged and changed again, in conflict, deleted, or filtered. */
async function stagedOnly(git: Git, tree: Tree, { index, held }: Gathered): Promise<string[]> {
	const inTree = new Set(held?.entries.map((entry) => entry.id.toString("hex")));
	const ids = new Set(
		(index?.entries ?? [])
			.filter(({ mode, intentToAdd }) => (mode & 0o170000) !== 0o160000 && mode !== 0o40000 && !intentToAdd)
			.map((entry) => entry.id.toString("hex")),
	);
	return await existing(
		git,
		tree,
		[...ids].filter((id) => !inTree.has(id)),
		"blob",
	);
}

async function existing(git: Git, { folder }: Tree, ids: readonly string[], type: "commit" | "blob" | "tree"): Promise<string[]> {
	const unique = [...new Set(ids)];
	if (unique.length === 0) return [];
	const { text } = await git(folder, ["cat-file", "--batch-check"], { input: unique.map((id) => `${id}\n`).join("") });
	return text.split("\n").flatMap((line) => (line.split(" ")[1] === type ? [line.split(" ")[0] ?? ""] : []));
}

function partsOf(tree: Tree, { id, index }: Gathered, operation: Operation, staged: { blobs: readonly string[]; trees: readonly string[] }): Part[] {
	return [
		{ path: "tree", mode: "040000", id },
		...(index === null ? [] : [{ path: "index", bytes: timelessIndex(index.bytes, index, tree.hashLength) }]),
		...staged.blobs.map((blob) => ({ path: `staged/${blob}`, mode: "100644" as const, id: blob })),
		...staged.trees.map((merged) => ({ path: "merged", mode: "040000" as const, id: merged })),
		...[...operation].map(([name, bytes]) => ({ path: `operation/${name}`, bytes })),
	];
}

const manifestPart = (manifest: SnapshotManifest): Part => ({ path: "manifest.json", bytes: Buffer.from(`${JSON.stringify(manifest, null, "\t")}\n`) });

interface Content {
	manifest: SnapshotManifest;
	parts: readonly Part[];
	parents: readonly string[];
}

async function saysTheSame(git: Git, tree: Tree, commit: string, { manifest, parts, parents }: Content): Promise<boolean> {
	const [before, listed, about] = await Promise.all([
		readManifest(git, tree.folder, commit),
		git(tree.folder, ["ls-tree", "-r", "--full-tree", "-z", commit, "index", "staged", "operation"]),
		git(tree.folder, ["rev-parse", `${commit}^@`]),
	]);
	const circumstances = { at: 0, reason: "", turn: null };
	const there = listed.bytes
		.toString()
		.split("\0")
		.filter((line) => line !== "");
	const here = parts
		.filter(({ path }) => path !== "tree" && path !== "merged")
		.map((part) => `100644 blob ${"bytes" in part ? blobId(part.bytes, tree.hashLength) : part.id}\t${part.path}`);
	return (
		!before.unsteady &&
		JSON.stringify({ ...before, ...circumstances }) === JSON.stringify({ ...SnapshotManifest.parse(manifest), ...circumstances }) &&
		[...there].sort().join("\0") === here.sort().join("\0") &&
		about.text === parents.join("\n")
	);
}
