// The work cycle of an agent in a sandbox: a git folder of its own, every step inside of its sandbox, and what is new
// in the project.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { inside } from "#test/support/sandbox.ts";
import { agreed, identity, read, type World, write } from "#test/support/world.ts";

const makeSandboxed = (options: { empty?: boolean } = {}): World => {
	const world = makeWorld({ containment: "bubblewrap", ...options });
	world.configure("sandbox: on\n");
	return world;
};

describe.runIf(hasSandboxes)("an agent with a git folder of its own", () => {
	test("is made with nothing of git in its tree, and with its branch in the project", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const { path: folder, branch } = checkout.workspace;
		expect(checkout.workspace).toMatchObject({ kind: "worktree", branch: "brood/a", base: "main" });
		expect([readdirSync(path.join(folder, ".git")).sort(), read(folder, "a.txt")]).toEqual([
			["HEAD", "config", "objects", "refs"],
			"one\ntwo\nthree\n",
		]);
		expect(world.tip(branch)).toBe(world.tip("main"));
		expect(await inside(world, checkout, "git status --short --branch")).toBe("## brood/a\nexit 0\n");
		expect(await world.workspaces.health(checkout)).toEqual({ healthy: true, issues: [] });
		expect(await world.workspaces.branchStatus(checkout)).toMatchObject({ ahead: 0, behind: 0, uncommitted: false });
		// asked again, it is found
		expect(
			agreed(await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" })),
		).toMatchObject({ found: true });
	});

	test("snapshots asked for at the same time are one, with the next number", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const take = () => world.workspaces.takeSnapshot(checkout, { reason: "uploaded" });
		const taken = await Promise.all([take(), take(), take()]);
		expect(taken.map(({ snapshot, fresh }) => [snapshot.id, fresh]).sort()).toEqual([
			["1", false],
			["1", false],
			["1", true],
		]);
	});

	test("commits by itself and through Brood, syncs, is approved, and is removed with a way back", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		expect(
			await inside(world, checkout, "echo two > b.txt && git add . && git commit -qm 'By itself' && echo x > c.txt"),
		).toBe("exit 0\n");
		const made = agreed(await world.workspaces.commit(checkout, { message: "Through Brood" }));
		expect(world.git(world.repository, "log", "-2", "--format=%s|%an", checkout.workspace.branch)).toBe(
			"Through Brood|brood-agent-a\nBy itself|brood-agent-a",
		);
		expect(agreed(await world.workspaces.commitsSince(checkout, null)).map(({ subject }) => subject)).toEqual([
			"By itself",
			"Through Brood",
		]);
		world.commit(world.repository, { "main.txt": "m\n" }, "on main");
		expect(agreed(await world.workspaces.sync(checkout, "rebase"))).toMatchObject({
			updated: true,
			branchStatus: { ahead: 2, behind: 0, uncommitted: false },
		});
		const tip = world.tip(checkout.workspace.branch);
		// the commits that the rebase left behind are kept in the project
		expect(world.git(world.repository, "for-each-ref", "--format=%(objectname)", "refs/brood/left")).toBe(made.commit);
		write(checkout.workspace.path, "dirt.txt", "not yet\n");
		expectRefusal(await world.workspaces.approve(checkout, { commit: tip }), "WORKTREE_DIRTY");
		const patch = agreed(await world.workspaces.diff(checkout, { kind: "base" }));
		expect(patch.files.map((file) => file.path)).toEqual(["b.txt", "c.txt", "dirt.txt"]);
		agreed(await world.workspaces.commit(checkout, { message: "dirt" }));
		const merged = agreed(await world.workspaces.approve(checkout, { commit: world.tip(checkout.workspace.branch) }));
		expect(world.tip("main")).toBe(merged.commit);
		expect(agreed(await world.workspaces.release(checkout))).toMatchObject({
			updated: true,
			branchStatus: { ahead: 0, behind: 0 },
		});
		write(checkout.workspace.path, "late.txt", "late\n");
		expectRefusal(await world.workspaces.remove(checkout, {}), "WORKTREE_DIRTY");
		const removed = agreed(await world.workspaces.remove(checkout, { force: true, deleteBranch: true }));
		expect([
			existsSync(checkout.workspace.path),
			existsSync(path.join(world.home, "projects/p/git/a")),
			removed.branchRemoved,
		]).toEqual([false, false, true]);
		expect(readdirSync(removed.trash ?? "").sort()).toEqual(["brood.json", "files", "git", "own.json"]);
		expect(
			world.git(
				world.repository,
				"show",
				`refs/brood/snapshots/${checkout.agent.id}/${removed.snapshot}:tree/late.txt`,
			),
		).toBe("late");
	});

	test("has its snapshots in the project, unchanged ones once, and goes back to them", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const first = await world.workspaces.takeSnapshot(checkout, { reason: "one" });
		expect([first.fresh, first.snapshot.id]).toEqual([true, "1"]);
		expect(await world.workspaces.takeSnapshot(checkout, { reason: "same" })).toMatchObject({
			fresh: false,
			snapshot: { id: "1" },
		});
		await inside(world, checkout, "echo changed > a.txt; echo new > n.txt; git add n.txt; echo newer > n.txt");
		expect(await world.workspaces.takeSnapshot(checkout, { reason: "two" })).toMatchObject({
			fresh: true,
			snapshot: { id: "2" },
		});
		expect((await world.workspaces.snapshots(checkout)).map(({ id }) => id)).toEqual(["2", "1"]);
		expect(agreed(await world.workspaces.showSnapshot(checkout, "2")).files.map((file) => file.path)).toEqual([
			"a.txt",
			"n.txt",
		]);
		expect(agreed(await world.workspaces.restoreSnapshot(checkout, "1"))).toMatchObject({
			updated: true,
			snapshot: "2",
		});
		expect(await inside(world, checkout, "git status --short; cat a.txt")).toBe("one\ntwo\nthree\nexit 0\n");
		agreed(await world.workspaces.restoreSnapshot(checkout, "2"));
		expect(await inside(world, checkout, "git status --short; cat n.txt; git show :n.txt")).toBe(
			" M a.txt\nAM n.txt\nnewer\nnew\nexit 0\n",
		);
	});

	test("a snapshot that an agent forged is none, and none of its words reaches a command line", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		await world.workspaces.takeSnapshot(checkout, { reason: "one" });
		const target = path.join(world.root, "written-by-git");
		const manifest = JSON.parse(
			world.git(world.repository, "show", `refs/brood/snapshots/${checkout.agent.id}/1:manifest.json`),
		);
		const digest = "d".repeat(64);
		const forged = [
			{
				manifest: { ...manifest, head: { ...manifest.head, commit: `--output=${target}` } },
				message: `Snapshot: x\n\nContent: ${digest}\n`,
			},
			{ manifest: { ...manifest, tree: `--output=${target}` }, message: `Snapshot: x\n\nContent: ${digest}\n` },
			{ manifest: { ...manifest, at: 1e300 }, message: `Snapshot: x\n\nContent: ${digest}\n` },
			{
				manifest,
				message: `Snapshot: x\n\nContent: ${digest}\n${manifest.tree} 1 refs/brood/snapshots/${identity("b").id}/9 Content: ${digest}\n`,
			},
			{ manifest, message: `before\n\nSnapshot: x\n\nContent: ${digest}\n` },
		];
		for (const { manifest: words, message } of forged) {
			write(checkout.workspace.path, "manifest.json", JSON.stringify(words));
			write(checkout.workspace.path, "message", message);
			const plant = [
				"m=$(git hash-object -w manifest.json); t=$(git rev-parse HEAD^{tree})",
				"tree=$(printf '100644 blob %s\\tmanifest.json\\n040000 tree %s\\ttree\\n' $m $t | git mktree)",
				"git update-ref refs/brood/taken $(git commit-tree -F message $tree); rm manifest.json message; echo more >> a.txt",
			];
			expect(await inside(world, checkout, plant.join("; "))).toBe("exit 0\n");
			agreed(await world.workspaces.commit(checkout, { message: "mine" }));
			expect((await world.workspaces.snapshots(checkout)).map(({ id }) => id)).toEqual(["1"]);
		}
		for (const id of ["1", "2"]) await world.workspaces.showSnapshot(checkout, id);
		expect(existsSync(target)).toBe(false);
		// the next real one is taken as ever
		expect(await world.workspaces.takeSnapshot(checkout, { reason: "two" })).toMatchObject({
			fresh: true,
			snapshot: { id: "2" },
		});
	});

	test("is forked with its files, staged and not, into another sandbox", async () => {
		const world = makeSandboxed();
		const parent = await world.agent("a");
		await inside(
			world,
			parent,
			"echo c > c.txt; git add c.txt; git commit -qm mine; echo staged > s.txt; git add s.txt; echo more >> s.txt; echo u > u.txt; echo log > x.log",
		);
		const request = { project: world.project, agent: identity("b"), kind: "worktree" as const, parent };
		const { workspace } = agreed(await world.workspaces.provisionFrom(request));
		const child: Checkout = { project: world.project, agent: identity("b"), workspace };
		expect(
			await inside(world, child, "git status --short; git log -1 --format=%s; cat s.txt; git show :s.txt; ls"),
		).toBe("AM s.txt\n?? u.txt\nmine\nstaged\nmore\nstaged\na.txt\nc.txt\nfolder\ns.txt\nu.txt\nexit 0\n");
		// what it has is its own
		await inside(world, child, "echo child > c.txt; git commit -qam child");
		expect([
			await inside(world, parent, "cat c.txt"),
			agreed(await world.workspaces.branchStatus(child)).ahead,
		]).toEqual(["c\nexit 0\n", 2]);
		expect(
			agreed(await world.workspaces.diff(child, { kind: "agent", checkout: parent })).files.map((file) => file.path),
		).toEqual(["c.txt"]);
		const older = { ...request, agent: identity("c"), snapshot: "1" };
		const from = agreed(await world.workspaces.provisionFrom(older));
		expect(
			await inside(world, { ...child, agent: identity("c"), workspace: from.workspace }, "git status --short"),
		).toBe("AM s.txt\n?? u.txt\nexit 0\n");
	});

	test("works in a repository without commits", async () => {
		const world = makeSandboxed({ empty: true });
		const checkout = await world.agent("a");
		await inside(world, checkout, "echo 1 > one.txt");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "first" }));
		expect(world.tip(checkout.workspace.branch)).toBe(commit);
		expect(agreed(await world.workspaces.approve(checkout, { commit })).commit).toBe(commit);
	});

	test("is recovered: its folder, its git folder, its branch and its index", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		await inside(world, checkout, "echo b > b.txt; git add .; git commit -qm kept");
		await world.workspaces.takeSnapshot(checkout, { reason: "end of turn" });
		await inside(world, checkout, "echo dirty >> a.txt; echo garbage > .git/index");
		expect(agreed(await world.workspaces.recover(checkout)).text).toMatch(/index could not be read/);
		await inside(world, checkout, "echo again >> a.txt; rm -rf .git/* 2>/dev/null");
		expect((await world.workspaces.health(checkout)).issues.map(({ code }) => code)).toEqual(["NOT_OURS"]);
		const home = agreed(await world.workspaces.recover(checkout));
		expect([home.text, home.branchStatus.ahead]).toEqual([expect.stringMatching(/git folder could not be read/), 1]);
		expect(await inside(world, checkout, "git status --short; git log -1 --format=%s; tail -1 a.txt")).toBe(
			"kept\nthree\nexit 0\n",
		);
		expect(
			world.git(world.repository, "show", `refs/brood/snapshots/${checkout.agent.id}/${home.snapshot}:tree/a.txt`),
		).toMatch(/again/);
		await inside(world, checkout, "git checkout -q --detach; git branch -D brood/a");
		expect(
			(await world.workspaces.health(checkout, { commit: world.tip("brood/a") })).issues.map(({ code }) => code),
		).toEqual(["OTHER_BRANCH", "BRANCH_GONE"]);
		agreed(await world.workspaces.recover(checkout));
		expect(await inside(world, checkout, "git status --short --branch")).toBe("## brood/a\nexit 0\n");
	});

	test("goes to the branch of an issue, which another then finds with its work", async () => {
		const world = makeSandboxed();
		const [a, b] = [await world.agent("a"), await world.agent("b")];
		const on = (checkout: Checkout): Checkout => ({
			...checkout,
			workspace: { ...checkout.workspace, branch: "issue/1" },
		});
		agreed(await world.workspaces.switchBranch(on(a)));
		await inside(world, a, "echo i > i.txt");
		agreed(await world.workspaces.commit(on(a), { message: "issue" }));
		agreed(await world.workspaces.switchBranch(a));
		agreed(await world.workspaces.switchBranch(on(b)));
		expect(await inside(world, b, "cat i.txt; git status --short --branch")).toBe("i\n## issue/1\nexit 0\n");
		await inside(world, b, "echo more > j.txt; git add .; git commit -qm more");
		await world.workspaces.takeSnapshot(on(b), { reason: "end of turn" });
		agreed(await world.workspaces.switchBranch(b));
		agreed(await world.workspaces.switchBranch(on(a)));
		expect(await inside(world, a, "cat j.txt")).toBe("more\nexit 0\n");
	});

	test("moves into a git folder of its own when its project begins to want a sandbox, with all of its work", async () => {
		const world = makeWorld({ containment: "bubblewrap" });
		const checkout = await world.agent("a");
		world.commit(checkout.workspace.path, { "b.txt": "b\n" }, "mine");
		writeFileSync(path.join(checkout.workspace.path, "u.txt"), "untracked\n");
		world.configure("sandbox: on\n");
		const mounts = await world.workspaces.mounts(world.project, checkout.workspace.path, checkout.workspace);
		expect(mounts).toMatchObject({ code: "CONFLICT", suggestions: ["brood agent recover p/a"] });
		expect(await world.workspaces.health(checkout, { commit: null })).toMatchObject({
			issues: [{ code: "NOT_SANDBOXED", fix: "brood agent recover p/a" }],
		});
		const home = agreed(await world.workspaces.recover(checkout));
		expect(await world.workspaces.health(checkout, { commit: null })).toMatchObject({ issues: [] });
		expect(home.branchStatus).toMatchObject({ ahead: 1, uncommitted: true });
		expect(await inside(world, checkout, "git status --short; git log -1 --format=%s; cat u.txt")).toBe(
			"?? u.txt\nmine\nuntracked\nexit 0\n",
		);
		expect(readFileSync(path.join(world.repository, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
		expect(world.git(world.repository, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
	});

	test("is told of a commit that git refuses, and recovers with its files, which a snapshot keeps", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const evil = await inside(
			world,
			checkout,
			`tree=$(printf "040000 tree $(git write-tree)\\t.GIT\\n" | git mktree)
			git update-ref HEAD $(git commit-tree -p HEAD -m evil $tree); echo precious > p.txt; git rev-parse HEAD`,
		);
		const seen = { commit: null };
		expect((await world.workspaces.health(checkout, seen)).issues).toEqual([
			expect.objectContaining({ code: "COMMITS_REFUSED", fix: "brood agent recover p/a" }),
		]);
		const moved = agreed(await world.workspaces.recover(checkout));
		expect(moved.text).toMatch(/^Git refuses its commits: .*hasDotgit.*; your git folder is in the trash/);
		expect((await world.workspaces.health(checkout, seen)).issues).toEqual([]);
		expect(() => world.git(world.repository, "cat-file", "-e", evil.split("\n")[0] ?? "")).toThrow();
		agreed(await world.workspaces.restoreSnapshot(checkout, moved.snapshot ?? ""));
		expect(await inside(world, checkout, "cat p.txt")).toBe("precious\nexit 0\n");
	});

	test("keeps what it borrows, whatever the person removes from the repository, until it is gone itself", async () => {
		const world = makeSandboxed();
		const parent = await world.agent("a");
		await inside(
			world,
			parent,
			"echo b > b.txt; git add b.txt; git commit -qm mine; echo staged > s.txt; git add s.txt; rm s.txt",
		);
		const child: Checkout = {
			...{ project: world.project, agent: identity("b") },
			workspace: agreed(
				await world.workspaces.provisionFrom({
					project: world.project,
					agent: identity("b"),
					kind: "worktree",
					parent,
				}),
			).workspace,
		};
		const removed = agreed(await world.workspaces.remove(parent, { force: true, deleteBranch: true }));
		world.git(world.repository, "branch", "-D", "brood/b");
		// snapshots may go as well: their time comes sooner than that of a workspace
		for (const ref of world
			.git(world.repository, "for-each-ref", "--format=%(refname)", "refs/brood/snapshots", "refs/brood/left")
			.split("\n"))
			world.git(world.repository, "update-ref", "-d", ref);
		world.git(world.repository, "reflog", "expire", "--expire=now", "--all");
		world.git(world.repository, "gc", "-q", "--prune=now");
		expect(
			await inside(
				world,
				child,
				"git fsck --connectivity-only 2>&1 | grep -v dangling; git log -1 --format=%s; git show :s.txt",
			),
		).toBe("mine\nstaged\nexit 0\n");
		agreed(await world.workspaces.remove(child, { force: true, deleteBranch: true }));
		const borrows = () =>
			world
				.git(world.repository, "for-each-ref", "--format=%(refname)", "refs/brood/borrows")
				.split("\n")
				.filter(Boolean).length;
		const gc = async () =>
			(await world.workspaces.gc(world.project, { dryRun: false, withFolder: [] })).filter(
				({ what }) => what === "borrow",
			).length;
		// what is in the trash still borrows
		expect([await gc(), borrows() > 0, existsSync(removed.trash ?? "")]).toEqual([0, true, true]);
		world.now += 15 * 24 * 60 * 60 * 1000;
		await gc();
		await gc();
		expect(borrows()).toBe(0);
	});

	test("is not made in the repository itself", async () => {
		const world = makeSandboxed();
		expectRefusal(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "main" }),
			"VALIDATION_ERROR",
		);
	});
});
