import { expect, test } from "vitest";
import { changesSomething, GitRecorder } from "./git-recorder.ts";

test("commands that change a ref, files or the repository are told from those that look", () => {
	const changing = [
		["update-ref", "refs/heads/a", "b"],
		["-c", "checkout.workers=0", "read-tree", "-m", "-u", "HEAD"],
		["worktree", "add", "x"],
		["worktree", "move", "x", "y"],
		["--literal-pathspecs", "commit", "-m", "x"],
		["config", "--local", "user.name", "x"],
		["symbolic-ref", "HEAD", "refs/heads/x"],
		["fetch", "--quiet", "origin"],
		["pack-refs", "--all"],
		["maintenance", "run", "--task=loose-objects"],
	];
	const looking = [
		["config", "--list", "-z", "--show-scope", "--includes"],
		["config", "--get", "x"],
		["worktree", "list", "--porcelain", "-z"],
		["symbolic-ref", "--quiet", "HEAD"],
		["diff-files", "--name-only", "-z"],
		["update-index", "-q", "--refresh"],
		["cat-file", "--batch"],
		["rev-parse", "commit"],
		["log", "merge"],
		["constructor"],
	];
	expect(changing.filter((args) => !changesSomething(args))).toEqual([]);
	expect(looking.filter(changesSomething)).toEqual([]);
});

test("what was run on an index of our own is not written down, what failed is", async () => {
	const written: unknown[] = [];
	const journal = new GitRecorder();
	journal.connect(async ({ command }) => {
		written.push(command);
		return { done: {}, events: [], replayed: false };
	});
	journal.add({ folder: "/x", args: ["read-tree", "abc"], ownIndex: true, exit: 0, durationMs: 1 });
	journal.add({ folder: "/x", args: ["merge", "b"], ownIndex: false, exit: 1, durationMs: 1.4 });
	journal.add({ folder: "/x", args: ["status"], ownIndex: false, exit: 128, durationMs: 1 });
	await journal[Symbol.asyncDispose]();
	expect(written).toEqual([
		{ type: "git.record", runs: [{ folder: "/x", args: ["merge", "b"], exit: 1, durationMs: 1 }] },
	]);
});
