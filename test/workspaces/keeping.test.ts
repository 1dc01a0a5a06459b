// Health, recovery, removal, the trash and forks: nothing goes without a way back.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, fingerprint, identity, read, treeState, type World, write } from "#test/support/world.ts";

const codes = async (world: World, checkout: Checkout, commit: string | null = null): Promise<string[]> =>
	(await world.workspaces.health(checkout, { commit })).issues.map(({ code }) => code);

/** Staged, unstaged, untracked and ignored work. */
function mess(world: World, folder: string): void {
	write(folder, "a.txt", "staged\n");
	world.git(folder, "add", "a.txt");
	write(folder, "a.txt", "staged and changed\n");
	write(folder, "new/deep.txt", "untracked\n");
	write(folder, ".env", "ignored\n");
	rmSync(path.join(folder, "folder/b.txt"));
}

describe("health", () => {
	test("of a new workspace is good", async () => {
		const world = makeWorld();
		for (const kind of ["worktree", "clone", "main"] as const) {
			const checkout = await world.agent(`of-${kind}`, { kind });
			expect(await world.workspaces.health(checkout, { commit: world.tip("main") })).toEqual({
				healthy: true,
				issues: [],
			});
		}
	});

	test("names each way in which a workspace drifted, and repairs none", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		const seen = world.commit(folder, { x: "x\n" });
		world.git(folder, "reset", "-q", "--soft", "HEAD~1");
		expect(await codes(world, checkout, seen)).toEqual(["HEAD_WENT_BACK"]);
		world.git(folder, "checkout", "-q", "--detach");
		expect(await codes(world, checkout)).toEqual(["OTHER_BRANCH"]);
		world.git(world.repository, "branch", "-D", "brood/a");
		expect(await codes(world, checkout, seen)).toEqual(["OTHER_BRANCH", "BRANCH_GONE"]);
		// on a branch without a commit, whatever was seen of it
		world.git(folder, "symbolic-ref", "HEAD", "refs/heads/brood/a");
		expect(await codes(world, checkout)).toEqual(["BRANCH_GONE"]);
		world.git(folder, "checkout", "-q", "--detach", seen);
		const gitFolder = world.git(folder, "rev-parse", "--absolute-git-dir");
		write(gitFolder, "index.lock", "");
		write(gitFolder, "MERGE_HEAD", `${seen}\n`);
		const issues = (await world.workspaces.health(checkout)).issues;
		expect(issues.map(({ code }) => code)).toEqual(["OTHER_BRANCH", "LOCK_LEFT", "OPERATION_OPEN"]);
		expect(issues.every(({ fix }) => fix.startsWith("brood agent "))).toBe(true);
		rmSync(path.join(folder, ".git"));
		expect(await codes(world, checkout)).toEqual(["NOT_OURS"]);
		renameSync(folder, `${folder}-moved`);
		expect(await codes(world, checkout)).toEqual(["PATH_GONE"]);
		write(folder, "something else", "");
		expect(await codes(world, checkout)).toEqual(["NOT_OURS"]);
		expect(read(`${folder}-moved`, "x")).toBe("x\n");
	});

	test("sees a shared link that leads nowhere", async () => {
		const world = makeWorld();
		world.configure("setup: mkdir -p deps\nshared: [deps]\n");
		agreed(await world.workspaces.warm(world.project));
		const checkout = await world.agent("a");
		rmSync(path.join(world.home, "projects/p/primary/deps"), { recursive: true });
		expect(await codes(world, checkout)).toEqual(["LINK_BROKEN"]);
	});
});

