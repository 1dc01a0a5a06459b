// The work cycle: commit, diff, sync, release, and what people do in an agent's workspace.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { wholeDiff, withAllFiles } from "#client/whole-diff.ts";
import type { DiffExtent } from "#engine/ports/workspace-requests.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, fingerprint, read, treeState, write } from "#test/support/world.ts";

describe("commit", () => {
	test("takes everything that is not ignored, in the agent's name, and names what it took", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		write(folder, "new file.txt", "n\n");
		write(folder, "a.txt", "changed\n");
		write(folder, "secret.log", "ignored\n");
		rmSync(path.join(folder, "folder/b.txt"));
		symlinkSync("a.txt", path.join(folder, "link"));
		const done = agreed(
			await world.workspaces.commit(checkout, { message: "Do it\n\nBecause.", stage: "IMPLEMENT", turn: 17 }),
		);
		expect(done).toEqual({
			commit: world.tip("brood/a"),
			branch: "brood/a",
			files: [
				{ status: "M", path: "a.txt" },
				{ status: "D", path: "folder/b.txt" },
				{ status: "A", path: "link" },
				{ status: "A", path: "new file.txt" },
			],
			omitted: [],
			trailers: { "Brood-Agent": "a", "Brood-Stage": "IMPLEMENT", "Brood-Turn": "17" },
		});
		expect(world.git(folder, "log", "-1", "--format=%an|%ae|%cn|%B")).toBe(
			"brood-agent-a|a@brood.local|brood-agent-a|Do it\n\nBecause.\n\nBrood-Agent: a\nBrood-Stage: IMPLEMENT\nBrood-Turn: 17",
		);
		expect(world.git(folder, "status", "--porcelain")).toBe("");
		expectRefusal(await world.workspaces.commit(checkout, { message: "again" }), "AGENT_NO_COMMIT");
	});

	test("takes only named paths if there are any, and leaves what is staged elsewhere staged", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		write(folder, "folder/x.txt", "x\n");
		write(folder, "folder/b.txt", "b2\n");
		write(folder, "a.txt", "staged\n");
		write(folder, "*.txt", "a name, not a pattern\n");
		world.git(folder, "add", "a.txt");
		const done = agreed(await world.workspaces.commit(checkout, { message: "part", paths: ["folder", "./*.txt"] }));
		expect(done.files.map((file) => file.path)).toEqual(["*.txt", "folder/b.txt", "folder/x.txt"]);
		expect(world.git(folder, "status", "--porcelain")).toBe("M  a.txt");
		for (const paths of [["../x"], ["/etc/passwd"], [".git/config"], ["folder/../../x"], [""], ["nothing-there"]]) {
			expectRefusal(await world.workspaces.commit(checkout, { message: "no", paths }), "VALIDATION_ERROR");
		}
	});

	test.each([
		["everything", undefined],
		["named paths", ["b.txt", "a.txt", "folder", "twice.txt"]],
	])("takes what was deleted and renamed in the index: %s", async (_, paths) => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.git(folder, "rm", "-q", "a.txt");
		world.git(folder, "mv", "folder/b.txt", "folder/c.txt");
		write(folder, "b.txt", "b\n");
		write(folder, "twice.txt", "added, then deleted\n");
		world.git(folder, "add", "twice.txt");
		rmSync(path.join(folder, "twice.txt"));
		const done = agreed(await world.workspaces.commit(checkout, { message: "part", ...(paths && { paths }) }));
		expect(done.files.map((file) => `${file.status} ${file.path}`)).toEqual([
			"D a.txt",
			"A b.txt",
			"D folder/b.txt",
			"A folder/c.txt",
		]);
		expect(world.git(folder, "status", "--porcelain")).toBe("");
		write(folder, "twice.txt", "again\n");
		world.git(folder, "add", "twice.txt");
		rmSync(path.join(folder, "twice.txt"));
		expectRefusal(await world.workspaces.commit(checkout, { message: "nothing" }), "AGENT_NO_COMMIT");
	});

	test("takes names that are not text, and a message that looks like an option", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.git(folder, "-c", "core.quotePath=false", "status");
		write(folder, "-n", "dash\n");
		write(folder, "tab\there\nand line", "odd\n");
		const odd = Buffer.concat([Buffer.from(`${folder}/odd-`), Buffer.from([0xff, 0xfe])]);
		const { writeFileSync } = await import("node:fs");
		writeFileSync(odd, "bytes\n");
		const done = agreed(await world.workspaces.commit(checkout, { message: "--amend" }));
		expect(done.files).toHaveLength(3);
		expect(world.git(folder, "status", "--porcelain")).toBe("");
		expect(world.git(folder, "log", "-1", "--format=%s %P")).toBe(`--amend ${world.tip("main")}`);
	});

	test("leaves a repository inside the workspace alone and says so", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		mkdirSync(path.join(checkout.workspace.path, "inner"));
		world.git(path.join(checkout.workspace.path, "inner"), "init", "-q");
		write(checkout.workspace.path, "inner/x", "x\n");
		const refusal = expectRefusal(await world.workspaces.commit(checkout, { message: "m" }), "AGENT_NO_COMMIT");
		expect(refusal.details["omitted"]).toEqual([{ path: "inner/", reason: "a repository of its own" }]);
		write(checkout.workspace.path, "y", "y\n");
		expect(agreed(await world.workspaces.commit(checkout, { message: "m" })).omitted).toEqual([
			{ path: "inner/", reason: "a repository of its own" },
		]);
	});

	test("refuses files over the limit by name", async () => {
		const world = makeWorld();
		world.configure("fileBytesMax: 1000\n");
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "big.bin", "");
		truncateSync(path.join(checkout.workspace.path, "big.bin"), 1001);
		write(checkout.workspace.path, "small", "s\n");
		expect(
			expectRefusal(await world.workspaces.commit(checkout, { message: "m" }), "TOO_LARGE").details["files"],
		).toEqual([{ path: "big.bin", bytes: 1001 }]);
		expect(world.git(checkout.workspace.path, "status", "--porcelain")).toBe("?? big.bin\n?? small");
		expect(agreed(await world.workspaces.commit(checkout, { message: "m", paths: ["small"] })).files).toEqual([
			{ status: "A", path: "small" },
		]);
	});

	test("refuses while files are in conflict, finishes a merge that has none, and refuses elsewhere than on its branch", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.commit(folder, { "a.txt": "mine\n" });
		world.commit(world.repository, { "a.txt": "theirs\n" });
		expect(() => world.git(folder, "merge", "main")).toThrow();
		expect(
			expectRefusal(await world.workspaces.commit(checkout, { message: "m" }), "MERGE_CONFLICT").details["files"],
		).toEqual(["a.txt"]);
		write(folder, "a.txt", "both\n");
		world.git(folder, "add", "a.txt");
		agreed(await world.workspaces.commit(checkout, { message: "merged" }));
		expect(world.git(folder, "log", "-1", "--format=%P").split(" ")).toHaveLength(2);
		world.git(folder, "checkout", "-q", "--detach");
		write(folder, "x", "x\n");
		expectRefusal(await world.workspaces.commit(checkout, { message: "m" }), "CONFLICT");
		expectRefusal(await world.workspaces.commit(checkout, { message: " " }), "VALIDATION_ERROR");
	});
});

