// Repairs the files of a workspace's git folder without which git does not start: HEAD, the links between a worktree
// and its repository, and a clone's configuration. What was there is kept beside it.
import { lstat, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { nullIfMissing } from "#adapters/system/errors.ts";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { namesIn, pathOf } from "../format/names.ts";
import { isOurs, markerIn, readMarker } from "../layout/marker.ts";
import type { Git } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { registeredFor } from "../run/worktrees.ts";
import { configureClone } from "../workspace/clone.ts";
import type { GitContext } from "../workspace/git-context.ts";

export async function repairGitFolder(context: GitContext, checkout: Checkout): Promise<void> {
	const { project, workspace } = checkout;
	const { git, clock } = context;
	const found = (await repositoryPathsOf(workspace.path, {})).gitFolder;
	const gitFolder =
		found ?? (workspace.kind === "worktree" ? await registeredFor(git, project.path, workspace.path) : null);
	// a folder that is not ours is not repaired
	if (gitFolder === null || !isOurs(await readMarker(markerIn(gitFolder)), checkout)) return;
	const replace = async (name: string, text: string): Promise<void> => {
		const file = path.join(gitFolder, name);
		await rename(file, path.join(gitFolder, `brood-left-${name}-${clock.now()}`)).catch(nullIfMissing);
		await writeFile(file, text);
	};
	const read = async (name: string): Promise<string> =>
		(await readRegularText(path.join(gitFolder, name)).catch(() => "")).trim();
	if (!/^(ref: refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(await read("HEAD")))
		await replace("HEAD", `ref: refs/heads/${workspace.branch}\n`);
	if (workspace.kind === "worktree") {
		// as `git worktree add` writes them
		if ((await read("commondir")) !== "../..") await replace("commondir", "../..\n");
		if ((await read("gitdir")) !== path.join(workspace.path, ".git"))
			await replace("gitdir", `${path.join(workspace.path, ".git")}\n`);
		return;
	}
	const config = path.join(gitFolder, "config");
	const readable = await git(project.path, ["config", "--file", config, "--list"], { answers: [1, 3, 128] });
	if (readable.exit === 0 && (await hasConfig(gitFolder))) return;
	await replace("config", "");
	await configureClone(context, project, checkout.agent, config);
}

/** Git opens a repository without its configuration too, but then as whoever's it is and without its remotes. */
export async function hasConfig(gitFolder: string): Promise<boolean> {
	const text = await readRegularText(path.join(gitFolder, "config")).catch(() => "");
	return /^\s*repositoryformatversion\s*=/im.test(text);
}

const filesChecked = 200;

/**
 * Whether at least half of the worktree's tracked files, if it has any, are in the folder. If not, it is another
 * folder.
 */
export async function hasItsFiles(git: Git, repository: string, folder: string): Promise<boolean> {
	const gitFolder = await registeredFor(git, repository, folder);
	if (gitFolder === null) return false;
	const environment = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
	const listed = await git(folder, ["ls-files", "-z"], { environment, answers: [128] });
	return listed.exit === 0 && (await hasHalfOf(folder, listed.bytes));
}

/** The same for the files of a commit. */
export async function hasFilesOf(git: Git, { project, workspace }: Checkout, commit: string): Promise<boolean> {
	const { bytes } = await git(project.path, ["ls-tree", "-r", "-z", "--name-only", commit]);
	return await hasHalfOf(workspace.path, bytes);
}

/** `names` as git prints them with -z. */
async function hasHalfOf(folder: string, names: Buffer): Promise<boolean> {
	const checked = namesIn(names).slice(0, filesChecked);
	const found = await Promise.all(checked.map(async (name) => await lstat(pathOf(folder, name)).catch(() => null)));
	return found.filter((one) => one !== null).length * 2 >= checked.length;
}
