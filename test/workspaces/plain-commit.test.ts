// The commit of a ref without git: what it answers is what git answers, and what is not certain it leaves to git.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { noteObject, packsOf, plainCommit, plainHead } from "#adapters/git/run/plain-commit.ts";
import { freshRepository } from "#test/support/repository.ts";

const repository = freshRepository();
const git = (...args: string[]): string =>
	execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd();
const commit = git("rev-parse", "HEAD");
const known = { id: commit, tree: git("rev-parse", "HEAD^{tree}") };
const inGit = (...names: string[]): string => path.join(repository, ".git", ...names);
const ref = (name: string, text: string): void => writeFileSync(inGit("refs", "heads", name), text);

test("HEAD, a branch and an id are answered as git does, in a worktree too", async () => {
	git("branch", "folder/branch");
	git("worktree", "add", "-q", "--detach", path.join(repository, "detached"));
	for (const name of ["HEAD", "refs/heads/main", "refs/heads/folder/branch", commit])
		expect([name, await plainCommit(repository, name)]).toEqual([name, known]);
	expect(await plainCommit(path.join(repository, "detached"), "HEAD")).toEqual(known);
	expect([await plainHead(repository), await plainHead(path.join(repository, "detached"))]).toEqual([
		"refs/heads/main",
		null,
	]);
});

test("names that lead elsewhere, locks, links, garbage, tags and trees are left to git", async () => {
	writeFileSync(inGit("outside"), `${commit}\n`);
	ref("main.lock", `${commit}\n`);
	ref("empty", "");
	ref("garbage", `${commit}x\n`);
	ref("unwritten", `${"1".repeat(40)}\n`);
	ref("tree", `${known.tree}\n`);
	ref("symbolic", "ref: refs/heads/main\n");
	symlinkSync(inGit("outside"), inGit("refs", "heads", "link"));
	git("-c", "user.name=p", "-c", "user.email=p@localhost", "tag", "-a", "-m", "t", "annotated");
	ref("tag", `${git("rev-parse", "annotated")}\n`);
	const heads = ["main.lock", "empty", "garbage", "unwritten", "tree", "symbolic", "link", "tag", "none"];
	for (const name of [...heads.map((head) => `refs/heads/${head}`), "refs/heads/../../outside", "refs/../outside"])
		expect([name, await plainCommit(repository, name)]).toEqual([name, null]);
	expect(await plainCommit(path.dirname(repository), "HEAD")).toBeNull();
	git("update-ref", "-d", "refs/heads/tag");
	for (const head of heads) rmSync(inGit("refs", "heads", head), { force: true });
});

test("a damaged commit is left to git", async () => {
	const file = inGit("objects", commit.slice(0, 2), commit.slice(2));
	const [whole, other] = [
		readFileSync(file),
		readFileSync(inGit("objects", known.tree.slice(0, 2), known.tree.slice(2))),
	];
	for (const bytes of [Buffer.alloc(0), whole.subarray(0, -4), other]) {
		rmSync(file);
		writeFileSync(file, bytes);
		expect(await plainCommit(repository, "HEAD")).toBeNull();
	}
	rmSync(file);
	writeFileSync(file, whole);
	expect(await plainCommit(repository, "HEAD")).toEqual(known);
});

test("a packed commit is known once git has found it, until the packs change", async () => {
	git("repack", "-a", "-d", "-q");
	expect(await plainCommit(repository, "HEAD")).toBeNull();
	noteObject(await packsOf(repository), commit);
	expect(await plainCommit(repository, "HEAD")).toEqual({ id: commit, tree: null });
	writeFileSync(inGit("objects", "pack", "new"), "");
	// two changes of a folder may have the same time
	utimesSync(inGit("objects", "pack"), 1, 1);
	expect(await plainCommit(repository, "HEAD")).toBeNull();
	noteObject(await packsOf(repository), commit);
	writeFileSync(inGit("objects", "info", "alternates"), "/somewhere\n");
	expect(await plainCommit(repository, "HEAD")).toBeNull();
	rmSync(inGit("objects", "info", "alternates"));
	git("pack-refs", "--all");
	expect([await plainHead(repository), await plainCommit(repository, "HEAD")]).toEqual(["refs/heads/main", null]);
});