describe("recover", () => {
	test("of a tree whose branch somebody moved back leaves it as it is, and keeps the commit that was there", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		const seen = world.commit(folder, { x: "x\n" });
		world.git(folder, "reset", "-q", "HEAD~1");
		mess(world, folder);
		const before = treeState(world, folder);
		const home = agreed(await world.workspaces.recover(checkout, {}, { seen }));
		expect(home).toMatchObject({
			updated: true,
			snapshot: null,
			branchStatus: { head: world.tip("main"), uncommitted: true },
		});
		expect(home.text).toMatch(
			/^brood\/a was moved to .* that commit is kept .* Your files were left as they are. They are in snapshot 1 as well.$/,
		);
		expect(treeState(world, folder)).toEqual(before);
		world.git(folder, "reflog", "expire", "--expire=now", "--all");
		world.git(world.repository, "gc", "-q", "--prune=now");
		expect(world.git(folder, "show", `${seen}:x`)).toBe("x");
	});

	test("of a workspace that is healthy again changes nothing; one with other problems is cleaned", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const seen = world.tip("brood/a");
		write(checkout.workspace.path, "new.txt", "n\n");
		const home = agreed(await world.workspaces.recover(checkout, {}, { seen }));
		expect([home.updated, home.text, read(checkout.workspace.path, "new.txt")]).toEqual([
			false,
			expect.stringMatching(/^Nothing is wrong/),
			"n\n",
		]);
		world.git(checkout.workspace.path, "checkout", "-q", "--detach");
		expect(agreed(await world.workspaces.recover(checkout, {}, { seen }))).toMatchObject({
			snapshot: expect.any(String),
			branchStatus: { uncommitted: false },
		});
		expect(world.git(checkout.workspace.path, "status", "--porcelain", "--branch")).toBe("## brood/a");
	});

	test("saves everything in a snapshot, cleans, goes home, and the snapshot brings it all back", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		mess(world, folder);
		const before = treeState(world, folder);
		world.commit(world.repository, { "next.txt": "n\n" });
		const home = agreed(await world.workspaces.recover(checkout));
		expect(home).toMatchObject({
			updated: true,
			snapshot: "1",
			branchStatus: { ahead: 0, behind: 0, uncommitted: false },
		});
		expect([world.git(folder, "status", "--porcelain"), read(folder, ".env"), read(folder, "next.txt")]).toEqual([
			"",
			"ignored\n",
			"n\n",
		]);
		agreed(await world.workspaces.restoreSnapshot(checkout, "1"));
		expect(treeState(world, folder)).toEqual(before);
		expect((await world.workspaces.snapshots(checkout)).map(({ id, reason }) => `${id} ${reason}`)).toEqual([
			"2 before a restore",
			"1 before a recovery",
		]);
		expect(agreed(await world.workspaces.showSnapshot(checkout, "1")).files.map((file) => file.path)).toEqual([
			"a.txt",
			"folder/b.txt",
			"new/deep.txt",
		]);
		expect(expectRefusal(await world.workspaces.restoreSnapshot(checkout, "7"), "SNAPSHOT_GONE").details).toEqual({
			snapshot: "7",
			nearest: "2",
		});
	});

	test.each(["merge", "rebase"])("ends a %s with conflicts, and keeps commits of its own", async (operation) => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		const own = world.commit(folder, { "a.txt": "mine\n" });
		world.commit(world.repository, { "a.txt": "theirs\n" });
		expect(() => world.git(folder, operation, "main")).toThrow();
		const home = agreed(await world.workspaces.recover(checkout));
		expect(home).toMatchObject({ branchStatus: { head: own, ahead: 1, behind: 1, uncommitted: false } });
		expect(await world.workspaces.health(checkout, { commit: own })).toEqual({ healthy: true, issues: [] });
		expect(read(folder, "a.txt")).toBe("mine\n");
	});

	test.each(["worktree", "clone"] as const)("makes a %s again whose folder is gone, with its commits", async (kind) => {
		const world = makeWorld();
		const checkout = await world.agent("a", { kind });
		write(checkout.workspace.path, "x", "x\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "work" }));
		// a clone's commits are the project's from the moment that somebody looks at them
		await world.workspaces.approve(checkout, { commit: "0".repeat(40) });
		rmSync(checkout.workspace.path, { recursive: true });
		expect(agreed(await world.workspaces.recover(checkout))).toMatchObject({
			updated: true,
			branchStatus: { head: commit, ahead: 1, uncommitted: false },
		});
		expect(read(checkout.workspace.path, "x")).toBe("x\n");
		expect(await world.workspaces.health(checkout, { commit })).toEqual({ healthy: true, issues: [] });
	});

	test("finds the repository again for a tree that lost its .git file, with its changes saved", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		mess(world, checkout.workspace.path);
		rmSync(path.join(checkout.workspace.path, ".git"));
		const home = agreed(await world.workspaces.recover(checkout));
		const diff = agreed(await world.workspaces.showSnapshot(checkout, home.snapshot ?? ""));
		expect(diff.files.map((file) => file.path)).toEqual(["a.txt", "folder/b.txt", "new/deep.txt"]);
	});

	test("brings a branch back that somebody deleted under its tree", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "x", "x\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "work" }));
		world.git(world.repository, "update-ref", "-d", "refs/heads/brood/a");
		expect(await codes(world, checkout, commit)).toEqual(["BRANCH_GONE"]);
		expect(agreed(await world.workspaces.recover(checkout)).branchStatus).toMatchObject({
			head: commit,
			ahead: 1,
			uncommitted: false,
		});
	});

	test("takes a lock away only when it is old", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const lock = path.join(world.git(checkout.workspace.path, "rev-parse", "--absolute-git-dir"), "index.lock");
		write(path.dirname(lock), "index.lock", "");
		const at = (ageMs: number): void => utimesSync(lock, (world.now - ageMs) / 1000, (world.now - ageMs) / 1000);
		at(5000);
		expectRefusal(await world.workspaces.recover(checkout), "CONFLICT");
		expect(existsSync(lock)).toBe(true);
		at(120_000);
		agreed(await world.workspaces.recover(checkout));
		expect(existsSync(lock)).toBe(false);
	});

	test("touches nothing that is not ours, and of main nothing that is not committed", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		rmSync(checkout.workspace.path, { recursive: true });
		write(checkout.workspace.path, "foreign.txt", "f\n");
		expectRefusal(await world.workspaces.recover(checkout), "PATH_EXISTS");
		expect(fingerprint(checkout.workspace.path)).toHaveProperty("foreign.txt");
		const main = await world.agent("m", { kind: "main" });
		mess(world, world.repository);
		const before = treeState(world, world.repository);
		expectRefusal(await world.workspaces.recover(main), "WORKTREE_DIRTY");
		expectRefusal(await world.workspaces.remove(main, { force: true }), "CONFLICT");
		expect(treeState(world, world.repository)).toEqual(before);
	});
});

