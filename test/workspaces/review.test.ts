// What a person is shown is what is merged, whatever an agent does to its git folder; and their own git runs nothing of an agent's.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorld } from "#test/support/make-world.ts";
import { available } from "#test/support/processes.ts";
import { inside } from "#test/support/room.ts";
import { agreed, type World } from "#test/support/world.ts";

const makeRoomed = (): World => {
	const world = makeWorld({ containment: "bubblewrap" });
	world.configure("sandbox: on\n");
	return world;
};

/** Commits EVIL, and has git take a harmless commit with the same parent for it. */
const replaced =
	"echo GOOD > lib.txt; git add .; git commit -qm work; G=$(git rev-parse HEAD); git reset -q --hard HEAD~1; " +
	"echo EVIL > lib.txt; git add .; git commit -qm work; E=$(git rev-parse HEAD); git replace $E $G; git reset -q --hard HEAD; cat lib.txt";

describe.runIf(available.includes("bubblewrap"))("of a workspace in a sandbox", () => {
	test("a replaced commit is not shown in the place of the one that would be merged", async () => {
		const world = makeRoomed();
		const stay = await world.agent("a");
		// git inside shows the other one
		expect(await inside(world, stay, replaced)).toBe("GOOD\nexit 0\n");
		expect(agreed(await world.workspaces.standing(stay)).dirty).toBe(true);
		await inside(world, stay, "GIT_NO_REPLACE_OBJECTS=1 git reset -q --hard HEAD");
		expect(agreed(await world.workspaces.diff(stay, { kind: "base" })).patch).toMatch(/^\+EVIL$/m);
	});

	test("a person's git runs nothing of it, also where the tree looks like a repository itself", async () => {
		const world = makeRoomed();
		const stay = await world.agent("a");
		const { path: folder } = stay.workspace;
		const ran = path.join(world.root, "ran");
		const made =
			"mkdir -p sub && git init -q --bare /tmp/b && cp -r /tmp/b/* . && git config -f config core.bare false && " +
			`git config -f config core.worktree '${folder}' && git config -f config core.fsmonitor 'echo >> ${ran}; false' && ` +
			`git config -f config alias.st '!echo >> ${ran}'`;
		expect(await inside(world, stay, made)).toBe("exit 0\n");
		const status = (where: string, verb = "status"): string => {
			const { stdout, stderr } = spawnSync("git", [verb], { cwd: where, env: { PATH: process.env["PATH"], HOME: world.root }, encoding: "utf8" });
			return stdout + stderr;
		};
		for (const where of [folder, path.join(folder, "sub")]) {
			expect(status(where)).toMatch(/^fatal: unknown repository extension found:\s+in-a-sandbox-use-brood-agent-diff$/m);
			status(where, "st");
		}
		expect(existsSync(ran)).toBe(false);
		// it is there again with the next step, whoever took it away
		rmSync(path.join(folder, ".git"), { recursive: true });
		agreed(await world.workspaces.standing(stay));
		expect(status(folder)).toMatch(/^fatal: unknown repository/);
		// without it, git runs what the tree says
		rmSync(path.join(folder, ".git"), { recursive: true });
		status(folder);
		expect(existsSync(ran)).toBe(true);
	});
});
