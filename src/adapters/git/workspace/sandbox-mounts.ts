// The mounts of a project's sandbox: what is hidden, readable and writable inside.
//
// The home is hidden, with the person's token, the store and the other agents' files, and so is where people keep keys.
// An agent can write its tree and its git folder, which is its own alone: it lies outside of the tree, and is seen at
// `.git` only inside. Of the project's repository nothing can be written; its objects are borrowed.
//
// Nothing that the agent can write has a say in it: all places follow from the project's row and from the mark in the
// home. What the repository says is checked (borrowed.ts).
import path from "node:path";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { privatePaths } from "#adapters/system/private-paths.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Workspace, WorkspaceMark } from "#contract/workspace.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { readMark } from "../layout/mark.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { borrowedFrom } from "./borrowed.ts";
import type { GitContext } from "./git-context.ts";
import { makeInert } from "./inert.ts";
import { ownConfig } from "./settings.ts";

/** The mounts for what runs in a folder; null where no sandbox is wanted or needed. */
export async function mountsFor(
	context: GitContext,
	project: ProjectRepository,
	folder: string,
	workspace: Workspace | null,
): Promise<SandboxMounts | null | Refusal> {
	const wanted = await wantsSandbox(context, project);
	if (typeof wanted !== "boolean") return wanted;
	const own = await sandboxMarkAt(context, project, folder);
	if (own !== null)
		return wanted ? await sandboxedMounts(context, project, own) : await unrestrictedMounts(context, project, own);
	if (!wanted) return null;
	if (workspace !== null) return notSandboxable(project, workspace);
	const around = await aroundOf(context, project, folder);
	return isRefusal(around) ? around : { ...around, writable: [folder], fixed: [] };
}

/** Whether the person says that this project's agents run in a sandbox. */
export async function wantsSandbox(
	{ layout }: Pick<GitContext, "layout">,
	project: ProjectRepository,
): Promise<boolean | Refusal> {
	const config = await ownConfig(layout, project.slug);
	return isRefusal(config) ? config : config.sandbox === "on";
}

/**
 * The mark of a workspace whose git folder is its own; null for any other place. Nothing in the tree itself is looked
 * at.
 */
export async function sandboxMarkAt(
	{ layout }: Pick<GitContext, "layout">,
	project: ProjectRepository,
	folder: string,
): Promise<WorkspaceMark | null> {
	if (path.dirname(folder) !== layout.agents(project.slug)) return null;
	const mark = await readMark(layout.ownMark(project.slug, path.basename(folder)));
	return mark?.own === true && mark.path === folder ? mark : null;
}

/**
 * Where an agent with a git folder of its own works. Whatever the settings say now: what is in its tree was written by
 * somebody who was locked in.
 */
export async function sandboxedMounts(
	context: GitContext,
	project: ProjectRepository,
	mark: Pick<WorkspaceMark, "path">,
): Promise<SandboxMounts | Refusal> {
	const around = await aroundOf(context, project, mark.path);
	if (isRefusal(around)) return around;
	return { ...around, writable: [mark.path], fixed: [], bound: [await gitMount(context, project, mark, true)] };
}

/**
 * The same mounts without restrictions, for a project that turned its sandbox off: git still looks for its git folder
 * there.
 */
async function unrestrictedMounts(
	context: GitContext,
	project: ProjectRepository,
	mark: WorkspaceMark,
): Promise<SandboxMounts> {
	return {
		hidden: [],
		readable: [],
		writable: [],
		fixed: [],
		bound: [await gitMount(context, project, mark, true)],
		open: true,
	};
}

export async function gitMount(
	{ layout }: GitContext,
	{ slug }: ProjectRepository,
	{ path: folder }: Pick<WorkspaceMark, "path">,
	writable: boolean,
) {
	// a tree that is gone stays gone until somebody asks for it
	if (await exists(folder)) await makeInert(folder);
	return { from: layout.ownGit(slug, path.basename(folder)), to: path.join(folder, ".git"), writable };
}

/** The same for all that runs inside: agents, the project's commands, git's steps. */
async function aroundOf(
	context: GitContext,
	project: ProjectRepository,
	folder: string,
): Promise<Pick<SandboxMounts, "hidden" | "readable" | "borrowed"> | Refusal> {
	const { layout, environment } = context;
	const hidden = [...new Set([...privatePaths(environment), ...((await context.hides?.()) ?? []), layout.home])];
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	// a mirror is ours, and in the home
	const [ours, theirs] = commonFolder === layout.mirror(project.slug) ? [[commonFolder], null] : [[], commonFolder];
	const borrowed = theirs === null ? [] : await borrowedFrom(theirs, hidden);
	if (isRefusal(borrowed)) return { ...borrowed, message: `${project.slug}: ${borrowed.message}.` };
	return { hidden, readable: [...ours, layout.primary(project.slug)].filter((place) => place !== folder), borrowed };
}

/** Why a project that wants a sandbox cannot have one; null if it can, or wants none. */
export async function sandboxProblem(context: GitContext, project: ProjectRepository): Promise<string | null> {
	if ((await wantsSandbox(context, project)) !== true) return null;
	const around = await aroundOf(context, project, project.path);
	return isRefusal(around) ? around.message : null;
}

function notSandboxable({ slug }: ProjectRepository, { kind, path: folder }: Workspace): Refusal {
	if (kind === "main")
		return refuse(
			"CONFLICT",
			`${folder} is the repository itself, and an agent in a sandbox may not write that. Fork it into a worktree, or say sandbox: off.`,
			{ details: { path: folder } },
		);
	const handle = path.basename(folder);
	return refuse(
		"CONFLICT",
		`${folder} was made before the project asked for a sandbox (sandbox: on): its git folder is not its own. Run brood agent recover ${slug}/${handle}, which moves it with all of its work.`,
		{ details: { path: folder }, suggestions: [`brood agent recover ${slug}/${handle}`] },
	);
}
