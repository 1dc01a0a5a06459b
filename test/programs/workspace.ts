// One verb of the workspaces in a process of its own, which kills itself after its n-th git command; never with 0.
//   workspace.ts <root of a world> provision|fork|approve|recover|remove <n> <path of the workspace> [containment]
import { ContainmentLevel } from "#contract/config.ts";
import { agreed, identity, World } from "#test/support/world.ts";

const [root = "", verb = "", count = "0", folder = "", containment = "groups"] = process.argv.slice(2);
let left = Number(count);
const world = new World(root, {
	containment: ContainmentLevel.parse(containment),
	aroundGit: async (run) => {
		const answer = await run();
		if (--left === 0) process.kill(process.pid, "SIGKILL");
		return left === 0 ? await new Promise(() => {}) : answer;
	},
});
const checkout = {
	project: world.project,
	agent: identity("a"),
	workspace: { kind: "worktree", path: folder, branch: "brood/a", base: "main" },
} as const;

if (verb === "provision") agreed(await world.workspaces.provision({ ...checkout, kind: "worktree" }));
else if (verb === "approve") agreed(await world.workspaces.approve(checkout, { commit: world.tip("brood/a") }));
else if (verb === "fork") {
	const parent = {
		...checkout,
		agent: identity("parent"),
		workspace: { ...checkout.workspace, path: folder.replace(/a$/, "parent"), branch: "brood/parent" },
	};
	agreed(await world.workspaces.provisionFrom({ ...checkout, kind: "worktree", parent }));
} else if (verb === "recover") agreed(await world.workspaces.recover(checkout));
else agreed(await world.workspaces.remove(checkout, { force: true, deleteBranch: true }));
