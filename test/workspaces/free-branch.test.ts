// The branch of a new workspace, where there is one of its name already.
import path from "node:path";
import { expect, test } from "vitest";
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
