// N10: trees in every kind of disorder are the same at another node, byte for byte and entry for entry of the index,
// made from bundles alone; what no snapshot can hold is named.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { materialize } from "#adapters/git/copy/materialize.ts";
import { Layout } from "#adapters/git/layout/layout.ts";
import { makeGit } from "#adapters/git/run/git.ts";
import { takeSnapshot } from "#adapters/git/snapshot/snapshot.ts";
import { findSnapshot } from "#adapters/git/snapshot/snapshots.ts";
import { fetchBundles, makeBundle } from "#adapters/git/workspace/bundle.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { isRefusal } from "#contract/refusal.ts";
import {
	apply,
	change,
	type Disorder,
	disorder,
	type Fingerprint,
	fingerprint,
	makeTemplates,
	makeTree,
	scratch,
} from "#test/support/dirty-trees.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const trees = torture ? 300 : 10;
const base = scratch("moved");
const templates = path.join(base, "templates");
const git = makeGit({ environment: { ...process.env, HOME: base } });
const context = { git, layout: new Layout(base), clock: systemClock, ids: randomIds, environment: {} };
const agent = { id: AgentId.parse("A".repeat(22)), handle: Handle.parse("one") };
let count = 0;

beforeAll(() => makeTemplates(templates));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Not in a snapshot, and named in its manifest. */
const left = ["nested repository", "sub", "pipe"];
const ignored = ["ignored-folder", "x.ignored"];

/** The files that a snapshot holds, and everything of git but where the branch is. */
function held({ files, index, operation }: Fingerprint): object {
	const kept = Object.entries(files).filter(([name]) =>
		[...left, ...ignored].every((gone) => name !== gone && !name.startsWith(`${gone}/`)),
	);
	const { BISECT_START: _, "rebase-merge/head-name": __, ...rest } = operation;
	return { files: Object.fromEntries(kept), index, operation: rest };
}

/** A tree, changed once more after its first bundle, and the same tree in a repository that has only the bundles. */
async function moved(wanted: Disorder, later: Parameters<typeof apply>[1][], lose = false): Promise<[object, object]> {
	const home = path.join(base, `${++count}`);
	const [there, here] = [path.join(home, "there"), path.join(home, "here")];
	mkdirSync(home);
	makeTree(templates, there, wanted);
	// another clone of the same repository
	cpSync(path.join(templates, wanted.state), here, { recursive: true, verbatimSymlinks: true });
	const project = (folder: string) => ({ slug: ProjectSlug.parse("web"), path: folder });
	const workspace = { kind: "worktree" as const, path: there, branch: "main", base: "main" };
	const checkout = { project: project(there), agent, workspace };
	const bundles: string[] = [];
	let since: string | null = null;
	for (const turn of [1, 2]) {
		if (turn === 2) for (const one of later) apply(there, one);
		const request = { folder: there, agent: agent.id, reason: "test", turn, at: 1_800_000_000_000 + turn };
		const { ref } = await takeSnapshot(git, request);
		const snapshot = ref.slice(ref.lastIndexOf("/") + 1);
		if (turn === 2 && snapshot === "1") break;
		const made = await makeBundle(context, checkout, { snapshot, since, bytesMax: 1e8 });
		if (isRefusal(made)) throw new Error(made.message);
		bundles.push(made.text);
		since = made.commit;
	}
	const before = fingerprint(there);
	expect(await fetchBundles(context, project(here), agent.id, lose ? bundles.slice(0, 1) : bundles)).toBeNull();
	const ref = `refs/brood/snapshots/${agent.id}/${lose ? 1 : bundles.length}`;
	const taken = await findSnapshot(git, here, ref);
	if (taken === null) throw new Error(`${ref} did not come along`);
	const folder = path.join(home, "worktree");
	const made = await materialize(git, taken, { folder, branch: "brood/one", repository: here });
	if (isRefusal(made)) throw new Error(made.message);
	const named = made.missing.map(String).sort();
	expect(named).toEqual(left.filter((name) => isThere(wanted, name)).sort());
	const after = fingerprint(folder);
	rmSync(home, { recursive: true, force: true });
	return [held(before), held(after)];
}

const isThere = ({ nested, pipe, state }: Disorder, name: string): boolean =>
	(name === "pipe" && pipe) || (name === "sub" && state === "submodule") || (name === "nested repository" && nested);

test(`${trees} trees are the same at another node`, { timeout: torture ? 3_600_000 : 60_000 }, async () => {
	const some = fc.tuple(disorder, fc.array(change, { maxLength: 4 }));
	let tried = 0;
	await fc.assert(
		fc.asyncProperty(some, async ([wanted, later]) => {
			const [before, after] = await moved(wanted, later);
			expect(after).toEqual(before);
			tried++;
		}),
		{ numRuns: trees, endOnFailure: true },
	);
	expect(tried).toBe(trees);
});

test("a file that is only intended to be added does not keep git from reading the tree at another node", async () => {
	const wanted: Disorder = {
		...{ state: "pick", stage: "nothing", later: [], emptyFolder: false, nested: false, ignored: false, pipe: false },
		changes: ["b.txt", "c.txt"].map((name) => ({ kind: "write" as const, name, text: "new" })),
		intent: ["b.txt", "c.txt"],
	};
	// git looks for a rename from the deleted file to the other, and reads the empty blob of both
	const [before, after] = await moved(wanted, [{ kind: "delete", name: "b.txt" }]);
	expect(after).toEqual(before);
});

test("control: without its last bundle a tree is not the same", async () => {
	const wanted: Disorder = {
		...{ state: "merge", changes: [], stage: "nothing", later: [], intent: [] },
		...{ emptyFolder: false, nested: false, ignored: false, pipe: false },
	};
	const [before, after] = await moved(wanted, [{ kind: "write", name: "new.txt", text: "later" }], true);
	expect(after).not.toEqual(before);
});