describe("diff", () => {
	test("against base shows commits, staged, unstaged and untracked work, and changes neither the index nor the files", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.commit(folder, { "committed.txt": "c\n" });
		world.commit(world.repository, { "later.txt": "base went on\n" });
		write(folder, "staged.txt", "s\n");
		world.git(folder, "add", "staged.txt");
		write(folder, "a.txt", "one\ntwo\n");
		write(folder, "new.txt", "n\n");
		write(folder, "x.log", "ignored\n");
		chmodSync(path.join(folder, "folder/b.txt"), 0o755);
		const before = treeState(world, folder);
		const diff = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
		expect(diff.files).toEqual([
			{ path: "a.txt", from: null, added: 0, deleted: 1 },
			{ path: "committed.txt", from: null, added: 1, deleted: 0 },
			{ path: "folder/b.txt", from: null, added: 0, deleted: 0 },
			{ path: "new.txt", from: null, added: 1, deleted: 0 },
			{ path: "staged.txt", from: null, added: 1, deleted: 0 },
		]);
		expect(diff.patch).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n two\n-three\n");
		expect([diff.truncated, diff.against]).toEqual([false, world.tip("main~1")]);
		const index = agreed(await world.workspaces.diff(checkout, { kind: "index" }));
		expect(index.files.map((file) => file.path)).toEqual(["a.txt", "folder/b.txt", "new.txt"]);
		expect(treeState(world, folder)).toEqual(before);
	});

	test("against another agent compares the trees as they are, also of a clone", async () => {
		const world = makeWorld();
		for (const kind of ["worktree", "clone"] as const) {
			const [one, two] = [await world.agent(`one-${kind}`), await world.agent(`two-${kind}`, { kind })];
			write(one.workspace.path, "both.txt", "of one\n");
			write(two.workspace.path, "both.txt", "of two\n");
			write(two.workspace.path, "only two.txt", "2\n");
			const before = treeState(world, two.workspace.path);
			const diff = agreed(await world.workspaces.diff(one, { kind: "agent", checkout: two }));
			expect(diff.files).toEqual([
				{ path: "both.txt", from: null, added: 1, deleted: 1 },
				{ path: "only two.txt", from: null, added: 0, deleted: 1 },
			]);
			expect(diff.patch).toContain("-of two\n+of one\n");
			expect(treeState(world, two.workspace.path)).toEqual(before);
		}
	});

	test("is bounded and says so; renames and what is not text are told", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.git(folder, "mv", "a.txt", "renamed.txt");
		write(folder, "binary", "\0\x01\x02");
		const small = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
		expect(small.files).toEqual([
			{ path: "binary", from: null, added: null, deleted: null },
			{ path: "renamed.txt", from: "a.txt", added: 0, deleted: 0 },
		]);
		write(folder, "long.txt", "line\n".repeat(300_000));
		write(folder, "z.txt", "z\n");
		const large = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
		expect([large.truncated, large.files.length, large.patch.length <= 1024 * 1024]).toEqual([true, 4, true]);
		expect(large.omitted).toEqual([]);
		expect([large.next, large.total]).toEqual([
			{ file: null, patch: "long.txt" },
			{ files: 4, added: 300_001, deleted: 0 },
		]);
		const from = async (part: DiffExtent) =>
			agreed(await world.workspaces.diff(checkout, { kind: "base", what: part }));
		const rest = await from({ from: "renamed.txt" });
		expect(rest.files.map((file) => file.path)).toEqual(["renamed.txt", "z.txt"]);
		expect([rest.next, rest.truncated, rest.total]).toEqual([{ file: null, patch: null }, false, large.total]);
		expect(rest.patch).toContain("rename from a.txt");
		// a file that is gone since: the next one
		expect((await from({ from: "renamed" })).files).toEqual(rest.files);
		expect((await from({ bytesMax: 64 * 1024 * 1024 })).patch.match(/^\+line$/gm)).toHaveLength(300_000);
		const whole = await wholeDiff(large, from);
		expect(whole.patch.match(/^diff --git .*/gm)).toEqual([
			"diff --git a/binary b/binary",
			"diff --git a/long.txt b/long.txt",
			"diff --git a/a.txt b/renamed.txt",
			"diff --git a/z.txt b/z.txt",
		]);
		expect(whole.patch.match(/^\+line$/gm)).toHaveLength(300_000);
	});

	test("of more files than an answer lists is read to its end, each file once", async () => {
		const world = makeWorld();
		const blob = world.git(world.repository, "rev-parse", "main:a.txt");
		const names = Array.from({ length: 20_003 }, (_, at) => `many/${String(at).padStart(5, "0")}`);
		const entries = names.map((name) => `100644 ${blob}\t${name}\n`).join("");
		execFileSync("git", ["update-index", "--index-info"], { cwd: world.repository, input: entries });
		const tree = world.git(world.repository, "write-tree");
		const commit = world.git(world.repository, "commit-tree", "-p", "main", "-m", "many", tree);
		const { project } = await world.agent("a");
		const ask = async (what: DiffExtent) =>
			agreed(await world.workspaces.diffOfCommit(project, { base: "main", commit, what }));
		const first = await ask("patch");
		expect([first.files.length, first.total.files, first.next]).toEqual([
			20_000,
			20_003,
			{ file: "many/20000", patch: "many/01000" },
		]);
		const all = await withAllFiles(first, ask);
		expect(all.files.map((file) => file.path)).toEqual(names);
	});

	test("whose patch is too long is cut between files, also where a file became a link", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		write(folder, "aa.txt", `${"x".repeat(9010)}\n`.repeat(116));
		rmSync(path.join(folder, "folder/b.txt"));
		symlinkSync("y/".repeat(2000), path.join(folder, "folder/b.txt"));
		write(folder, "z.txt", "z\n");
		const diff = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
		expect(diff.files.map((file) => file.path)).toEqual(["aa.txt", "folder/b.txt", "z.txt"]);
		expect(diff.patch.match(/^diff --git .*/gm)).toEqual(["diff --git a/aa.txt b/aa.txt"]);
		expect(diff.next).toEqual({ file: null, patch: "folder/b.txt" });
		const rest = agreed(await world.workspaces.diff(checkout, { kind: "base", what: { from: "folder/b.txt" } }));
		expect(rest.patch.match(/^diff --git .*/gm)).toEqual([
			"diff --git a/folder/b.txt b/folder/b.txt",
			"diff --git a/folder/b.txt b/folder/b.txt",
			"diff --git a/z.txt b/z.txt",
		]);
	});
});

