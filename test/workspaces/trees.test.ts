// Working trees in every kind of disorder: a snapshot brings them back, a fork and a snapshot's worktree are the same,
// byte for byte and entry for entry of the index; and what cannot be the same is named.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyWorktree } from "#adapters/git/copy/copy-worktree.ts";
import { materialize } from "#adapters/git/copy/materialize.ts";
import { makeGit } from "#adapters/git/run/git.ts";
import { restoreSnapshot } from "#adapters/git/snapshot/restore.ts";
import { takeSnapshot } from "#adapters/git/snapshot/snapshot.ts";
import { isRefusal } from "#contract/refusal.ts";
import {
	apply,
	type Change,
	change,
	type Disorder,
	disorder,
	type Fingerprint,
	fingerprint,
	makeTemplates,
	makeTree,
	git as plain,
	scratch,
} from "#test/support/dirty-trees.ts";

const torture = process.env["BROOD_TORTURE"] !== undefined;
const trees = torture ? 2000 : 150;
/** trees that are tried at the same time */
const together = 3;

const base = scratch("trees");
const templates = path.join(base, "templates");
const git = makeGit({ environment: { ...process.env, HOME: base } });
const agent = "A".repeat(22);
let count = 0;

beforeAll(() => makeTemplates(templates));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Harm {
	wipe: boolean;
	reset: boolean;
	commit: boolean;
	leave: boolean;
	changes: Change[];
}

const harm: fc.Arbitrary<Harm> = fc.record({
	wipe: fc.boolean(),
	reset: fc.boolean(),
	commit: fc.boolean(),
	leave: fc.boolean(),
	changes: fc.array(change, { maxLength: 4 }),
});

/** Not in a snapshot, and named in its manifest. */
const notInSnapshot = ["nested repository", "sub", "pipe"];
const ignored = ["ignored-folder", "x.ignored"];

function doHarm(folder: string, { wipe, reset, commit, leave, changes }: Harm): void {
	if (commit) plain(folder, ["add", "-A", "--", ".", ":!nested repository"], { mayFail: true });
	if (commit) plain(folder, ["commit", "-qm", "harm"], { mayFail: true });
	if (reset) plain(folder, ["reset", "-q", "--hard"], { mayFail: true });
	if (leave) plain(folder, ["checkout", "-q", "-f", "other"], { mayFail: true });
	for (const one of changes) apply(folder, one);
	if (!wipe) return;
	for (const name of readdirSync(folder, { encoding: "buffer" })) {
		if (![".git", ...notInSnapshot, ...ignored].includes(name.toString()))
			rmSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { recursive: true, force: true });
	}
}

const without = (print: Fingerprint, gone: readonly string[]): Fingerprint => ({
	...print,
	files: Object.fromEntries(
		Object.entries(print.files).filter(([name]) => !gone.some((one) => name === one || name.startsWith(`${one}/`))),
	),
	status: print.status
		.split("\n")
		.filter((line) => !gone.some((one) => line.includes(` ${one}`)))
		.join("\n"),
});

/** What the same tree looks like on the branch of a child. */
function onBranch(print: Fingerprint, branch: string): Fingerprint {
	const detachedForGood =
		Object.keys(print.operation).some((name) => /^(rebase-|BISECT_START)/.test(name)) && !print.head.startsWith("ref:");
	const operation = { ...print.operation };
	if (operation["rebase-merge/head-name"] !== undefined) operation["rebase-merge/head-name"] = `refs/heads/${branch}\n`;
	if (operation["BISECT_START"] !== undefined) operation["BISECT_START"] = `${branch}\n`;
	return { ...print, operation, head: detachedForGood ? print.head : `ref: refs/heads/${branch}` };
}