describe("remove", () => {
	const inTrash = (world: World): string[] =>
		existsSync(path.join(world.home, "trash")) ? readdirSync(path.join(world.home, "trash")) : [];

	test.each(["worktree", "clone"] as const)("moves a clean %s into the trash and forgets it", async (kind) => {
		const world = makeWorld();
		const checkout = await world.agent("a", { kind });
		const removed = agreed(await world.workspaces.remove(checkout, { deleteBranch: true }));
		expect(removed).toEqual({
			snapshot: "1",
			trash: path.join(world.home, "trash", `${world.now}-p-a`),
			branchRemoved: kind === "worktree",
			teardown: null,
		});
		expect(existsSync(checkout.workspace.path)).toBe(false);
		expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(1);
		expect(world.git(world.repository, "branch", "--list", "brood/*")).toBe("");
		expect(agreed(await world.workspaces.remove(checkout, { deleteBranch: true }))).toMatchObject({ trash: null });
	});

	test("refuses what is dirty or not merged; by force it goes after a snapshot, and no commit is lost", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		const folder = checkout.workspace.path;
		const commit = world.commit(folder, { x: "x\n" });
		expect(expectRefusal(await world.workspaces.remove(checkout, {}), "CONFLICT").details["tip"]).toBe(commit);
		mess(world, folder);
		const before = treeState(world, folder);
		expectRefusal(await world.workspaces.remove(checkout, {}), "WORKTREE_DIRTY");
		expect(treeState(world, folder)).toEqual(before);
		const { trash, snapshot } = agreed(await world.workspaces.remove(checkout, { force: true, deleteBranch: true }));
		expect(read(path.join(trash ?? "", "files"), "new/deep.txt")).toBe("untracked\n");
		expect(snapshot).toBe("1");
		expect(world.git(world.repository, "branch", "--contains", commit)).toBe("");
		expect(world.git(world.repository, "for-each-ref", "--contains", commit, "refs/brood/branches")).toContain(commit);
		expect(agreed(await world.workspaces.showSnapshot(checkout, "1")).files.map((file) => file.path)).toContain(
			"new/deep.txt",
		);
	});

	test("knows what was merged by ancestry, by a recorded squash, by somebody else's squash, or by a caller's word", async () => {
		const world = makeWorld();
		const work = async (handle: string): Promise<{ checkout: Checkout; commit: string }> => {
			const checkout = await world.agent(handle);
			write(checkout.workspace.path, `${handle}.txt`, "x\n");
			return { checkout, commit: agreed(await world.workspaces.commit(checkout, { message: handle })).commit };
		};
		const [ancestry, squashed, elsewhere, told] = [await work("a"), await work("b"), await work("c"), await work("d")];
		agreed(await world.workspaces.approve(ancestry.checkout, { commit: ancestry.commit, strategy: "ff" }));
		agreed(await world.workspaces.approve(squashed.checkout, { commit: squashed.commit, strategy: "squash" }));
		world.git(world.repository, "merge", "-q", "--squash", "brood/c");
		world.git(world.repository, "commit", "-qm", "by hand");
		for (const { checkout } of [ancestry, squashed, elsewhere]) agreed(await world.workspaces.remove(checkout, {}));
		expectRefusal(await world.workspaces.remove(told.checkout, {}), "CONFLICT");
		agreed(await world.workspaces.remove(told.checkout, { merged: [told.commit] }));
	});

	test("runs the teardown command, whose failure keeps nothing, and never touches what is not ours", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		world.configure("teardown: echo bye; exit 1\n");
		expect(agreed(await world.workspaces.remove(checkout, {})).teardown).toMatchObject({ exit: 1, output: "bye\n" });
		write(checkout.workspace.path, "foreign", "f\n");
		expectRefusal(await world.workspaces.remove(checkout, { force: true }), "PATH_EXISTS");
		const other = await world.agent("b");
		expectRefusal(
			await world.workspaces.remove(
				{ ...checkout, workspace: { ...other.workspace, branch: "brood/a" } },
				{ force: true },
			),
			"PATH_EXISTS",
		);
		expect([read(checkout.workspace.path, "foreign"), existsSync(other.workspace.path)]).toEqual(["f\n", true]);
	});

	test("refuses one that somebody has locked, also by force", async () => {
		const world = makeWorld();
		const checkout = await world.agent("a");
		world.git(world.repository, "worktree", "lock", "--reason", "on a stick", checkout.workspace.path);
		expect(expectRefusal(await world.workspaces.remove(checkout, { force: true }), "CONFLICT").message).toContain(
			"on a stick",
		);
		expect(existsSync(checkout.workspace.path)).toBe(true);
	});

	test("gc frees what has been in the trash for more than 14 days and what died processes left, and says why first", async () => {
		const world = makeWorld();
		const [a, b, living] = [await world.agent("a"), await world.agent("b"), await world.agent("living")];
		agreed(await world.workspaces.remove(a, {}));
		world.now += 15 * 24 * 60 * 60 * 1000;
		agreed(await world.workspaces.remove(b, {}));
		const project = path.join(world.home, "projects", "p");
		world.git(world.repository, "worktree", "add", "-q", "--detach", path.join(project, "scratch", "left"));
		mkdirSync(path.join(project, ".clone-abc"));
		write(path.join(project, "agents", "stranger"), "file", "mine\n");
		const options = { withFolder: [living.agent] };
		const shown = await world.workspaces.gc(world.project, { ...options, dryRun: true });
		expect(shown.map(({ what, freed }) => `${what} ${freed}`)).toEqual([
			"trash true",
			"trash false",
			"scratch true",
			"clone true",
			"unknown false",
		]);
		expect(shown.map(({ reason }) => reason)).toContain("15 days in the trash, kept for 14");
		expect(inTrash(world)).toHaveLength(2);
		expect(await world.workspaces.gc(world.project, { ...options, dryRun: false })).toEqual(shown);
		expect(inTrash(world)).toEqual([`${world.now}-p-b`]);
		expect(read(path.join(project, "agents", "stranger"), "file")).toBe("mine\n");
		expect(world.git(world.repository, "worktree", "list").split("\n")).toHaveLength(2);
		expect(existsSync(living.workspace.path)).toBe(true);
	});
});