describe("sync", () => {
	test.each(["ff", "rebase", "merge"] as const)(
		"%s brings base in where there is nothing of one's own",
		async (strategy) => {
			const world = makeWorld();
			const checkout = await world.agent("a");
			const next = world.commit(world.repository, { "next.txt": "n\n" });
			const done = agreed(await world.workspaces.sync(checkout, strategy));
			expect(done).toMatchObject({
				updated: true,
				branchStatus: { head: next, baseCommit: next, ahead: 0, behind: 0, uncommitted: false },
			});
			expect(done.text).toBe(`Files updated to main: 1 commit (${strategy}).`);
			expect(read(checkout.workspace.path, "next.txt")).toBe("n\n");
			expect(agreed(await world.workspaces.sync(checkout, strategy)).updated).toBe(false);
		},
	);

	test.each(["worktree", "clone"] as const)(
		"puts one's own commits of a %s on top of base, or merges base into them",
		async (kind) => {
			const world = makeWorld();
			const checkout = await world.agent("a", { kind });
			const folder = checkout.workspace.path;
			const own = world.commit(folder, { "own.txt": "o\n" });
			const base = world.commit(world.repository, { "next.txt": "n\n" });
			expectRefusal(await world.workspaces.sync(checkout, "ff"), "CONFLICT");
			expect(agreed(await world.workspaces.sync(checkout, "rebase")).branchStatus).toMatchObject({
				ahead: 1,
				behind: 0,
			});
			expect(world.git(folder, "log", "-1", "--format=%P %an")).toBe(
				`${base} ${kind === "clone" ? "brood-agent-a" : "person"}`,
			);
			expect(world.git(folder, "for-each-ref", "--contains", own, "refs/brood/")).toContain(own);
			const more = world.commit(world.repository, { "more.txt": "m\n" });
			const tip = world.tip("HEAD", folder);
			expect(agreed(await world.workspaces.sync(checkout, "merge")).branchStatus).toMatchObject({
				ahead: 2,
				behind: 0,
			});
			expect(world.git(folder, "log", "-1", "--format=%P %an")).toBe(`${tip} ${more} brood-agent-a`);
			expect(world.git(folder, "status", "--porcelain")).toBe("");
			expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(kind === "clone" ? 1 : 2);
		},
	);

	test.each(["rebase", "merge"] as const)(
		"%s with a conflict lists the files and leaves every byte as it was",
		async (strategy) => {
			const world = makeWorld();
			const checkout = await world.agent("a");
			const folder = checkout.workspace.path;
			world.commit(folder, { "a.txt": "mine\n", "own.txt": "o\n", "folder/b.txt": "mine too\n" });
			world.commit(world.repository, { "a.txt": "theirs\n", "folder/b.txt": "theirs too\n" });
			write(folder, "keep.log", "ignored\n");
			const before = {
				tree: treeState(world, folder),
				refs: world.git(world.repository, "for-each-ref"),
				person: treeState(world, world.repository),
			};
			expect(expectRefusal(await world.workspaces.sync(checkout, strategy), "MERGE_CONFLICT").details["files"]).toEqual(
				["a.txt", "folder/b.txt"],
			);
			expect({
				tree: treeState(world, folder),
				refs: world.git(world.repository, "for-each-ref"),
				person: treeState(world, world.repository),
			}).toEqual(before);
		},
	);

	test("refuses a dirty tree with what is dirty, and a file of base that an ignored one stands in the way of", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.commit(world.repository, { "next.txt": "n\n" });
		write(folder, "a.txt", "dirty\n");
		const refusal = expectRefusal(await world.workspaces.sync(checkout, "merge"), "WORKTREE_DIRTY");
		expect(refusal.details).toMatchObject({ status: [".M a.txt"], operation: null });
		expect(refusal.suggestions).toEqual([
			"brood agent diff p/a",
			"brood agent commit p/a --message 'work in progress'",
		]);
		world.git(folder, "checkout", "-q", "a.txt");
		write(folder, ".env", "precious\n");
		world.git(world.repository, "add", "-f", "--", ".gitignore");
		write(world.repository, ".env", "of base\n");
		world.git(world.repository, "add", "-f", ".env");
		world.git(world.repository, "commit", "-qm", "env");
		const before = treeState(world, folder);
		expect(expectRefusal(await world.workspaces.sync(checkout, "ff"), "WORKTREE_DIRTY").details["status"]).toEqual([
			".env",
		]);
		expect(treeState(world, folder)).toEqual(before);
	});
});

