// What a snapshot keeps, what it refuses to overwrite, and what is forgotten when.
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyWorktree } from "#adapters/git/copy/copy-worktree.ts";
import { makeGit } from "#adapters/git/run/git.ts";
import { deleteBranch, emptyTrash, removeWorktree, resetTree } from "#adapters/git/snapshot/destroy.ts";
import { restoreSnapshot } from "#adapters/git/snapshot/restore.ts";
import { takeSnapshot } from "#adapters/git/snapshot/snapshot.ts";
import { findSnapshot, keptSnapshots, pruneSnapshots } from "#adapters/git/snapshot/snapshots.ts";
import { isRefusal } from "#contract/refusal.ts";
import { fingerprint, makeTemplates, git as plain } from "#test/support/dirty-trees.ts";
import { agreed } from "#test/support/world.ts";

const base = mkdtempSync(path.join(os.tmpdir(), "brood-snapshots-"));
const git = makeGit({ environment: { ...process.env, HOME: base } });
const agent = "B".repeat(22);
const day = 86_400_000;
const start = 1_800_000_000_000;
let count = 0;

beforeAll(() => makeTemplates(path.join(base, "templates")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function fresh(): string {
	const folder = path.join(base, `${++count}`, "tree");
	mkdirSync(path.dirname(folder));
	plain(base, ["clone", "-q", "--template=", path.join(base, "templates", "clean"), folder]);
	return folder;
}

const put = (folder: string, name: string, text: string): void => writeFileSync(path.join(folder, name), text);
const requestFor = (folder: string, at = start) => ({ folder, agent, reason: "test", turn: 7, at });

test("a snapshot survives the strictest garbage collection, with what was only staged", async () => {
	const folder = fresh();
	put(folder, "staged.txt", "staged and then changed\n");
	plain(folder, ["add", "staged.txt"]);
	put(folder, "staged.txt", "changed\n");
	const print = fingerprint(folder);
	const taken = await takeSnapshot(git, requestFor(folder));
	plain(folder, ["reset", "-q", "--hard"]);
	plain(folder, ["reflog", "expire", "--expire=now", "--all"]);
	plain(folder, ["gc", "-q", "--prune=now"]);
	const back = await restoreSnapshot(git, { ...requestFor(folder, start + 1000), snapshot: taken.ref });
	expect(isRefusal(back)).toBe(false);
	expect(fingerprint(folder)).toEqual(print);
	expect(plain(folder, ["show", ":staged.txt"]).toString()).toBe("staged and then changed\n");
});

test("the manifest says what is there and what could not be held", async () => {
	const folder = fresh();
	put(folder, "new.txt", "new");
	put(folder, "large.bin", "");
	truncateSync(path.join(folder, "large.bin"), 5000);
	put(folder, "secret.env", "password");
	mkdirSync(path.join(folder, ".git", "info"), { recursive: true });
	put(folder, ".git/info/exclude", "*.env\n");
	mkdirSync(path.join(folder, "empty"));
	mkdirSync(path.join(folder, "Odd", ".GIT"), { recursive: true });
	put(folder, "Odd/.GIT/x", "x");
	const { manifest, commit } = await takeSnapshot(git, { ...requestFor(folder), fileBytesMax: 4096 });
	expect(manifest).toMatchObject({
		at: start,
		reason: "test",
		turn: 7,
		head: { branch: "refs/heads/main", commit: plain(folder, ["rev-parse", "HEAD"]).toString().trim() },
		files: 8,
		emptyDirectories: ["empty"],
		missing: {
			nestedRepositories: [],
			submodules: [],
			tooLarge: ["large.bin"],
			names: ["Odd/.GIT/x"],
			ignored: ["secret.env"],
			ignoredCount: 1,
			special: [],
			unreadable: [],
		},
		unsteady: false,
	});
	expect(plain(folder, ["grep", "-c", "password", commit], { mayFail: true }).toString()).toBe("");
	expect(plain(folder, ["show", `${manifest.tree}:new.txt`]).toString()).toBe("new");
});

test("files that the user cannot read are named", async () => {
	const folder = fresh();
	put(folder, "closed.txt", "closed");
	chmodSync(path.join(folder, "closed.txt"), 0);
	const { manifest } = await takeSnapshot(git, requestFor(folder));
	const isRoot = process.getuid?.() === 0;
	expect(manifest.missing.unreadable).toEqual(isRoot ? [] : ["closed.txt"]);
});

test("restoring never writes over what no snapshot holds", async () => {
	const folder = fresh();
	put(folder, "data.env", "part of the work\n");
	const taken = await takeSnapshot(git, requestFor(folder));
	rmSync(path.join(folder, "data.env"));
	mkdirSync(path.join(folder, ".git", "info"), { recursive: true });
	put(folder, ".git/info/exclude", "*.env\n");
	put(folder, "data.env", "a secret that is ignored now\n");
	const print = fingerprint(folder);
	const refused = await restoreSnapshot(git, { ...requestFor(folder), snapshot: taken.ref });
	expect(refused).toMatchObject({
		code: "SNAPSHOT_INCOMPLETE",
		message: expect.stringContaining("data.env"),
		details: { paths: ["data.env"] },
	});
	expect(fingerprint(folder)).toEqual(print);
	put(folder, ".git/info/exclude", "");
	expect(isRefusal(await restoreSnapshot(git, { ...requestFor(folder), snapshot: taken.ref }))).toBe(false);
	expect(readFileSync(path.join(folder, "data.env"), "utf8")).toBe("part of the work\n");
});

test("a snapshot that is gone, or whose branch is in use elsewhere, is refused", async () => {
	const folder = fresh();
	const taken = await takeSnapshot(git, requestFor(folder));
	expect(
		await restoreSnapshot(git, { ...requestFor(folder), snapshot: `refs/brood/snapshots/${agent}/99` }),
	).toMatchObject({ code: "SNAPSHOT_GONE" });
	plain(folder, ["checkout", "-q", "-b", "mine"]);
	plain(folder, ["worktree", "add", "-q", path.join(folder, "../elsewhere"), "main"]);
	expect(await restoreSnapshot(git, { ...requestFor(folder), snapshot: taken.ref })).toMatchObject({
		code: "CONFLICT",
	});
});

test("commits that a restore leaves behind stay reachable", async () => {
	const folder = fresh();
	const taken = await takeSnapshot(git, requestFor(folder));
	put(folder, "a.txt", "committed later\n");
	plain(folder, ["commit", "-qam", "later"]);
	const later = plain(folder, ["rev-parse", "HEAD"]).toString().trim();
	await restoreSnapshot(git, { ...requestFor(folder, start + 1), snapshot: taken.ref });
	expect(plain(folder, ["rev-parse", "HEAD"]).toString().trim()).toBe(taken.manifest.head.commit);
	expect(plain(folder, ["for-each-ref", "--contains", later, "--format=%(refname)"]).toString()).toMatch(
		/refs\/brood\/snapshots/,
	);
});

test("line ends, filters and identifiers do not touch what a snapshot holds", async () => {
	const folder = fresh();
	put(folder, ".gitattributes", "* text=auto eol=lf\n*.x filter=gone\n*.i ident\n*.u working-tree-encoding=UTF-16\n");
	plain(folder, ["config", "core.autocrlf", "input"]);
	const contents = { "a.x": "x\r\n", "b.txt": "one\r\ntwo\n", "c.i": "$Id: kept as it is $\n", "d.u": "no\r\nutf16" };
	for (const [name, text] of Object.entries(contents)) put(folder, name, text);
	const taken = await takeSnapshot(git, requestFor(folder));
	for (const name of Object.keys(contents)) put(folder, name, "harm");
	await restoreSnapshot(git, { ...requestFor(folder, start + 1), snapshot: taken.ref });
	expect(
		Object.fromEntries(Object.keys(contents).map((name) => [name, readFileSync(path.join(folder, name), "utf8")])),
	).toEqual(contents);
});

test("an edit that keeps size and date is seen by the next snapshot", async () => {
	const folder = fresh();
	put(folder, "same.txt", "aaaa");
	const first = await takeSnapshot(git, requestFor(folder));
	put(folder, "same.txt", "bbbb");
	plain(folder, ["update-index", "--assume-unchanged", "a.txt"]);
	put(folder, "a.txt", "hidden from git status\n");
	const second = await takeSnapshot(git, requestFor(folder, start + 1));
	expect(first.ref).not.toBe(second.ref);
	expect(plain(folder, ["show", `${second.commit}:tree/same.txt`]).toString()).toBe("bbbb");
	expect(plain(folder, ["show", `${second.commit}:tree/a.txt`]).toString()).toBe("hidden from git status\n");
});

test("pruning keeps the newest, the young and the needed", async () => {
	const folder = fresh();
	const refs: string[] = [];
	for (let number = 0; number < 6; number++) {
		put(folder, "a.txt", `${number}`);
		refs.push((await takeSnapshot(git, requestFor(folder, start + number * day))).ref);
	}
	const rules = { now: start + 6 * day, newestPerAgent: 1, youngerThanMs: 2.5 * day, needed: new Set([refs[1] ?? ""]) };
	const would = await pruneSnapshots(git, folder, rules, { dryRun: true });
	expect((await keptSnapshots(git, folder)).map(({ ref }) => ref)).toEqual(refs);
	const gone = await pruneSnapshots(git, folder, rules);
	expect(gone).toEqual(would);
	expect(gone.map(({ ref }) => ref)).toEqual([refs[0], refs[2], refs[3]]);
	expect((await keptSnapshots(git, folder, agent)).map(({ ref }) => ref)).toEqual([refs[1], refs[4], refs[5]]);
	expect(await findSnapshot(git, folder, refs[0] ?? "")).toBeNull();
});

test("a removed worktree lies in the trash until its time is over, and its branch's commits stay", async () => {
	const folder = fresh();
	const child = path.join(folder, "../child");
	await copyWorktree(git, {
		from: { folder },
		to: { folder: child, branch: "brood/child" },
		repository: folder,
		copy: [],
		sharesBlocks: false,
	});
	put(child, "work.txt", "work");
	plain(child, ["add", "-A"]);
	plain(child, ["commit", "-qm", "work"]);
	put(child, "loose.txt", "loose");
	const tip = plain(child, ["rev-parse", "HEAD"]).toString().trim();
	const trash = path.join(folder, "../trash");
	const removed = await removeWorktree(git, { ...requestFor(child), trash });
	if (isRefusal(removed)) throw new Error(removed.message);
	expect({
		there: existsSync(child),
		trashed: readdirSync(path.join(removed.trashed, "files")).includes("loose.txt"),
	}).toEqual({
		there: false,
		trashed: true,
	});
	expect(plain(folder, ["worktree", "list", "--porcelain"]).toString()).not.toContain("child");
	const { keptAs } = await deleteBranch(git, folder, "brood/child", tip);
	expect(plain(folder, ["rev-parse", keptAs]).toString().trim()).toBe(tip);
	expect(plain(folder, ["branch", "--list", "brood/*"]).toString()).toBe("");
	expect(await emptyTrash(trash, { now: start + 13 * day, olderThanMs: 14 * day, dryRun: false })).toEqual([]);
	expect(await emptyTrash(trash, { now: start + 15 * day, olderThanMs: 14 * day, dryRun: false })).toHaveLength(1);
	expect(readdirSync(trash)).toEqual([]);
	expect(await removeWorktree(git, { ...requestFor(folder), trash })).toMatchObject({ code: "FORBIDDEN" });
});

test("a tree that is reset can be brought back, and ignored files stay", async () => {
	const folder = fresh();
	mkdirSync(path.join(folder, ".git", "info"), { recursive: true });
	put(folder, ".git/info/exclude", "*.env\n");
	put(folder, "keep.env", "secret");
	put(folder, "a.txt", "changed");
	put(folder, "untracked.txt", "untracked");
	const print = fingerprint(folder);
	const head = plain(folder, ["rev-parse", "HEAD"]).toString().trim();
	const { taken, moved } = agreed(await resetTree(git, requestFor(folder), head, path.join(folder, "../aside")));
	expect(moved).toEqual([]);
	expect(plain(folder, ["status", "--porcelain"]).toString()).toBe("");
	expect(existsSync(path.join(folder, "keep.env"))).toBe(true);
	await restoreSnapshot(git, { ...requestFor(folder, start + 1), snapshot: taken.ref });
	expect(fingerprint(folder)).toEqual(print);
});

test("a fork that fails leaves nothing, and an existing path is refused", async () => {
	const folder = fresh();
	const to = { folder: path.join(folder, "../child"), branch: "brood/child" };
	const request = { from: { folder }, to, repository: folder, copy: [], sharesBlocks: false };
	const refs = plain(folder, ["for-each-ref"]).toString();
	await expect(copyWorktree(git, request, AbortSignal.abort())).rejects.toThrow();
	expect({ there: existsSync(to.folder), refs: plain(folder, ["for-each-ref"]).toString() }).toEqual({
		there: false,
		refs,
	});
	expect(plain(folder, ["worktree", "list", "--porcelain"]).toString()).not.toContain("child");
	mkdirSync(to.folder);
	put(to.folder, "mine.txt", "mine");
	expect(await copyWorktree(git, request)).toMatchObject({ code: "PATH_EXISTS" });
	expect(readdirSync(to.folder)).toEqual(["mine.txt"]);
	expect(await copyWorktree(git, { ...request, to: { folder: `${to.folder}-2`, branch: "other" } })).toBeNull();
	expect(await copyWorktree(git, { ...request, to: { folder: `${to.folder}-3`, branch: "main" } })).toMatchObject({
		code: "CONFLICT",
	});
});

test("a fork brings the ignored files that are asked for", async () => {
	const folder = fresh();
	mkdirSync(path.join(folder, ".git", "info"), { recursive: true });
	put(folder, ".git/info/exclude", "*.env\nbuild/\n");
	mkdirSync(path.join(folder, "pkg/build/deep"), { recursive: true });
	put(folder, "pkg/build/deep/out.js", "out");
	put(folder, "pkg/code.js", "code");
	put(folder, "a.env", "a");
	put(folder, "b.env", "b");
	symlinkSync("a.env", path.join(folder, "pkg/build/link"));
	const to = { folder: path.join(folder, "../child"), branch: "brood/child" };
	await copyWorktree(git, {
		from: { folder },
		to,
		repository: folder,
		copy: ["a.env", "pkg/build"],
		sharesBlocks: false,
	});
	const there = ["a.env", "b.env", "pkg/build/deep/out.js", "pkg/code.js"].filter((name) =>
		existsSync(path.join(to.folder, name)),
	);
	expect(there).toEqual(["a.env", "pkg/build/deep/out.js", "pkg/code.js"]);
});

test("the first look at a fork reads no file that the parent's index knew", async () => {
	const folder = fresh();
	const to = { folder: path.join(folder, "../child"), branch: "brood/child" };
	await copyWorktree(git, { from: { folder }, to, repository: folder, copy: [], sharesBlocks: false });
	// lists what git would have to read, without reading it
	expect((await git(to.folder, ["diff-files", "--name-only"])).text).toBe("");
	plain(to.folder, ["read-tree", "HEAD"]);
	expect((await git(to.folder, ["diff-files", "--name-only"])).text).not.toBe("");
});
