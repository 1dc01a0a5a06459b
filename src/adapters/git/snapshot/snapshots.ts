// Finds, reads and prunes snapshots.
import { parseJson } from "#adapters/system/errors.ts";
import { SnapshotManifest } from "#contract/snapshot.ts";
import { isCommitId } from "../format/refs.ts";
import type { Git } from "../run/git.ts";
import { type ReadObjects, withObjects } from "../run/objects.ts";
import { plainFile } from "../run/plain-commit.ts";
import type { Tree } from "../tree/tree.ts";

export interface StoredSnapshot {
	ref: string;
	commit: string;
	/** the tree of files */
	tree: string;
	manifest: SnapshotManifest;
}

export interface SnapshotRef {
	ref: string;
	commit: string;
	agent: string;
	sequence: number;
	/** milliseconds since 1970 */
	at: number;
	/** the same for two that differ only in when and why they were taken */
	digest: string;
}

const snapshotRefs = "refs/brood/snapshots";

export function refsOf(agent: string): string {
	if (!/^[\w-]{1,64}$/.test(agent)) throw new Error(`${JSON.stringify(agent)} is not an id of an agent`);
	return `${snapshotRefs}/${agent}`;
}

/** Of one agent or of all, oldest first within an agent. `folder` is the repository or one of its worktrees. */
export async function keptSnapshots(git: Git, folder: string, agent?: string): Promise<SnapshotRef[]> {
	const below = agent === undefined ? snapshotRefs : refsOf(agent);
	const format = "--format=%(objectname) %(committerdate:unix) %(refname) %(contents:body)";
	const { text } = await git(folder, ["for-each-ref", format, below]);
	const found = text.split("\n").flatMap((line): SnapshotRef[] => {
		const [, commit, seconds, ref, owner, sequence, digest = ""] =
			/^(\w+) (\d+) (refs\/brood\/snapshots\/([\w-]+)\/(\d+)) Content: (\w+)$/.exec(line) ?? [];
		if (commit === undefined || ref === undefined || owner === undefined) return [];
		return [{ ref, commit, agent: owner, sequence: Number(sequence), at: Number(seconds) * 1000, digest }];
	});
	return found.sort((a, b) => (a.agent === b.agent ? a.sequence - b.sequence : a.agent < b.agent ? -1 : 1));
}

/** The newest snapshot of each agent that this process saw. Only a hint, checked against the refs. */
const seen = new Map<string, SnapshotRef>();
const seenMax = 10_000;

export interface Newest {
	/** null if there is none */
	snapshot: SnapshotRef | null;
	/** in the order asked for; null for what does not exist */
	objects: readonly ({ id: string; type: string } | null)[];
}

/**
 * The newest snapshot of an agent, in constant time: it looks up the one that was seen last and the number after it,
 * and lists all only if these changed. Looks up `objects` in the same process.
 */
export async function newestOf(
	git: Git,
	{ folder, commonFolder }: Pick<Tree, "folder" | "commonFolder">,
	agent: string,
	objects: readonly string[],
	known?: SnapshotRef | null,
): Promise<Newest> {
	if (known !== undefined) return { snapshot: known, objects: await lookUp(git, folder, objects) };
	const key = `${commonFolder}\0${agent}`;
	const hint = seen.get(key);
	const refs = hint === undefined ? [] : [hint.ref, `${refsOf(agent)}/${hint.sequence + 1}`];
	const found = await lookUp(git, folder, [...objects, ...refs]);
	const [same, next] = found.splice(objects.length);
	if (hint !== undefined && same?.id === hint.commit && next === null) return { snapshot: hint, objects: found };
	const newest = (await keptSnapshots(git, folder, agent)).at(-1) ?? null;
	if (newest !== null) remember(key, newest);
	return { snapshot: newest, objects: found };
}

export function rememberNewest({ commonFolder }: Pick<Tree, "commonFolder">, newest: SnapshotRef): void {
	remember(`${commonFolder}\0${newest.agent}`, newest);
}

function remember(key: string, newest: SnapshotRef): void {
	seen.delete(key);
	seen.set(key, newest);
	const oldest = seen.keys().next();
	if (seen.size > seenMax && oldest.done !== true) seen.delete(oldest.value);
}

async function lookUp(
	git: Git,
	folder: string,
	names: readonly string[],
): Promise<({ id: string; type: string } | null)[]> {
	if (names.length === 0) return [];
	const { text } = await git(folder, ["cat-file", "--batch-check"], {
		input: names.map((name) => `${name}\n`).join(""),
	});
	return text.split("\n").map((line) => {
		const [, id, type] = /^([0-9a-f]+) (\w+) \d+$/.exec(line) ?? [];
		return id === undefined || type === undefined ? null : { id, type };
	});
}

export async function readManifest(git: Git, folder: string, snapshot: string): Promise<SnapshotManifest> {
	const plain = isCommitId(snapshot) ? await plainFile(folder, snapshot, "manifest.json") : null;
	const bytes = plain ?? (await git(folder, ["cat-file", "blob", `${checked(snapshot)}:manifest.json`])).bytes;
	return SnapshotManifest.parse(JSON.parse(bytes.toString()));
}