describe("release", () => {
	test("goes to base if there is nothing of one's own, else stays and says how far ahead", async () => {
		const world = makeWorld();
		const [idle, busy] = [await world.agent("idle"), await world.agent("busy")];
		const own = world.commit(busy.workspace.path, { "own.txt": "o\n" });
		const next = world.commit(world.repository, { "next.txt": "n\n" });
		expect(agreed(await world.workspaces.release(idle))).toMatchObject({
			updated: true,
			branchStatus: { head: next, ahead: 0, behind: 0 },
		});
		const home = agreed(await world.workspaces.release(busy));
		expect(home).toMatchObject({
			updated: false,
			branchStatus: { head: own, ahead: 1, behind: 1 },
			text: "brood/busy is 1 ahead of main and 1 behind.",
		});
		write(idle.workspace.path, "x", "x\n");
		expectRefusal(await world.workspaces.release(idle), "WORKTREE_DIRTY");
		expect(existsSync(path.join(idle.workspace.path, "x"))).toBe(true);
	});

	test("comes back from another branch or a detached HEAD, and loses no commit on the way", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		world.git(folder, "checkout", "-q", "--detach");
		const lost = world.commit(folder, { "stray.txt": "s\n" });
		expect(agreed(await world.workspaces.release(checkout))).toMatchObject({
			updated: true,
			text: "You are on brood/a now. brood/a is where main is.",
		});
		expect(world.git(world.repository, "for-each-ref", "--contains", lost, "--format=%(refname)")).toBe(
			`refs/brood/left/${checkout.agent.id}/${lost}`,
		);
	});

	test("of main only moves forward, and is refused when dirty or ahead", async () => {
		const world = makeWorld();
		world.git(world.root, "clone", "-q", "--bare", world.repository, "upstream.git");
		world.git(world.repository, "remote", "add", "origin", path.join(world.root, "upstream.git"));
		world.git(world.repository, "fetch", "-q", "origin");
		world.git(world.repository, "branch", "-q", "-u", "origin/main");
		world.git(world.root, "clone", "-q", "upstream.git", "other");
		const next = world.commit(path.join(world.root, "other"), { "next.txt": "n\n" });
		world.git(path.join(world.root, "other"), "push", "-q");
		const checkout = await world.agent("a", { kind: "main" });
		write(world.repository, "a.txt", "dirty\n");
		expectRefusal(await world.workspaces.release(checkout), "WORKTREE_DIRTY");
		world.git(world.repository, "checkout", "-q", "a.txt");
		agreed(await world.workspaces.release(checkout));
		expect(world.tip("main")).toBe(next);
		world.commit(path.join(world.root, "other"), { "next.txt": "n2\n" });
		world.git(path.join(world.root, "other"), "push", "-q");
		world.commit(world.repository, { "mine.txt": "m\n" });
		const before = fingerprint(world.repository, (name) => name === ".git");
		expectRefusal(await world.workspaces.release(checkout), "CONFLICT");
		expect(fingerprint(world.repository, (name) => name === ".git")).toEqual(before);
	});
});

test("commits since the last one that was seen are told with their authors, oldest first, without what came from base", async () => {
	const world = makeWorld();
	const checkout = await world.agent("a");
	const folder = checkout.workspace.path;
	write(folder, "x", "x\n");
	const { commit: own } = agreed(await world.workspaces.commit(checkout, { message: "by the agent" }));
	const theirs = world.commit(folder, { y: "y\n" }, "by a person");
	world.commit(world.repository, { "base.txt": "b\n" });
	agreed(await world.workspaces.sync(checkout, "merge"));
	const seen = agreed(await world.workspaces.commitsSince(checkout, null));
	expect(seen.map(({ subject, author, byAgent }) => [subject, author, byAgent])).toEqual([
		["by the agent", "brood-agent-a", true],
		["by a person", "person", false],
		["Merge main into brood/a", "brood-agent-a", true],
	]);
	expect(agreed(await world.workspaces.commitsSince(checkout, own)).map(({ commit }) => commit)).toEqual([
		theirs,
		world.tip("brood/a"),
	]);
	expect(await world.workspaces.commitsSince(checkout, world.tip("brood/a"))).toEqual([]);
});
