// What people and disks do to workspaces: it is told or refused, never taken for something else.
import { describe, expect, test } from "vitest";
import { makeWorld, refused } from "#test/support/make-world.ts";
import { agreed, write } from "#test/support/world.ts";

describe("a branch that is gone", () => {
	test.each(["renamed", "deleted"])("a base that was %s is not made anew by an approve", async (how) => {
		const world = makeWorld();
		const stay = await world.agent("a");
		write(stay.workspace.path, "work.txt", "w\n");
		const { commit } = agreed(await world.workspaces.commit(stay, { message: "Work" }));
		if (how === "renamed") world.git(world.repository, "branch", "-m", "main", "trunk");
		else {
			world.git(world.repository, "checkout", "-qb", "elsewhere");
			world.git(world.repository, "branch", "-qD", "main");
		}
		const before = world.git(world.repository, "for-each-ref");
		expect(refused(await world.workspaces.approve(stay, { commit }), "NOT_FOUND").message).toContain("main");
		expect(world.git(world.repository, "for-each-ref")).toBe(before);
	});

	test("of an agent gets no commit without a history", async () => {
		const world = makeWorld();
		const stay = await world.agent("a");
		write(stay.workspace.path, "work.txt", "w\n");
		world.git(world.repository, "update-ref", "-d", "refs/heads/brood/a");
		expect(refused(await world.workspaces.commit(stay, { message: "Work" }), "CONFLICT").suggestions).toContain("brood agent recover p/a");
		expect(world.git(world.repository, "branch", "--list", "brood/a")).toBe("");
		const { snapshot } = agreed(await world.workspaces.recover(stay));
		agreed(await world.workspaces.restoreSnapshot(stay, snapshot ?? ""));
		agreed(await world.workspaces.commit(stay, { message: "Work" }));
		expect(world.git(stay.workspace.path, "log", "--format=%s")).toBe("Work\nfirst");
	});
});
