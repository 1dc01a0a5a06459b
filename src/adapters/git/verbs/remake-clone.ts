// Gives a clone whose repository git cannot read a new one, under the same files. The old one goes to the trash.
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { isOurs, markerIn, readMarker, writeMarker } from "../layout/marker.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { moveAside } from "../snapshot/destroy.ts";
import { makeClone } from "../workspace/clone.ts";
import { discard } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { noteOf, trashName } from "../workspace/keep.ts";
import { hasFilesOf } from "./repair-git-folder.ts";

/** Says what was done; null for a repository that git can read, and for a folder that is not ours. */
export async function remakeCloneGit(context: GitContext, checkout: Checkout): Promise<string | null> {
	const { git, layout } = context;
	const { project, agent, workspace } = checkout;
	const gitFolder = path.join(workspace.path, ".git");
	const known = await readMarker(markerIn(gitFolder));
	if (workspace.kind !== "clone") return null;
	if ((await exists(gitFolder)) && (await canBeRead(git, workspace.path, known))) return null;
	const tip =
		(await commitOf(git, project.path, `refs/brood/clones/${agent.id}`)) ??
		(await commitOf(git, project.path, `refs/heads/${workspace.base}`));
	if (tip === null || !(isOurs(known, checkout) || (await hasFilesOf(git, checkout, tip)))) return null;
	const marker: WorkspaceMarker = { agent: agent.id, project: project.slug, ...workspace, start: tip, ready: true };
	// made beside it, so that a crash leaves the old one or the new one
	const made = path.join(layout.agents(project.slug), `.${path.basename(workspace.path)}.clone`);
	await discard(context, made);
	await makeClone(context, project, agent, { ...marker, path: made });
	await git(made, ["read-tree", "HEAD"]);
	await writeMarker(markerIn(path.join(made, ".git")), marker);
	const entry = `${trashName(context, checkout)}-git`;
	if (await exists(gitFolder)) {
		await writeNote(entry, checkout);
		await moveAside(gitFolder, path.join(entry, "git"));
	}
	await rename(path.join(made, ".git"), gitFolder);
	await discard(context, made);
	const where = (await exists(entry)) ? ` The old one is in ${entry}.` : "";
	return `Git could not read your repository: a new one was made, and your files were kept.${where}`;
}

async function writeNote(entry: string, checkout: Checkout): Promise<void> {
	await mkdir(entry, { recursive: true, mode: 0o700 });
	await writeMarker(markerIn(entry), noteOf(checkout));
}

/** Whether git opens the repository and has the files of its commit, or of the one that it began with. */
async function canBeRead(git: Git, folder: string, known: WorkspaceMarker | null): Promise<boolean> {
	const head = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { answers: [1, 128] });
	if (head.exit === 128) return false;
	const commit = head.exit === 0 ? head.text : known?.start;
	if (commit == null) return true;
	return (await git(folder, ["ls-tree", "-r", "-z", "--name-only", commit], { answers: [128] })).exit === 0;
}
