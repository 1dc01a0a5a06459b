// What a person is shown is what is merged, whatever an agent does to its git folder; and their own git runs nothing of
// an agent's.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseIndex, rewriteIndex, writeStat } from "#adapters/git/format/index-file.ts";
import { isRefusal } from "#contract/refusal.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { inside } from "#test/support/sandbox.ts";
import { agreed, type World } from "#test/support/world.ts";

const makeSandboxed = (): World => {
	const world = makeWorld({ containment: "bubblewrap" });
	world.configure("sandbox: on\n");
	return world;
};

/** Commits EVIL, and has git take a harmless commit with the same parent for it. */
const replaced =
	"echo GOOD > lib.txt; git add .; git commit -qm work; G=$(git rev-parse HEAD); git reset -q --hard HEAD~1; " +
	"echo EVIL > lib.txt; git add .; git commit -qm work; E=$(git rev-parse HEAD); git replace $E $G; git reset -q --hard HEAD; cat lib.txt";

/** Commits EVIL, and has the index say that the harmless file beside it was looked at already. */
const forged =
	'echo EVIL > lib.txt; git add .; git commit -qm work; echo GOOD > lib.txt; git update-index --assume-unchanged lib.txt; test -z "$(git status --short)"';

describe("of any workspace", () => {
	test.each(["worktree", "clone"] as const)("what its index says of its files is not believed: %s", async (kind) => {
		const world = makeWorld();
		const checkout = await world.agent("a", { kind });
		const { path: folder, branch } = checkout.workspace;
		execFileSync("/bin/sh", ["-ec", forged], { cwd: folder, env: { PATH: process.env["PATH"], HOME: world.root } });
		const commit = world.tip(branch, folder);
		expect(agreed(await world.workspaces.diff(checkout, { kind: "index" })).patch).toMatch(/^-EVIL\n\+GOOD$/m);
		expectRefusal(await world.workspaces.approve(checkout, { commit }), "WORKTREE_DIRTY");
		// dates of its files, written into the index by hand
		world.git(folder, "update-index", "--no-assume-unchanged", "lib.txt");
		forgeDates(world.git(folder, "rev-parse", "--path-format=absolute", "--git-path", "index"), folder, "lib.txt");
		expect(world.git(folder, "status", "--short")).toBe("");
		expectRefusal(await world.workspaces.approve(checkout, { commit }), "WORKTREE_DIRTY");
		// another branch, with other files than the one that would be merged
		world.git(folder, "checkout", "-qf", "-b", "other", "HEAD~1");
		expectRefusal(await world.workspaces.approve(checkout, { commit }), "WORKTREE_DIRTY");
		world.git(folder, "checkout", "-qf", branch);
		expect(agreed(await world.workspaces.diff(checkout, { kind: "base" })).patch).toMatch(/^\+EVIL$/m);
		expect(agreed(await world.workspaces.approve(checkout, { commit })).reviewed).toBe(commit);
	});
});

function forgeDates(file: string, folder: string, name: string): void {
	const bytes = readFileSync(file);
	const index = parseIndex(bytes, 20);
	const entry = index.entries.find((each) => each.path.toString() === name);
	if (entry === undefined) throw new Error(`${name} is not in the index`);
	writeStat(bytes, entry, lstatSync(path.join(folder, name), { bigint: true }));
	writeFileSync(file, rewriteIndex(bytes, index, 20));
	// as if the index had been written long after the file
	const later = lstatSync(file).mtimeMs / 1000 + 100;
	utimesSync(file, later, later);
}

