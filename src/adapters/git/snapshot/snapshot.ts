// A snapshot is a commit under a ref of ours, which protects it from garbage collection:
//
//   tree/           the files, tracked and untracked, as raw bytes, with modes and links
//   index           git's index without stat data; it keeps conflicts and intent-to-add entries
//   staged/         blobs that only the index refers to, to keep them; merged/ likewise for the tree of a merge
//   operation/      a merge, rebase, cherry-pick, revert or bisect in progress
//   manifest.json   HEAD, reason and turn, and the files that could not be held
//
// Its parents are HEAD's commit and those that the operation needs. It is written durably, then read back.
import { createHash } from "node:crypto";
import type { FileName, SnapshotManifest } from "#contract/snapshot.ts";
import { gitlink, withoutStatData } from "../format/index-file.ts";
import { type ByteName, brief, displayName, toFileName } from "../format/names.ts";
import { serialized } from "../run/exclusive.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { commitsOf, type GitOperation, readOperation } from "../tree/operation.ts";
import { type Head, openTree, readHead, type Tree } from "../tree/tree.ts";
import { type Gathered, gather } from "./gather.ts";
import {
	manifestOf,
	newestOf,
	readManifest,
	refsOf,
	rememberManifest,
	rememberNewest,
	type SnapshotRef,
	type StoredSnapshot,
} from "./snapshots.ts";
import { type CommitFile, writeCommit } from "./write-commit.ts";

export interface SnapshotRequest {
	folder: string;
	/** the id of the agent whose snapshot it is */
	agent: string;
	reason: string;
	turn: number | null;
	/** milliseconds since 1970 */
	at: number;
	/** larger files are listed, not held */
	fileBytesMax?: number;
	/** more commits to keep, besides HEAD's */
	keep?: readonly string[];
	/** the snapshot before, where another repository keeps them; that one fetches the new snapshot from `takenRef` */
	last?: SnapshotRef | null;
}

export const takenRef = "refs/brood/taken";

/** larger files are in no snapshot, tracked or not; a diff leaves them out only if they are untracked */
export const snapshotFileBytesMax = 100 * 1024 * 1024;
const ignoredNamesMax = 1000;
const tooLongMax = 1000;

/** Returns the last snapshot again if nothing has changed since. */
export async function takeSnapshot(git: Git, request: SnapshotRequest): Promise<StoredSnapshot> {
	return (await takeSnapshotDetailed(git, request)).snapshot;
}

/** The snapshot, whether it is new, and what was read of the tree. */
export async function takeSnapshotDetailed(
	git: Git,
	request: SnapshotRequest,
): Promise<{ snapshot: StoredSnapshot; fresh: boolean; gathered: Gathered }> {
	const tree = await openTree(request.folder);
	return await serialized(`${tree.commonFolder}\0${request.agent}`, async () => {
		const [head, operation, gathered] = await Promise.all([
			readHead(git, tree),
			readOperation(tree),
			gather(git, tree, request.fileBytesMax ?? snapshotFileBytesMax),
		]);
		const manifest = describe(request, head, gathered);
		const wanted = [...(head.commit === null ? [] : [head.commit]), ...commitsOf(operation), ...(request.keep ?? [])];
		const merged = operation.get("AUTO_MERGE")?.toString().trim();
		const names = [...new Set([...wanted, ...(merged === undefined ? [] : [merged]), ...stagedOnly(gathered)])];
		const { snapshot: last, objects } = await newestOf(git, tree, request.agent, names, request.last);
		const types = new Map(names.map((name, at): [string, string] => [name, objects[at]?.type ?? ""]));
		const parents = [...new Set(wanted)].filter((id) => types.get(id) === "commit");
		const parts = partsOf(tree, gathered, operation, types);
		const digest = digestOf(manifest, parts, parents);
		if (last?.digest === digest && !manifest.unsteady) {
			const { ref, commit } = last;
			const kept = await manifestOf(git, request.folder, commit);
			return { gathered, fresh: false, snapshot: { ref, commit, tree: gathered.id, manifest: kept } };
		}
		const sequence = (last?.sequence ?? 0) + 1;
		const ref = request.last === undefined ? `${refsOf(request.agent)}/${sequence}` : takenRef;
		const message = `Snapshot: ${request.reason}\n\nContent: ${digest}\n`;
		const commit = await writeCommit(git, request.folder, {
			...{ ref, parents, message, at: request.at, replace: ref === takenRef },
			parts: [...parts, manifestPart(manifest)],
		});
		const written = await readManifest(git, request.folder, commit);
		if (written.tree !== gathered.id || written.at !== manifest.at)
			throw new GitFailed(["fast-import"], null, `the snapshot ${ref} does not read as it was written`);
		rememberManifest(commit, written);
		if (request.last === undefined)
			rememberNewest(tree, { ref, commit, agent: request.agent, sequence, at: request.at, digest });
		return { gathered, fresh: true, snapshot: { ref, commit, tree: gathered.id, manifest } };
	});
}

