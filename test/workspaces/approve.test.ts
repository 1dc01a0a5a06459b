// Merging reviewed work into base, with and without a person who has base checked out.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, read, treeState, type World, write } from "#test/support/world.ts";

/** An agent with one commit, on a base that went on; the person is on another branch unless told otherwise. */
async function reviewed(
	options: { away?: boolean; diverged?: boolean; kind?: "worktree" | "clone"; message?: string } = {},
): Promise<{ world: World; checkout: Checkout; commit: string }> {
	const world = makeWorld();
	if (options.away !== false) world.git(world.repository, "checkout", "-qb", "elsewhere");
	const checkout = await world.agent("a", {
		from: "main",
		...(options.kind === undefined ? {} : { kind: options.kind }),
	});
	write(checkout.workspace.path, "work.txt", "w\n");
	const { commit } = agreed(await world.workspaces.commit(checkout, { message: options.message ?? "Work" }));
	if (options.diverged === true) advance(world, { "base.txt": "b\n" });
	return { world, checkout, commit };
}

/** A commit on main that touches no checkout. */
function advance(world: World, files: Record<string, string>): string {
	const folder = path.join(world.root, `advance-${readdirSync(world.root).length}`);
	world.git(world.repository, "worktree", "add", "-q", "--detach", folder, "main");
	const commit = world.commit(folder, files, "base goes on");
	world.git(world.repository, "update-ref", "refs/heads/main", commit);
	world.git(world.repository, "worktree", "remove", folder);
	return commit;
}

/** Everything that a refused approve must not have changed. */
const everything = (world: World, checkout: Checkout): unknown => ({
	agent: treeState(world, checkout.workspace.path),
	person: treeState(world, world.repository),
	heads: world.git(world.repository, "for-each-ref", "refs/heads"),
	worktrees: world.git(world.repository, "worktree", "list"),
	scratch: existsSync(path.join(world.home, "projects/p/scratch"))
		? readdirSync(path.join(world.home, "projects/p/scratch"))
		: [],
});