describe.runIf(hasSandboxes)("of a workspace in a sandbox", () => {
	test("a replaced commit is not shown in the place of the one that would be merged", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		// git inside shows the other one
		expect(await inside(world, checkout, replaced)).toBe("GOOD\nexit 0\n");
		expect(agreed(await world.workspaces.branchStatus(checkout)).uncommitted).toBe(true);
		await inside(world, checkout, "GIT_NO_REPLACE_OBJECTS=1 git reset -q --hard HEAD");
		expect(agreed(await world.workspaces.diff(checkout, { kind: "base" })).patch).toMatch(/^\+EVIL$/m);
	});

	test("neither its index nor its objects are believed", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		expect(await inside(world, checkout, forged)).toBe("exit 0\n");
		await world.workspaces.takeSnapshot(checkout, { reason: "end of turn" });
		const commit = world.tip(checkout.workspace.branch);
		expectRefusal(await world.workspaces.approve(checkout, { commit }), "WORKTREE_DIRTY");
		// an object of its own with the name of the one that came out, and other content
		const swap =
			"git update-index --no-assume-unchanged lib.txt; git checkout -q lib.txt; f() { echo .git/objects/$(git rev-parse $1 | sed 's|..|&/|'); }; " +
			"E=$(f HEAD:lib.txt); G=.git/objects/$(echo GOOD | git hash-object -w --stdin | sed 's|..|&/|'); cp -f $G $E; git cat-file blob HEAD:lib.txt";
		expect(await inside(world, checkout, swap)).toBe("GOOD\nexit 0\n");
		expect(agreed(await world.workspaces.diff(checkout, { kind: "base" })).patch).toMatch(/^\+EVIL$/m);
		expect(agreed(await world.workspaces.approve(checkout, { commit })).reviewed).toBe(commit);
	});

	test("its commits are pushed from the project's repository, as they came out, and nothing of its git folder is run", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const [bare, ran] = [path.join(world.root, "origin.git"), path.join(world.root, "ran")];
		world.git(world.root, "clone", "-q", "--bare", world.repository, bare);
		world.git(world.repository, "remote", "add", "origin", bare);
		const hook = `echo 'echo >> ${ran}' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push; git config remote.origin.url /nowhere`;
		const made = await inside(
			world,
			checkout,
			`mkdir -p .git/hooks; ${hook}; echo b > b.txt; git add .; git commit -qm '-b evil'`,
		);
		expect(made).toBe("exit 0\n");
		const commit = await world.workspaces.workTip(checkout);
		if (typeof commit !== "string") throw new Error("no commit came out");
		const { project, workspace } = checkout;
		const range = agreed(await world.workspaces.commitsAhead(project, { base: workspace.base, commit }));
		expect([range.total, range.messages[0], range.origin]).toEqual([1, "-b evil", bare]);
		expect(agreed(await world.workspaces.diffOfCommit(project, { base: workspace.base, commit })).patch).toMatch(
			/^\+b$/m,
		);
		expect(await world.workspaces.pushCommit(project, { branch: workspace.branch, commit })).toMatchObject({
			pushed: true,
		});
		expect([world.git(bare, "rev-parse", workspace.branch), existsSync(ran)]).toEqual([commit, false]);
		expectRefusal(
			await world.workspaces.diffOfCommit(project, { base: workspace.base, commit: "0".repeat(40) }),
			"NOT_FOUND",
		);
	});

	test("a person's git runs nothing of it, also where the tree looks like a repository itself", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const { path: folder } = checkout.workspace;
		const ran = path.join(world.root, "ran");
		const made =
			"mkdir -p sub && git init -q --bare /tmp/b && cp -r /tmp/b/* . && git config -f config core.bare false && " +
			`git config -f config core.worktree '${folder}' && git config -f config core.fsmonitor 'echo >> ${ran}; false' && ` +
			`git config -f config alias.st '!echo >> ${ran}'`;
		expect(await inside(world, checkout, made)).toBe("exit 0\n");
		const status = (where: string, verb = "status"): string => {
			const { stdout, stderr } = spawnSync("git", [verb], {
				cwd: where,
				env: { PATH: process.env["PATH"], HOME: world.root },
				encoding: "utf8",
			});
			return stdout + stderr;
		};
		for (const where of [folder, path.join(folder, "sub")]) {
			expect(status(where)).toMatch(
				/^fatal: unknown repository extension found:\s+in-a-sandbox-use-brood-agent-diff$/m,
			);
			status(where, "st");
		}
		expect(existsSync(ran)).toBe(false);
		// it is there again with the next step, whoever took it away
		rmSync(path.join(folder, ".git"), { recursive: true });
		agreed(await world.workspaces.branchStatus(checkout));
		expect(status(folder)).toMatch(/^fatal: unknown repository/);
		// without it, git runs what the tree configures
		rmSync(path.join(folder, ".git"), { recursive: true });
		status(folder);
		expect(existsSync(ran)).toBe(true);
		// and asking for a sandbox does not recreate a missing tree
		rmSync(folder, { recursive: true });
		await world.workspaces.mounts(world.project, folder, checkout.workspace);
		expect(existsSync(folder)).toBe(false);
	});

	test("a pipe in its git folder is a refusal for every verb, until it is recovered", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const { workspaces } = world;
		expect(await inside(world, checkout, "echo b > b.txt; git add .; git commit -qm b; mkfifo .git/commondir")).toBe(
			"exit 0\n",
		);
		const asked = [
			workspaces.diff(checkout, { kind: "base" }),
			workspaces.diff(checkout, { kind: "index" }),
			workspaces.branchStatus(checkout),
			workspaces.commitsSince(checkout, null),
			workspaces.commit(checkout, { message: "x" }),
			workspaces.sync(checkout, "rebase"),
			workspaces.release(checkout),
			workspaces.switchBranch(checkout),
			workspaces.push(checkout),
			workspaces.approve(checkout, { commit: world.tip("main") }),
		];
		for (const answer of await Promise.all(asked)) {
			// approve reads the checkout first, and refuses with a code of its own
			expect(isRefusal(answer) && answer).toMatchObject({ code: expect.stringMatching(/^(GIT_FAILED|CONFLICT)$/) });
			expect(isRefusal(answer) && answer.suggestions).toContain("brood agent recover p/a");
		}
		agreed(await workspaces.recover(checkout));
		agreed(await workspaces.diff(checkout, { kind: "base" }));
	});
});