/** Manifests by their commits, which never change. */
const manifests = new Map<string, SnapshotManifest>();
const manifestsMax = 2000;
/** longer ones are not kept in memory */
const manifestLengthMax = 4000;

export function rememberManifest(commit: string, manifest: SnapshotManifest): void {
	if (JSON.stringify(manifest).length > manifestLengthMax) return;
	manifests.delete(commit);
	manifests.set(commit, manifest);
	const oldest = manifests.keys().next();
	if (manifests.size > manifestsMax && oldest.done !== true) manifests.delete(oldest.value);
}

/** As `readManifest`, for a snapshot whose commit is there. */
export async function manifestOf(git: Git, folder: string, commit: string): Promise<SnapshotManifest> {
	const manifest = manifests.get(commit) ?? (await readManifest(git, folder, commit));
	rememberManifest(commit, manifest);
	return manifest;
}

/** By its ref or commit id. */
export async function findSnapshot(git: Git, folder: string, snapshot: string): Promise<StoredSnapshot | null> {
	return (await findSnapshots(git, folder, [snapshot]))[0] ?? null;
}

/** Several by their refs, read by one process. Missing and invalid ones are left out. */
export async function findSnapshots(git: Git, folder: string, refs: readonly string[]): Promise<StoredSnapshot[]> {
	return refs.length === 0 ? [] : await withObjects(git, folder, async (read) => await snapshotsIn(read, refs));
}

/** As `findSnapshots`, by a process that is there. */
export async function snapshotsIn(read: ReadObjects, refs: readonly string[]): Promise<StoredSnapshot[]> {
	const names = refs.map(checked).flatMap((ref) => [`${ref}^{commit}`, `${ref}:manifest.json`]);
	const objects = await read(names);
	return refs.flatMap((ref, at): StoredSnapshot[] => {
		const [commit, manifest] = objects.slice(2 * at, 2 * at + 2);
		if (commit == null || manifest == null) return [];
		const parsed = SnapshotManifest.safeParse(parseJson(manifest.bytes.toString())).data;
		return parsed === undefined ? [] : [{ ref, commit: commit.id, tree: parsed.tree, manifest: parsed }];
	});
}

export async function emptyTree(git: Git, folder: string): Promise<string> {
	return (await git(folder, ["mktree"], { input: "" })).text;
}

export interface PruneRules {
	now: number;
	/** this many of each agent stay, however old */
	newestPerAgent: number;
	/** younger ones stay */
	youngerThanMs: number;
	/** at most this many of an agent stay, however young */
	perAgentMax?: number;
	/** for deleted agents the newest are pruned too, for unknown ones none. All have a folder if absent */
	owners?: { withFolder: ReadonlySet<string>; goneOf(owners: readonly string[]): Promise<readonly string[]> };
	/** at most this many at once: agent by agent, each agent's oldest first */
	atMost?: number;
	/** refs or commits that workspaces are about to be made of */
	needed: ReadonlySet<string>;
}

/** Deletes the refs that no rule keeps, and returns them; with `dryRun` only returns them. */
export async function pruneSnapshots(
	git: Git,
	folder: string,
	rules: PruneRules,
	only: { dryRun: boolean; note?(commits: readonly string[]): Promise<void> } = { dryRun: false },
): Promise<SnapshotRef[]> {
	const all = await keptSnapshots(git, folder);
	const owners = new Set(all.map(({ agent }) => agent));
	const deleted = new Set(await rules.owners?.goneOf([...owners].filter((id) => !rules.owners?.withFolder.has(id))));
	const newest = new Map<string, number>();
	const gone: SnapshotRef[] = [];
	for (const one of all.toReversed()) {
		const newer = newest.get(one.agent) ?? 0;
		newest.set(one.agent, newer + 1);
		if (!staysBy(rules, one, { newer, isDeleted: deleted.has(one.agent) })) gone.push(one);
	}
	gone.splice(0, Math.max(0, gone.length - (rules.atMost ?? Number.POSITIVE_INFINITY)));
	const input = gone.map(({ ref, commit }) => `delete ${ref}\0${commit}\0`).join("");
	if (!only.dryRun) await only.note?.(gone.map(({ commit }) => commit));
	if (gone.length > 0 && !only.dryRun) await git(folder, ["update-ref", "-z", "--stdin"], { input });
	return gone.reverse();
}

function staysBy(
	rules: PruneRules,
	one: SnapshotRef,
	{ newer, isDeleted }: { newer: number; isDeleted: boolean },
): boolean {
	if (rules.needed.has(one.ref) || rules.needed.has(one.commit)) return true;
	const young = one.at > rules.now - rules.youngerThanMs;
	if (isDeleted) return young;
	if (rules.owners !== undefined && !rules.owners.withFolder.has(one.agent)) return true;
	return newer < rules.newestPerAgent || (young && newer < (rules.perAgentMax ?? Number.POSITIVE_INFINITY));
}

function checked(snapshot: string): string {
	if (!isCommitId(snapshot) && !/^refs\/brood\/snapshots\/[\w-]+\/\d+$/.test(snapshot))
		throw new Error(`${JSON.stringify(snapshot)} is not a snapshot`);
	return snapshot;
}