function describe(request: SnapshotRequest, head: Head, { survey, held, ...gathered }: Gathered): SnapshotManifest {
	const names = (list: readonly ByteName[]): FileName[] => list.map(toFileName);
	const tooLong = [...new Set([...survey.tooLong, ...gathered.tooLong].map((name) => brief(displayName(name))))].slice(
		0,
		tooLongMax,
	);
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
			submodules: survey.submodules.map((submodule) => ({ ...submodule, path: toFileName(submodule.path) })),
			tooLarge: names(gathered.tooLarge),
			special: names(survey.special),
			unreadable: names([...survey.closed, ...gathered.unreadable]),
			...(tooLong.length > 0 && { tooLong }),
			names: names(gathered.names),
			ignored: names(survey.ignored.slice(0, ignoredNamesMax)),
			ignoredCount: survey.ignored.length,
		},
		unsteady: gathered.changedMeanwhile,
	};
}

/**
 * Blobs of the index that are not in the tree of files: staged and changed again, in conflict, deleted, or filtered;
 * and the empty one of files that are only intended to be added, without which git cannot read the index elsewhere.
 */
function stagedOnly({ index, held }: Gathered): string[] {
	const inTree = new Set(held?.entries.map((entry) => entry.id.toString("hex")));
	const blobs = (index?.entries ?? []).filter(({ mode }) => mode !== gitlink && mode !== 0o40000);
	return [...new Set(blobs.map((entry) => entry.id.toString("hex")))].filter((id) => !inTree.has(id));
}

function partsOf(
	tree: Tree,
	{ id, index }: Gathered,
	operation: GitOperation,
	types: ReadonlyMap<string, string>,
): CommitFile[] {
	const found = (type: string): string[] => [...types].filter((entry) => entry[1] === type).map(([name]) => name);
	return [
		{ path: "tree", mode: "040000", id },
		...(index === null ? [] : [{ path: "index", bytes: withoutStatData(index.bytes, index, tree.hashLength) }]),
		...found("blob").map((blob) => ({ path: `staged/${blob}`, mode: "100644" as const, id: blob })),
		...found("tree").map((merged) => ({ path: `merged/${merged}`, mode: "040000" as const, id: merged })),
		...[...operation].map(([name, bytes]) => ({ path: `operation/${name}`, bytes })),
	];
}

/** Two snapshots with the same digest differ in nothing but when and why they were taken. */
function digestOf(manifest: SnapshotManifest, parts: readonly CommitFile[], parents: readonly string[]): string {
	const hash = createHash("sha256").update(JSON.stringify([{ ...manifest, at: 0, reason: "", turn: null }, parents]));
	for (const part of parts) hash.update(`\0${part.path}\0`).update("bytes" in part ? part.bytes : part.id);
	return hash.digest("hex");
}

const manifestPart = (manifest: SnapshotManifest): CommitFile => ({
	path: "manifest.json",
	bytes: Buffer.from(`${JSON.stringify(manifest, null, "\t")}\n`),
});