describe("a fork", () => {
	test.each([
		["worktree", "worktree"],
		["main", "worktree"],
		["worktree", "clone"],
		["clone", "worktree"],
		["clone", "clone"],
	] as const)("of a %s into a %s has the same commit, index and files", async (from, kind) => {
		const world = makeWorld();
		const parent = await world.agent("parent", { kind: from });
		world.commit(parent.workspace.path, { "own.txt": "o\n" });
		mess(world, parent.workspace.path);
		const before = treeState(world, parent.workspace.path);
		const forked = agreed(
			await world.workspaces.provisionFrom({ project: world.project, agent: identity("child"), kind, parent }),
		);
		const child = forked.workspace;
		const state = (folder: string): unknown => [
			world.git(folder, "status", "--porcelain=v2"),
			world.git(folder, "rev-parse", "HEAD"),
			world.git(folder, "ls-files", "--stage"),
			fingerprint(folder, (name) => name === ".git" || name === ".env"),
		];
		expect(state(child.path)).toEqual(state(parent.workspace.path));
		expect(treeState(world, parent.workspace.path)).toEqual(before);
		expect([
			child.branch,
			world.git(child.path, "symbolic-ref", "HEAD"),
			existsSync(path.join(child.path, ".env")),
		]).toEqual(["brood/child", "refs/heads/brood/child", false]);
		const again = agreed(
			await world.workspaces.provisionFrom({ project: world.project, agent: identity("child"), kind, parent }),
		);
		expect([again.found, again.workspace]).toEqual([true, child]);
	});

	test("of an older snapshot is as that one was, and a snapshot that is gone is refused with the nearest", async () => {
		const world = makeWorld();
		const parent = await world.agent("parent");
		write(parent.workspace.path, "a.txt", "then\n");
		const then = await world.workspaces.takeSnapshot(parent, { reason: "turn", turn: 3 });
		expect(then).toMatchObject({
			fresh: true,
			snapshot: { id: "1", turn: 3, reason: "turn", missing: [], ignored: 0 },
		});
		expect(await world.workspaces.takeSnapshot(parent, { reason: "turn", turn: 4 })).toEqual({ ...then, fresh: false });
		write(parent.workspace.path, "a.txt", "now\n");
		const request = { project: world.project, agent: identity("child"), kind: "worktree", parent } as const;
		expect(
			expectRefusal(await world.workspaces.provisionFrom({ ...request, snapshot: "9" }), "SNAPSHOT_GONE").details[
				"nearest"
			],
		).toBe("1");
		expect(existsSync(path.join(world.home, "projects/p/agents/child"))).toBe(false);
		const { workspace } = agreed(await world.workspaces.provisionFrom({ ...request, snapshot: "1" }));
		expect(read(workspace.path, "a.txt")).toBe("then\n");
	});
});
