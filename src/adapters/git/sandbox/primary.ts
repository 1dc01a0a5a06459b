// Trees of a sandboxed project that belong to no agent: `primary/`, and those for checks and gates. Each is a
// repository of its own that borrows the project's objects. Once a command has run in it, the daemon reads none of its
// files.
import path from "node:path";
import type { ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import type { Workspaces } from "#engine/ports/workspaces.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMarker, readPrimaryMarker, readPrimaryMarkerAt, writeMarker } from "../layout/marker.ts";
import { readObjects } from "../run/objects.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { withScratch } from "../workspace/scratch.ts";
import { lockfileHash, lockfiles } from "../workspace/shared.ts";
import { gitFolderAt } from "../workspace/tree-status.ts";
import { checkOutOwn, makeOwnRepository } from "./own-repository.ts";

/** The commit of `primary/`, and what prepares it. */
export interface PrimaryContent {
	commit: string;
	setup: string | null;
	env: readonly string[];
}

/** Fills `primary/` in a sandbox, unless it was filled for the same lockfiles. */
export async function warmSandboxed(
	context: GitContext,
	project: ProjectRepository,
	{ commit, setup, env }: PrimaryContent,
	control: StepControl,
): ReturnType<Workspaces["warm"]> {
	const { layout } = context;
	const location = layout.primary(project.slug);
	const refused = await layout.makeParent(location);
	if (refused !== null) return refused;
	const file = layout.primaryMarker(project.slug);
	const marker = await readPrimaryMarkerAt(file);
	const there = await exists(location);
	if (
		there &&
		marker?.commit != null &&
		marker.lockfiles !== null &&
		(await sameLockfiles(context, project, marker.commit, commit))
	) {
		await writeMarker(file, { ...marker, commit });
		return { path: location, commit, filled: false, setup: null };
	}
	if (there && marker === null && !(await isPrimary(location, project))) return inTheWay(location);
	await writeMarker(file, { project: project.slug, commit: null, lockfiles: null });
	await discardWorktree(context, project.path, location);
	await makeTree(context, project, location, commit);
	const hash = await lockfileHash(location);
	const ran =
		setup === null ? null : await runProjectCommand(context, setup, { project, folder: location, env }, control);
	if (ran !== null && ran.exit !== 0) return commandFailed("setup", ran);
	await writeMarker(file, { project: project.slug, commit, lockfiles: hash });
	await dropMarker(layout.primaryIntent(project.slug));
	return { path: location, commit, filled: true, setup: ran };
}

/** Whether the folder is a `primary/` from before the project asked for a sandbox. */
async function isPrimary(location: string, { slug }: ProjectRepository): Promise<boolean> {
	const gitFolder = await gitFolderAt(location);
	return gitFolder !== null && (await readPrimaryMarker(gitFolder))?.project === slug;
}

async function sameLockfiles(
	{ git }: GitContext,
	{ path: repository }: ProjectRepository,
	one: string,
	other: string,
): Promise<boolean> {
	if (one === other) return true;
	const names = [one, other].flatMap((commit) => lockfiles.map((name) => `${commit}:${name}`));
	const found = await readObjects(git, repository, names);
	return lockfiles.every((_, at) => found[at]?.id === found[lockfiles.length + at]?.id);
}

async function makeTree(context: GitContext, project: ProjectRepository, tree: string, commit: string): Promise<void> {
	const gitFolder = path.join(tree, ".git");
	await makeOwnRepository(context.git, { project, agent: null, gitFolder, branch: null, base: null, start: commit });
	await checkOutOwn(context.git, tree, gitFolder, commit);
}

/** A tree of exactly this commit, removed afterwards. */
export async function inSandboxedScratch<T>(
	context: GitContext,
	project: ProjectRepository,
	commit: string,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	return await withScratch(context, project, {
		work,
		make: async (tree) => await makeTree(context, project, tree, commit),
		remove: async (tree) => await discard(context, tree),
	});
}