async function tryTree(wanted: Disorder, damage: Harm, take = takeSnapshot): Promise<void> {
	const home = path.join(base, `${++count}`);
	const folder = path.join(home, "parent");
	mkdirSync(home);
	makeTree(templates, folder, wanted);
	const print = fingerprint(folder);

	const request = { folder, agent, reason: "test", turn: 1, at: 1_800_000_000_000 };
	const snapshot = await take(git, request);
	if (wanted.emptyFolder && wanted.ignored) {
		expect(fingerprint(folder)).toEqual(print);
		expect((await take(git, { ...request, reason: "again", at: 1_900_000_000_000 })).ref).toBe(snapshot.ref);
	}

	const sharesBlocks = wanted.ignored && wanted.emptyFolder;
	const child = path.join(home, "child");
	expect(
		await copyWorktree(git, {
			from: { folder },
			to: { folder: child, branch: "brood/child" },
			repository: folder,
			copy: [],
			sharesBlocks,
		}),
	).toBeNull();
	expect(fingerprint(child)).toEqual(onBranch(sharesBlocks ? print : without(print, ignored), "brood/child"));

	const older = path.join(home, "older");
	const made = await materialize(git, snapshot, { folder: older, branch: "brood/older", repository: folder });
	expect(isRefusal(made) ? made : made.missing.map(String).sort()).toEqual(expectedLeft(wanted));
	expect(without(fingerprint(older), notInSnapshot)).toEqual(
		onBranch(without(print, [...ignored, ...notInSnapshot]), "brood/older"),
	);

	doHarm(folder, damage);
	const restored = await restoreSnapshot(git, { ...request, at: request.at + 1000, snapshot: snapshot.ref });
	expect(isRefusal(restored) ? restored : null).toBeNull();
	const after = fingerprint(folder);
	expect(without(after, notInSnapshot)).toEqual(without(print, notInSnapshot));
	expect(plain(folder, ["ls-files", "-s", "-z"]).toString("latin1")).toBe(after.index);
	rmSync(home, { recursive: true, force: true });
}

const expectedLeft = ({ nested, pipe, state }: Disorder): string[] =>
	[
		...(nested ? ["nested repository"] : []),
		...(pipe ? ["pipe"] : []),
		...(state === "submodule" ? ["sub"] : []),
	].sort();

test(`${trees} trees: snapshot, fork, materialize and restore keep everything`, {
	timeout: torture ? 7_200_000 : 600_000,
}, async () => {
	const some = fc.array(fc.tuple(disorder, harm), { minLength: together, maxLength: together });
	await fc.assert(
		fc.asyncProperty(some, async (all) => {
			await Promise.all(all.map(([wanted, damage]) => tryTree(wanted, damage)));
		}),
		{ numRuns: Math.ceil(trees / together), endOnFailure: !torture },
	);
	expect(count).toBeGreaterThanOrEqual(trees);
});

test("a restore leaves no folder behind that has only empty ones in it", async () => {
	const clean: Disorder = {
		...{
			state: "clean",
			changes: [],
			stage: "nothing",
			later: [],
			intent: [],
			emptyFolder: true,
			nested: false,
			ignored: false,
			pipe: false,
		},
	};
	const changes: Change[] = [
		{ kind: "write", name: "deep/er/file", text: "x" },
		{ kind: "delete", name: "deep/er/file" },
	];
	await tryTree(clean, { wipe: false, reset: false, commit: false, leave: false, changes });
});

test("a snapshot that leaves untracked files out does not pass", async () => {
	const wanted: Disorder = {
		...{
			state: "clean",
			changes: [],
			stage: "nothing",
			intent: [],
			emptyFolder: false,
			nested: false,
			ignored: false,
			pipe: false,
		},
		later: [{ kind: "write", name: "untracked", text: "u" }],
	};
	const mend: Harm = { wipe: true, reset: false, commit: false, leave: false, changes: [] };
	await tryTree(wanted, mend);
	const forgetful: typeof takeSnapshot = async (run, request) => {
		const file = path.join(request.folder, "untracked");
		rmSync(file, { force: true });
		const taken = await takeSnapshot(run, request);
		apply(request.folder, { kind: "write", name: "untracked", text: "u" });
		return taken;
	};
	await expect(tryTree(wanted, mend, forgetful)).rejects.toThrow();
});
