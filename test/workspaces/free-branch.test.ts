// The branch of a new workspace, where there is one of its name already.
import path from "node:path";
import { expect, test } from "vitest";
import { branchNames, freeBranch } from "#adapters/git/project/free-branch.ts";
import { makeGit } from "#adapters/git/run/git.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { agreed, identity } from "#test/support/world.ts";

test("a new workspace replaces a branch of its name only if nothing is lost, and else its own branch gets a number", async () => {
	const world = makeWorld();
	const tip = world.git(world.repository, "rev-parse", "main");
	world.git(world.repository, "branch", "brood/merged");
	const own = world.git(world.repository, "commit-tree", "-p", "main", "-m", "work", "main^{tree}");
	for (const branch of ["brood/own", "brood/own-2"]) world.git(world.repository, "branch", branch, own);
	world.git(world.repository, "worktree", "add", "-q", path.join(world.root, "open"), "-b", "brood/open");
	const made = async (handle: string) => {
		const request = { project: world.project, agent: identity(handle), kind: "worktree" } as const;
		const { workspace, head, notes } = agreed(await world.workspaces.provision(request));
		return { branch: workspace.branch, head, notes };
	};
	const there = (name: string, why: string) =>
		`Your branch is ${name}: there is a branch ${name.replace(/-\d$/, "")} already, and it ${why}.`;
	expect(await made("merged")).toEqual({ branch: "brood/merged", head: tip, notes: [] });
	expect(await made("own")).toEqual({
		...{ branch: "brood/own-3", head: tip },
		notes: [there("brood/own-3", "has commits that main lacks")],
	});
	expect(await made("open")).toEqual({
		...{ branch: "brood/open-2", head: tip },
		notes: [there("brood/open-2", "is checked out")],
	});
	expect(world.git(world.repository, "rev-parse", "brood/own", "brood/own-2", "brood/open")).toBe(
		[own, own, tip].join("\n"),
	);
});

test("an agent that comes back takes the branch that it left, unless that has commits which the agent lacks", async () => {
	const world = makeWorld();
	const { repository } = world;
	const git = makeGit({ environment: process.env });
	const commit = (parent: string, message: string): string =>
		world.git(repository, "commit-tree", "-p", parent, "-m", message, "main^{tree}");
	const left = commit("main", "left");
	const [moved, another] = [commit(left, "moved"), commit("main", "another")];
	const base = { branch: "main", commit: world.git(repository, "rev-parse", "main") };
	const chosen = async (handle: string, holders: { moved?: string } = {}) =>
		await freeBranch(git, world.project, await branchNames(git, repository, handle), { base, ...holders });
	for (const [branch, at] of Object.entries({ one: left, two: another, "two-2": left }))
		world.git(repository, "branch", `brood/${branch}`, at);
	const note = (name: string) =>
		`Your branch is brood/${name}: there is a branch brood/two already, and it has commits that main lacks.`;
	// control: any other agent of that name
	expect((await chosen("one")).name).toBe("brood/one-2");
	expect((await chosen("two")).name).toBe("brood/two-3");
	expect(await chosen("one", { moved })).toEqual({ name: "brood/one", notes: [] });
	expect(await chosen("two", { moved })).toEqual({ name: "brood/two-2", notes: [note("two-2")] });
	// what was replaced is kept, and what is another's stays
	expect(world.git(repository, "rev-parse", `refs/brood/branches/brood/one/${left}`, "brood/two")).toBe(
		[left, another].join("\n"),
	);
});
