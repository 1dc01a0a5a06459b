// Trees of a project with a sandbox that are nobody's: `primary/`, and those in which checks and gates run. Each is a
// repository of its own that borrows the project's objects, made anew from a commit; once a command has run in it,
// nothing of it is read outside.
import { createHash } from "node:crypto";
import path from "node:path";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { CommandRun } from "#contract/workspace.ts";
import type { ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMark, readPrimaryMark, readPrimaryMarkAt, writeMark } from "../layout/mark.ts";
import { readObjects } from "../snapshot/snapshots.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import { commandEnvironment, type GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { scratchInUse } from "../workspace/scratch.ts";
import { lockfileHash, lockfiles } from "../workspace/shared.ts";
import { gitFolderAt } from "../workspace/tree-status.ts";
import { checkOutOwn, makeOwnRepository } from "./own-repository.ts";

interface Warmed {
	path: string;
	commit: string | null;
	filled: boolean;
	setup: CommandRun | null;
}

/** Fills `primary/` in a sandbox, if base's lockfiles are others than those that it was filled for. */
export async function warmSandboxed(
	context: GitContext,
	project: ProjectRepository,
	{ commit, setup }: { commit: string; setup: string | null },
	control: StepControl,
): Promise<Warmed | Refusal> {
	const { layout } = context;
	const place = layout.primary(project.slug);
	const wrong = await layout.parent(place);
	if (wrong !== null) return wrong;
	const file = layout.primaryMark(project.slug);
	const mark = await readPrimaryMarkAt(file);
	const there = await exists(place);
	if (
		there &&
		mark?.commit != null &&
		mark.lockfiles !== null &&
		(await sameLockfiles(context, project, mark.commit, commit))
	) {
		await writeMark(file, { ...mark, commit });
		return { path: place, commit, filled: false, setup: null };
	}
	if (there && mark === null && !(await isPrimary(place, project))) return inTheWay(place);
	await writeMark(file, { project: project.slug, commit: null, lockfiles: null });
	await discardWorktree(context, project.path, place);
	await makeTree(context, project, place, commit);
	const hash = await lockfileHash(place);
	const where = { project, folder: place, environment: commandEnvironment(context, null, control) };
	const ran = setup === null ? null : await runProjectCommand(context, setup, where, control);
	if (ran !== null && ran.exit !== 0) return commandFailed("setup", ran);
	await writeMark(file, { project: project.slug, commit, lockfiles: hash });
	await dropMark(layout.primaryIntent(project.slug));
	return { path: place, commit, filled: true, setup: ran };
}

/** One from before the project wanted a sandbox. */
async function isPrimary(place: string, { slug }: ProjectRepository): Promise<boolean> {
	const gitFolder = await gitFolderAt(place);
	return gitFolder !== null && (await readPrimaryMark(gitFolder))?.project === slug;
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
	const digest = (from: number): string => {
		const hash = createHash("sha256");
		for (const object of found.slice(from, from + lockfiles.length)) hash.update(object?.id ?? "none");
		return hash.digest("hex");
	};
	return digest(0) === digest(lockfiles.length);
}

async function makeTree(context: GitContext, project: ProjectRepository, tree: string, commit: string): Promise<void> {
	const gitFolder = path.join(tree, ".git");
	await makeOwnRepository(context.git, { project, agent: null, gitFolder, branch: null, base: null, start: commit });
	await checkOutOwn(context.git, tree, gitFolder, commit);
}

/** A tree of exactly this commit for a command, gone afterwards. */
export async function inSandboxedScratch<T>(
	context: GitContext,
	project: ProjectRepository,
	commit: string,
	work: (tree: string) => Promise<T>,
): Promise<T> {
	const tree = path.join(context.layout.scratches(project.slug), context.ids.salt());
	const wrong = await context.layout.free(tree);
	if (wrong !== null && isRefusal(wrong)) throw new Error(wrong.message);
	scratchInUse.add(tree);
	try {
		await makeTree(context, project, tree, commit);
		return await work(tree);
	} finally {
		await discard(context, tree);
		scratchInUse.delete(tree);
	}
}
