// The mounts of a project's sandbox: what is hidden, readable and writable inside.
//
// Hidden are the home, with the owner's token, the store and the other agents' files, and the usual places of keys. An
// agent can write its tree and its own git folder, which is outside the tree and mounted at `.git`. It can write
// nothing of the project's repository, whose objects it borrows.
//
// No file that the agent can write decides about mounts: all paths follow from the project's row and the marker in the
// home. Paths that the repository names are checked (alternates.ts).
import path from "node:path";
import type { SandboxMounts } from "#adapters/system/mounts.ts";
import { privatePaths } from "#adapters/system/private-paths.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { HealthProblem, Workspace, WorkspaceMarker } from "#contract/workspace.ts";
import type { ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { exists } from "../layout/layout.ts";
import { readMarker } from "../layout/marker.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { alternateStores } from "./alternates.ts";
import type { GitContext } from "./git-context.ts";
import { makeInert } from "./inert.ts";
import { projectConfig } from "./settings.ts";

/** The mounts for processes in a folder; null if they need no sandbox. */
export async function mountsFor(
	context: GitContext,
	project: ProjectRepository,
	folder: string,
	workspace: Workspace | null,
): Promise<SandboxMounts | null | Refusal> {
	const wanted = await wantsSandbox(context, project);
	if (typeof wanted !== "boolean") return wanted;
	const own = await sandboxMarkerAt(context, project, folder);
	if (own !== null && wanted) return await withSockets(context, project, await sandboxedMounts(context, project, own));
	// the sandbox was turned off, but git still needs its git folder mounted
	if (own !== null) return { ...unrestricted, bound: [await gitMount(context, project, own, true)] };
	if (!wanted) return null;
	if (workspace !== null) return notSandboxable(project, workspace);
	const around = await aroundOf(context, project, folder);
	return isRefusal(around) ? around : await withSockets(context, project, { ...around, writable: [folder], fixed: [] });
}

/** The ssh agent's socket, if an `env:` list of the home names it. A repository's list cannot. */
async function withSockets(
	context: GitContext,
	project: ProjectRepository,
	mounts: SandboxMounts | Refusal,
): Promise<SandboxMounts | Refusal> {
	if (isRefusal(mounts)) return mounts;
	const config = await projectConfig(context.layout, project);
	if (isRefusal(config)) return config;
	const asked = await context.variables?.(config.env ?? []);
	if (typeof asked === "string") return refuse("VALIDATION_ERROR", asked);
	const socket = asked?.["SSH_AUTH_SOCK"];
	if (socket === undefined || !path.isAbsolute(socket) || !(await exists(socket))) return mounts;
	return { ...mounts, bound: [...(mounts.bound ?? []), { from: socket, to: socket, writable: true }] };
}

const unrestricted = { hidden: [], readable: [], writable: [], fixed: [], open: true };

/** Whether the project's configuration says `sandbox: on`: that of its home node, and at a site also the site's own. */
export async function wantsSandbox(
	{ layout }: Pick<GitContext, "layout">,
	project: ProjectRepository,
): Promise<boolean | Refusal> {
	const config = await projectConfig(layout, project);
	return isRefusal(config) ? config : config.sandbox === "on";
}

/** The marker of a sandboxed workspace; null for any other folder. Nothing in the tree itself is read. */
export async function sandboxMarkerAt(
	{ layout }: Pick<GitContext, "layout">,
	project: ProjectRepository,
	folder: string,
): Promise<WorkspaceMarker | null> {
	if (path.dirname(folder) !== layout.agents(project.slug)) return null;
	const marker = await readMarker(layout.ownMarker(project.slug, folder));
	return marker?.own === true && marker.path === folder ? marker : null;
}

/** The mounts of a sandboxed workspace, whatever the settings say now: a sandboxed agent wrote its files. */
export async function sandboxedMounts(
	context: GitContext,
	project: ProjectRepository,
	marker: Pick<WorkspaceMarker, "path">,
): Promise<SandboxMounts | Refusal> {
	const around = await aroundOf(context, project, marker.path);
	if (isRefusal(around)) return around;
	return { ...around, writable: [marker.path], fixed: [], bound: [await gitMount(context, project, marker, true)] };
}

export async function gitMount(
	{ layout }: GitContext,
	{ slug }: ProjectRepository,
	{ path: folder }: Pick<WorkspaceMarker, "path">,
	writable: boolean,
) {
	// a missing tree is not made here
	if (await exists(folder)) await makeInert(folder);
	return { from: layout.ownGit(slug, folder), to: path.join(folder, ".git"), writable };
}

/** The same for agents, the project's commands and git's steps. */
async function aroundOf(
	context: GitContext,
	project: ProjectRepository,
	folder: string,
): Promise<Pick<SandboxMounts, "hidden" | "readable" | "alternates"> | Refusal> {
	const { layout, environment } = context;
	const hidden = [...new Set([...privatePaths(environment), ...((await context.hides?.()) ?? []), layout.home])];
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	// a bare clone is in the home, so it is ours
	const [ours, theirs] = commonFolder === layout.bareClone(project.slug) ? [[commonFolder], null] : [[], commonFolder];
	const alternates = theirs === null ? [] : await alternateStores(theirs, hidden);
	if (isRefusal(alternates)) return { ...alternates, message: `${project.slug}: ${alternates.message}.` };
	return {
		hidden,
		readable: [...ours, layout.primary(project.slug)].filter((location) => location !== folder),
		alternates,
	};
}

/** Why a workspace has no sandbox although its project can have one and wants it; null otherwise. */
export async function unsandboxed(
	context: GitContext,
	project: ProjectRepository,
	workspace: Workspace,
): Promise<Refusal | null> {
	const isMissing =
		context.containment === "bubblewrap" &&
		(await wantsSandbox(context, project)) === true &&
		(await sandboxMarkerAt(context, project, workspace.path)) === null;
	return isMissing && (await sandboxProblem(context, project)) === null ? notSandboxable(project, workspace) : null;
}

/** Why a project with `sandbox: on` cannot have a sandbox; null otherwise. */
export async function sandboxProblem(context: GitContext, project: ProjectRepository): Promise<HealthProblem | null> {
	if ((await wantsSandbox(context, project)) !== true) return null;
	const around = await aroundOf(context, project, project.path);
	if (!isRefusal(around)) return null;
	const fix = `cat ${shellWord(`${project.path}/.git/objects/info/alternates`)}`;
	return { code: "SANDBOX_IMPOSSIBLE", text: around.message, fix };
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