describe("the ways to merge", () => {
	test.each([
		["ff", false],
		["merge", false],
		["merge", true],
		["squash", true],
		["rebase", true],
	] as const)("%s, base went on: %s", async (strategy, diverged) => {
		const { world, checkout, commit } = await reviewed({ diverged });
		const before = world.tip("main");
		const person = treeState(world, world.repository);
		const merged = agreed(await world.workspaces.approve(checkout, { commit, strategy }));
		const after = world.tip("main");
		expect(merged).toEqual({
			reviewed: commit,
			commit: after,
			strategy,
			base: "main",
			before,
			check: null,
			push: null,
			origin: null,
			alreadyMerged: false,
		});
		expect(world.git(world.repository, "show", "main:work.txt")).toBe("w");
		if (diverged) expect(world.git(world.repository, "show", "main:base.txt")).toBe("b");
		const parents = { ff: before, merge: `${before} ${commit}`, squash: before, rebase: before }[strategy];
		expect(world.git(world.repository, "log", "-1", "--format=%P", "main")).toBe(parents);
		expect(treeState(world, world.repository)).toEqual(person);
		expect(agreed(await world.workspaces.branchStatus(checkout))).toMatchObject({ ahead: 0 });
		expect(agreed(await world.workspaces.approve(checkout, { commit, strategy }))).toEqual({
			...merged,
			alreadyMerged: true,
		});
		expect(world.tip("main")).toBe(after);
		const home = agreed(await world.workspaces.release(checkout));
		expect([home.branchStatus.head, home.branchStatus.ahead, home.branchStatus.behind]).toEqual([after, 0, 0]);
	});

	test("a merge that an earlier checkout recorded, where base is called `branch`, is known", async () => {
		const { world, checkout, commit } = await reviewed();
		const merged = agreed(await world.workspaces.approve(checkout, { commit, strategy: "squash" }));
		const { reviewed: head, strategy, before } = merged;
		const ref = `refs/brood/merges/${checkout.agent.id}/${commit}`;
		const rerecord = (record: object): void => {
			const tagHead = `object ${merged.commit}\ntype commit\ntag merge\ntagger brood <brood@brood.local> 0 +0000`;
			const input = `${tagHead}\n\n${JSON.stringify(record)}\n`;
			const tag = execFileSync("git", ["mktag"], { cwd: world.repository, input, encoding: "utf8" }).trim();
			world.git(world.repository, "update-ref", ref, tag);
		};
		rerecord({ reviewed: head, strategy, branch: "main", before });
		expect(agreed(await world.workspaces.approve(checkout, { commit }))).toEqual({ ...merged, alreadyMerged: true });
		rerecord({ reviewed: head, strategy, branch: "other", before });
		expect(await world.workspaces.approve(checkout, { commit })).not.toMatchObject({ alreadyMerged: true });
	});

	const issue = { title: "Count the words", name: "web#3" };
	test.each([
		["merge", "Merge a: Work\n\n- Work\n- More", {}],
		["squash", "Work\n\n- Work\n- More", {}],
		["merge", "Count the words\n\n- Work\n- More\n\nBrood-Issue: web#3", { issue }],
		["squash", "Count the words\n\n- Work\n- More\n\nBrood-Issue: web#3", { issue }],
		["merge", "As I say", { message: "As I say" }],
	] as const)("a %s commit says what it holds, who did it and who merged it: %j", async (strategy, text, given) => {
		const { world, checkout } = await reviewed({ diverged: true });
		write(checkout.workspace.path, "more.txt", "m\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "More\n\nIn a second file." }));
		agreed(await world.workspaces.approve(checkout, { commit, strategy, ...given }));
		expect(world.git(world.repository, "log", "-1", "--format=%an|%cn <%ce>|%B", "main")).toBe(
			`person|person <person@example.invalid>|${text}${"issue" in given ? "\n" : "\n\n"}Brood-Agent: a\nBrood-Reviewed: ${commit}\nCo-authored-by: brood-agent-a <a@brood.local>`,
		);
	});

	test("the merge of one commit has its whole message, without its trailers", async () => {
		const { world, checkout, commit } = await reviewed({ diverged: true, message: "Work\n\nIt was needed." });
		agreed(await world.workspaces.approve(checkout, { commit, strategy: "merge" }));
		expect(world.git(world.repository, "log", "-1", "--format=%B", "main")).toBe(
			`Merge a: Work\n\nIt was needed.\n\nBrood-Agent: a\nBrood-Reviewed: ${commit}\nCo-authored-by: brood-agent-a <a@brood.local>`,
		);
	});

	test("the project's setting decides where nobody says otherwise, and a clone is merged like a worktree", async () => {
		const { world, checkout, commit } = await reviewed({ diverged: true, kind: "clone" });
		world.configure("base: main\nmerge: squash\n");
		expect(agreed(await world.workspaces.approve(checkout, { commit })).strategy).toBe("squash");
		expect(world.git(world.repository, "show", "main:work.txt")).toBe("w");
	});

	test("a first commit becomes the base of a repository that had none", async () => {
		const world = makeWorld({ empty: true });
		const checkout = await world.agent("a");
		write(checkout.workspace.path, "first.txt", "f\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "first" }));
		expect(agreed(await world.workspaces.approve(checkout, { commit }))).toMatchObject({
			base: "main",
			before: null,
			commit,
		});
		expect(read(world.repository, "first.txt")).toBe("f\n");
		expect(world.git(world.repository, "status", "--porcelain")).toBe("");
	});

	test("push: approve pushes base, and a remote that says no is an answer", async () => {
		const { world, checkout, commit } = await reviewed();
		world.configure("base: main\npush: approve\n");
		world.git(world.root, "init", "-q", "--bare", "upstream.git");
		world.git(world.repository, "remote", "add", "origin", path.join(world.root, "upstream.git"));
		const merged = agreed(await world.workspaces.approve(checkout, { commit }));
		expect(merged.push).toEqual({ remote: "origin", branch: "main", pushed: true, error: null });
		expect(world.tip("main", path.join(world.root, "upstream.git"))).toBe(merged.commit);
		// asked again, as after a crash between the two: what was merged is pushed
		world.git(path.join(world.root, "upstream.git"), "update-ref", "-d", "refs/heads/main");
		expect(agreed(await world.workspaces.approve(checkout, { commit }))).toMatchObject({
			alreadyMerged: true,
			push: { pushed: true },
		});
		expect(world.tip("main", path.join(world.root, "upstream.git"))).toBe(merged.commit);
		agreed(await world.workspaces.push(checkout));
		expect(world.tip("brood/a", path.join(world.root, "upstream.git"))).toBe(commit);
		world.git(world.repository, "remote", "set-url", "origin", path.join(world.root, "gone.git"));
		expect(agreed(await world.workspaces.push(checkout))).toMatchObject({
			pushed: false,
			error: expect.stringContaining("gone.git"),
		});
	});
});

describe("what is refused leaves everything as it was", () => {
	test("a branch that moved on, a dirty tree, nothing to merge, a short hash, ff that is not possible", async () => {
		const { world, checkout, commit } = await reviewed({ diverged: true });
		const idle = await world.agent("idle", { from: "main" });
		const before = everything(world, checkout);
		expectRefusal(await world.workspaces.approve(idle, { commit: world.tip("main") }), "AGENT_NO_COMMIT");
		expectRefusal(await world.workspaces.approve(checkout, { commit: world.tip("main") }), "CONFLICT");
		expectRefusal(await world.workspaces.approve(checkout, { commit: commit.slice(0, 12) }), "VALIDATION_ERROR");
		expectRefusal(await world.workspaces.approve(checkout, { commit: "--help" }), "VALIDATION_ERROR");
		expectRefusal(await world.workspaces.approve(checkout, { commit, strategy: "ff" }), "CONFLICT");
		expect(everything(world, checkout)).toEqual(before);
		write(checkout.workspace.path, "x", "x\n");
		expect(
			expectRefusal(await world.workspaces.approve(checkout, { commit }), "WORKTREE_DIRTY").details["status"],
		).toEqual(["?? x"]);
		const next = agreed(await world.workspaces.commit(checkout, { message: "more" })).commit;
		expect(expectRefusal(await world.workspaces.approve(checkout, { commit }), "CONFLICT").details).toEqual({
			reviewed: commit,
			tip: next,
		});
		expect(world.git(world.repository, "show", "--stat", "--format=", "main")).not.toContain("work.txt");
	});

	test.each(["merge", "squash", "rebase"] as const)("a conflict, by %s, with the files named", async (strategy) => {
		const { world, checkout } = await reviewed({ away: false });
		write(checkout.workspace.path, "a.txt", "mine\n");
		write(checkout.workspace.path, "odd näme.txt", "mine\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "clash" }));
		world.commit(world.repository, { "a.txt": "theirs\n", "odd näme.txt": "theirs\n" });
		write(world.repository, "folder/b.txt", "dirty\n");
		const before = everything(world, checkout);
		expect(
			expectRefusal(await world.workspaces.approve(checkout, { commit, strategy }), "MERGE_CONFLICT").details["files"],
		).toEqual(["a.txt", "odd näme.txt"]);
		expect(everything(world, checkout)).toEqual(before);
	});

	test("a check that fails, in a scratch tree of the result that is gone afterwards", async () => {
		const { world, checkout, commit } = await reviewed({ diverged: true });
		world.configure(
			"base: main\ncheck: cat work.txt base.txt; git log -1 --format=%P | wc -w; pwd; touch built; exit 7\n",
		);
		const before = everything(world, checkout);
		const refusal = expectRefusal(await world.workspaces.approve(checkout, { commit }), "CONFLICT");
		expect(refusal.details).toMatchObject({
			step: "check",
			exit: 7,
			output: expect.stringMatching(/^w\nb\n2\n.*\/scratch\//),
		});
		expect(everything(world, checkout)).toEqual(before);
		world.configure("base: main\ncheck: test -e work.txt && echo fine\n");
		const lines: string[] = [];
		const merged = agreed(await world.workspaces.approve(checkout, { commit, line: (line) => lines.push(line) }));
		expect([merged.check?.exit, lines]).toEqual([0, ["fine"]]);
	});

	test("a check of the repository's own that nobody approved", async () => {
		const { world, checkout } = await reviewed();
		advance(world, { ".brood.yaml": "check: touch fired\n" });
		world.configure("base: main\n");
		expectRefusal(await world.workspaces.approve(checkout, { commit: world.tip("brood/a") }), "CONFLICT");
	});

	test("base that moves each time the check runs", async () => {
		const { world, checkout, commit } = await reviewed();
		world.configure(waitingCheck(world));
		let [moved, checks] = ["", 0];
		const line = (): void => {
			moved = advance(world, { "late.txt": `${++checks}\n` });
			write(world.root, "go", "");
		};
		expectRefusal(await world.workspaces.approve(checkout, { commit, line }), "CONFLICT");
		expect([world.tip("main"), checks]).toEqual([moved, 5]);
	});
});

/** A check that says something, and waits until it may go on. */
const waitingCheck = (world: World): string =>
	`base: main\ncheck: echo ready; while ! test -e ${world.root}/go; do :; done\n`;

test("base that moves while the check runs is merged with, and checked again", async () => {
	const { world, checkout, commit } = await reviewed();
	world.configure(waitingCheck(world));
	let [moved, checks] = ["", 0];
	const line = (): void => {
		if (++checks === 1) moved = advance(world, { "late.txt": "l\n" });
		write(world.root, "go", "");
	};
	const { before } = agreed(await world.workspaces.approve(checkout, { commit, line }));
	expect([before, checks]).toEqual([moved, 2]);
	expect(world.git(world.repository, "show", "main:late.txt", "main:work.txt")).toBe("l\nw");
});

describe("a person who has base checked out", () => {
	test("gets the files when the checkout is clean", async () => {
		const { world, checkout, commit } = await reviewed({ away: false, diverged: false });
		write(world.repository, "mine.log", "ignored\n");
		const merged = agreed(await world.workspaces.approve(checkout, { commit, strategy: "squash" }));
		expect([
			world.tip("HEAD"),
			world.git(world.repository, "status", "--porcelain"),
			read(world.repository, "work.txt"),
			read(world.repository, "mine.log"),
		]).toEqual([merged.commit, "", "w\n", "ignored\n"]);
	});

	test("keeps changes that are not in the way, staged ones too", async () => {
		const { world, checkout, commit } = await reviewed({ away: false });
		write(world.repository, "a.txt", "being edited\n");
		write(world.repository, "staged.txt", "s\n");
		world.git(world.repository, "add", "staged.txt");
		agreed(await world.workspaces.approve(checkout, { commit }));
		expect(world.git(world.repository, "status", "--porcelain")).toBe(" M a.txt\nA  staged.txt");
		expect([read(world.repository, "a.txt"), read(world.repository, "work.txt")]).toEqual(["being edited\n", "w\n"]);
	});

	test.each([
		["an edited file", (world: World) => write(world.repository, "a.txt", "being edited\n")],
		[
			"a staged file",
			(world: World) => {
				write(world.repository, "a.txt", "staged\n");
				world.git(world.repository, "add", "a.txt");
			},
		],
		["an untracked file", (world: World) => write(world.repository, "work.txt", "the person's own\n")],
		["an ignored file", (world: World) => write(world.repository, ".env", "precious\n")],
	])("loses nothing of %s that is in the way: git refuses, and so do we", async (_, dirty) => {
		const { world, checkout } = await reviewed({ away: false });
		write(checkout.workspace.path, "a.txt", "the agent's\n");
		write(checkout.workspace.path, ".env", "the agent's\n");
		world.git(checkout.workspace.path, "add", "-f", ".env");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "all of it" }));
		dirty(world);
		const before = everything(world, checkout);
		for (const strategy of ["ff", "squash"] as const) {
			const refusal = expectRefusal(await world.workspaces.approve(checkout, { commit, strategy }), "WORKTREE_DIRTY");
			expect(refusal.details["path"]).toBe(world.repository);
		}
		expect(everything(world, checkout)).toEqual(before);
		expect(existsSync(path.join(world.repository, ".git/index.lock"))).toBe(false);
	});

	test("keeps the files as they were where a filter of their own fails in the middle of it", async () => {
		const { world, checkout } = await reviewed({ away: false });
		const { path: folder } = checkout.workspace;
		write(folder, ".gitattributes", "*.bin filter=store\n");
		write(folder, "a.txt", "the agent's\n");
		write(folder, "dir/[new]*", "n\n");
		write(folder, "object.bin", "a pointer to what is not there\n");
		const { commit } = agreed(await world.workspaces.commit(checkout, { message: "an object that nobody has" }));
		write(world.repository, "mine.txt", "not committed\n");
		write(world.repository, "new", "the person's own\n");
		const before = everything(world, checkout);
		const filter = (key: string, value: string) =>
			world.git(world.root, "config", "--global", `filter.store.${key}`, value);
		filter("smudge", "false");
		filter("clean", "cat");
		filter("required", "true");
		const refusal = expectRefusal(await world.workspaces.approve(checkout, { commit }), "CONFLICT");
		expect(refusal.message).toContain("object.bin: smudge filter store failed");
		expect(everything(world, checkout)).toEqual(before);
		// nor is another agent left with half of it
		const other = await world.agent("b", { from: "main" });
		world.git(world.repository, "checkout", "-qb", "elsewhere");
		agreed(await world.workspaces.approve(checkout, { commit }));
		expect(expectRefusal(await world.workspaces.sync(other, "ff"), "CONFLICT").message).toContain(
			"They are as they were.",
		);
		expect(world.git(other.workspace.path, "status", "--porcelain")).toBe("");
		// the control: git itself leaves them half written
		expect(() => world.git(world.repository, "merge", "-q", "--ff-only", commit)).toThrow("smudge filter store failed");
		expect(world.git(world.repository, "status", "--porcelain")).toContain(" M a.txt");
	});

	test("on another branch sees nothing of it", async () => {
		const { world, checkout, commit } = await reviewed();
		write(world.repository, "a.txt", "dirty\n");
		const before = treeState(world, world.repository);
		agreed(await world.workspaces.approve(checkout, { commit }));
		expect(treeState(world, world.repository)).toEqual(before);
	});
});
