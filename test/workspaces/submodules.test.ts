// Submodules of a project in an agent's new workspace.
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { expectRefusal, makeWorld } from "#test/support/make-world.ts";
import { agreed, identity, type World } from "#test/support/world.ts";

const requestIn = (world: World, handle: string) => ({
	project: world.project,
	agent: identity(handle),
	kind: "worktree" as const,
});
const withSubmodule = (world: World, address?: string): void => {
	const library = path.join(world.root, "library");
	world.git(world.root, "init", "-q", "-b", "main", library);
	world.commit(library, { "lib.txt": "lib\n" });
	world.git(
		world.repository,
		"-c",
		"protocol.file.allow=always",
		"submodule",
		"--quiet",
		"add",
		address ?? library,
		"sub",
	);
	world.git(world.repository, "commit", "-qm", "with a submodule");
};

test("submodules are left empty, and the agent is told what to type", async () => {
	const world = makeWorld();
	withSubmodule(world);
	const { workspace, notes, setup } = agreed(await world.workspaces.provision(requestIn(world, "a")));
	expect([setup, readdirSync(path.join(workspace.path, "sub"))]).toEqual([null, []]);
	expect(notes).toEqual([expect.stringContaining("Run `git submodule update --init --recursive`")]);
});

test("submodules at an address relative to a repository without a remote are found from a clone too", async () => {
	const world = makeWorld();
	withSubmodule(
		world,
		path.join("..", path.relative(path.dirname(world.repository), path.join(world.root, "library"))),
	);
	world.configure("submodules: init\n");
	world.git(world.root, "config", "--global", "protocol.file.allow", "always");
	const { workspace } = agreed(await world.workspaces.provision({ ...requestIn(world, "a"), kind: "clone" }));
	expect(readdirSync(path.join(workspace.path, "sub"))).toContain("lib.txt");
	// a fork of a clone is made from a snapshot, which has none
	const parent = { project: world.project, agent: identity("a"), workspace };
	const forked = agreed(await world.workspaces.provisionFrom({ ...requestIn(world, "b"), kind: "clone", parent }));
	expect(readdirSync(path.join(forked.workspace.path, "sub"))).toContain("lib.txt");
	expect([forked.missing, forked.notes]).toEqual([[], [expect.stringMatching(/^sub is as it was committed/)]]);
});

test("submodules are fetched before the setup command if the person's configuration says so, never because the repository's does", async () => {
	const world = makeWorld();
	withSubmodule(world);
	world.configure("submodules: init\nsetup: cat sub/lib.txt\n");
	// git itself takes no submodule from a folder, unless the person allows it
	const refusal = expectRefusal(await world.workspaces.provision(requestIn(world, "a")), "CONFLICT");
	expect(refusal.details["output"]).toMatch(/transport 'file' not allowed/);
	expect(refusal.message).toBe("The setup command, which also fetches the submodules, ended with 1.");
	world.configure("submodules: init\n");
	const alone = expectRefusal(await world.workspaces.provision(requestIn(world, "d")), "CONFLICT");
	expect(alone.message).toBe("Fetching the submodules (git submodule update --init --recursive) ended with 1.");
	world.configure("submodules: init\nsetup: cat sub/lib.txt\n");
	world.git(world.root, "config", "--global", "protocol.file.allow", "always");
	const { workspace, setup, notes } = agreed(await world.workspaces.provision(requestIn(world, "b")));
	expect([setup?.exit, setup?.output.endsWith("lib\n"), notes]).toEqual([0, true, []]);
	expect(
		agreed(
			await world.workspaces.branchStatus({ project: world.project, agent: requestIn(world, "b").agent, workspace }),
		).uncommitted,
	).toBe(false);
	world.configure("");
	world.commit(world.repository, { ".brood.yaml": "submodules: init\n" });
	expectRefusal(await world.workspaces.provision(requestIn(world, "c")), "VALIDATION_ERROR");
});
