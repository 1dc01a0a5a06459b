// The whole work cycle in a repository that configures programs everywhere: none of them runs.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isRefusal } from "#contract/refusal.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { layTrap, makeVictim, traps } from "#test/support/hostile.ts";
import { agreed, identity, World, write } from "#test/support/world.ts";

test("every trap, every verb", { timeout: 120_000 }, async () => {
	const root = realpathSync(mkdtempSync(path.join(tmpdir(), "brood-world-")));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	const world = new World(root);
	write(root, ".gitconfig", "[user]\n\tname = person\n\temail = person@example.invalid\n");
	mkdirSync(world.home);
	makeVictim(path.join(root, "victim"));
	const trapped = layTrap(path.join(root, "victim"), world.repository, traps);
	// the person is elsewhere, so that base can move
	write(world.repository, ".git/HEAD", "ref: refs/heads/other\n");
	const { workspaces, project } = world;
	const works: string[] = [];
	const attempt = async (name: string, verb: () => Promise<unknown>): Promise<void> => {
		const answer = await verb().catch((error: unknown) => error);
		if (typeof answer === "object" && answer !== null && !(answer instanceof Error) && !isRefusal(answer))
			works.push(name);
		expect([name, trapped.fired()]).toEqual([name, []]);
	};

	await attempt(
		"openProject",
		async () => await workspaces.openProject({ slug: project.slug, source: world.repository }),
	);
	for (const kind of ["worktree", "clone"] as const) {
		const agent = identity(`a-${kind}`);
		let checkout: Checkout | null = null;
		await attempt(`provision ${kind}`, async () => {
			const made = agreed(await workspaces.provision({ project, agent, kind, from: "main" }));
			checkout = { project, agent, workspace: made.workspace };
			return made;
		});
		if (checkout === null) continue;
		const there: Checkout = checkout;
		const early = identity(`e-${kind}`);
		await attempt(`approve before ${kind}`, async () => {
			const { workspace } = agreed(
				await workspaces.provision({ project, agent: early, kind: "worktree", from: "main" }),
			);
			write(workspace.path, "a.trap", `${"line\n".repeat(20)}${kind}\n`);
			const { commit } = agreed(await workspaces.commit({ project, agent: early, workspace }, { message: "early" }));
			return await workspaces.approve({ project, agent: early, workspace }, { commit, strategy: "ff" });
		});
		write(there.workspace.path, "b.txt", `of ${kind}\n`);
		write(there.workspace.path, "new.trap", "new\n");
		await attempt(`diff ${kind}`, async () => await workspaces.diff(there, { kind: "base" }));
		await attempt(`diff index ${kind}`, async () => await workspaces.diff(there, { kind: "index" }));
		await attempt(`snapshot ${kind}`, async () => await workspaces.takeSnapshot(there, { reason: "turn" }));
		await attempt(
			`fork ${kind}`,
			async () =>
				await workspaces.provisionFrom({ project, agent: identity(`f-${kind}`), kind, from: "main", parent: there }),
		);
		await attempt(`commit ${kind}`, async () => await workspaces.commit(there, { message: "work" }));
		await attempt(`branch status ${kind}`, async () => await workspaces.branchStatus(there));
		await attempt(`commitsSince ${kind}`, async () => await workspaces.commitsSince(there, null));
		const tip = async (): Promise<string> => agreed(await workspaces.branchStatus(there)).head ?? "";
		await attempt(`sync ff ${kind}`, async () => await workspaces.sync(there, "ff"));
		await attempt(
			`approve ${kind}`,
			async () =>
				await workspaces.approve(there, { commit: await tip(), strategy: kind === "clone" ? "rebase" : "merge" }),
		);
		write(there.workspace.path, "more.trap", "more\n");
		await attempt(`commit more ${kind}`, async () => await workspaces.commit(there, { message: "more" }));
		await attempt(`sync merge ${kind}`, async () => await workspaces.sync(there, "merge"));
		await attempt(`sync rebase ${kind}`, async () => await workspaces.sync(there, "rebase"));
		await attempt(
			`approve squash ${kind}`,
			async () => await workspaces.approve(there, { commit: await tip(), strategy: "squash" }),
		);
		await attempt(`push ${kind}`, async () => await workspaces.push(there));
		await attempt(`health ${kind}`, async () => await workspaces.health(there));
		write(there.workspace.path, "a.trap", "dirty\n");
		await attempt(`recover ${kind}`, async () => await workspaces.recover(there));
		await attempt(`release ${kind}`, async () => await workspaces.release(there));
		await attempt(`restore ${kind}`, async () => await workspaces.restoreSnapshot(there, "1"));
		await attempt(`remove ${kind}`, async () => await workspaces.remove(there, { force: true, deleteBranch: true }));
	}
	await attempt("warm", async () => await workspaces.warm(project));
	await attempt("gc", async () => await workspaces.gc(project, { dryRun: false, withFolder: [] }));
	expect(works.length, works.join(", ")).toBeGreaterThan(38);
});
