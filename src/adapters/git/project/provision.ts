// Makes an agent's workspace.
//
//   intent ─▶ worktree (or clone) ─▶ files ─▶ marker ─▶ shared paths ─▶ setup ─▶ marker: ready ─▶ no intent
//
// The intent is written before anything else, so what is found at the path afterwards is ours. When called again: a
// workspace whose marker says ready is done; one with a marker continues after the files; one with only an intent is
// discarded and begun again. A failure discards everything too, down to the branch, if that has not moved.
import { ProjectSlug } from "#contract/ids.ts";
import type { RepositorySettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMarker } from "#contract/workspace.ts";
import { caught, noLog } from "#engine/ports/log.ts";
import type {
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
	StepControl,
} from "#engine/ports/workspace-requests.ts";
import { makeWorktree } from "../copy/copy-worktree.ts";
import { exists } from "../layout/layout.ts";
import { dropMarker, markerIn, noteMarker, workspaceOf, writeMarker } from "../layout/marker.ts";
import { commitOf, existingBranch, headOf } from "../run/user-input.ts";
import { type Built, makeSandboxedTree, registerBranch, sandboxRefusal, shareSandboxed } from "../sandbox/make.ts";
import { checkOut } from "../tree/checkout.ts";
import { makeClone } from "../workspace/clone.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { projectSettings } from "../workspace/settings.ts";
import { share, shareFrom } from "../workspace/shared.ts";
import { gitFolderOf } from "../workspace/tree-status.ts";
import { type BranchNames, branchNames, freeBranch } from "./free-branch.ts";
import { discardBegun, findExisting } from "./intent.ts";
import { branchFromOrigin, fetchAndFollowOrigin } from "./origin.ts";
import { type SetupRequest, setupOf, setupOfFork, withSubmodules } from "./setup.ts";

/** Makes the tree of a fork. */
export interface Fork {
	start: string | null;
	/** the agent itself comes from another node */
	isMove: boolean;
	from?: WorkspaceMarker["forkedFrom"];
	build(marker: WorkspaceMarker, settings: RepositorySettings): Promise<Built | Refusal>;
}

export async function provision(
	context: GitContext,
	request: ProvisionRequest,
	control: StepControl,
	fork?: Fork,
): Promise<Provisioned | Refusal> {
	const likely = request.from ?? request.project.base ?? undefined;
	// in parallel: each is a process
	const [effective, names, guessed] = await Promise.all([
		projectSettings(context, request.project, control.approved),
		branchNames(context.git, request.project.path, request.agent.handle),
		likely === undefined ? undefined : existingBranch(context.git, request.project.path, likely),
	]);
	if (isRefusal(effective)) return effective;
	const wanted = request.from ?? effective.settings.base;
	const here =
		guessed !== undefined && wanted === likely
			? guessed
			: await existingBranch(context.git, request.project.path, wanted);
	const base = isRefusal(here) && here.code === "NOT_FOUND" ? await atOrigin(context, request, wanted, here) : here;
	if (isRefusal(base)) return base;
	const sandboxed = await wantsSandbox(context, request.project);
	if (typeof sandboxed !== "boolean") return sandboxed;
	const refused = sandboxed ? sandboxRefusal(context, request) : null;
	if (refused !== null) return refused;
	if (request.kind === "main") return await provisionMain(context, request, base.branch);
	const setup = fork === undefined ? setupOf(effective, request) : setupOfFork(effective, request);
	if (isRefusal(setup)) return setup;

	const location = context.layout.agent(request.project.slug, request.agent.handle);
	const intent = context.layout.intent(request.project.slug, request.agent.handle);
	const found = await findExisting(context, request, { location, intent }, control);
	if (isRefusal(found)) return found;
	if (found.marker?.ready === true) {
		await dropMarker(intent);
		return await answer(context, request.project, found.marker, nothingMade);
	}
	const present = found.anew ? await branchNames(context.git, request.project.path, request.agent.handle) : names;
	try {
		const made =
			found.marker === null
				? await make(context, request, { intent, names: present, base, sandboxed }, effective.settings, fork)
				: { marker: found.marker, missing: [], copiedIgnored: false, notes: [] };
		const done = isRefusal(made) ? made : await finish(context, request, made, effective.settings, setup, control);
		await (isRefusal(done) ? discardBegun(context, request, intent) : dropMarker(intent));
		return done;
	} catch (error) {
		await discardBegun(context, request, intent).catch(
			caught(context.log ?? noLog, "git", "What was made of a workspace could not be taken back", {
				agent: request.agent.id,
			}),
		);
		throw error;
	}
}

/** A branch that is only at the remote. */
async function atOrigin(
	context: GitContext,
	{ project }: ProvisionRequest,
	name: string,
	missing: Refusal,
): ReturnType<typeof existingBranch> {
	if ((await fetchAndFollowOrigin(context, project, name)) === null) return missing;
	await branchFromOrigin(context.git, project.path, name);
	return await existingBranch(context.git, project.path, name);
}

const nothingMade = { shared: [], setup: null, found: true, missing: [], notes: [] };

/** The repository itself, unchanged. */
async function provisionMain(
	{ git }: GitContext,
	{ project }: ProvisionRequest,
	base: string,
): Promise<Provisioned | Refusal> {
	if ((await git(project.path, ["rev-parse", "--is-bare-repository"])).text === "true") {
		return refuse(
			"VALIDATION_ERROR",
			`${project.slug} has no checkout that an agent could work in. Use a worktree or a clone.`,
		);
	}
	const branch = (await headOf(git, project.path))?.replace(/^refs\/heads\//, "") ?? base;
	const commit = await commitOf(git, project.path, "HEAD");
	return { workspace: { kind: "main", path: project.path, branch, base }, head: commit, ...nothingMade };
}

type Made = Built & { marker: WorkspaceMarker; notes: readonly string[] };

interface MakeRequest {
	intent: string;
	names: BranchNames;
	base: { branch: string; commit: string | null };
	sandboxed: boolean;
}

async function make(
	context: GitContext,
	request: ProvisionRequest,
	{ intent, names, base, sandboxed }: MakeRequest,
	settings: RepositorySettings,
	fork?: Fork,
): Promise<Made | Refusal> {
	const { project, agent } = request;
	const { name: branch, notes } = await freeBranch(context.git, project, names, {
		base,
		moved: fork?.isMove === true ? fork.start : null,
	});
	const start = fork === undefined ? base.commit : fork.start;
	const marker: WorkspaceMarker = {
		agent: agent.id,
		project: project.slug,
		kind: request.kind,
		path: context.layout.agent(project.slug, agent.handle),
		branch,
		base: base.branch,
		start,
		ready: false,
		...(fork?.from !== undefined && { forkedFrom: fork.from }),
		...(sandboxed && { own: true }),
	};
	await writeMarker(intent, marker);
	const built = fork === undefined ? await makeTree(context, request, marker) : await fork.build(marker, settings);
	if (isRefusal(built)) return built;
	await noteMarker(await markerFileOf(context, marker), marker);
	return { marker, notes, ...built };
}

/** In the git folder, or, for a sandboxed workspace, where the sandbox cannot write. */
async function markerFileOf({ layout }: GitContext, { own, project, path }: WorkspaceMarker): Promise<string> {
	return own === true ? layout.ownMarker(ProjectSlug.parse(project), path) : markerIn(await gitFolderOf(path));
}

async function makeTree(
	context: GitContext,
	{ project, agent }: ProvisionRequest,
	marker: WorkspaceMarker,
): Promise<Built | Refusal> {
	const { kind, path, branch, start } = marker;
	const built: Built = { missing: [], copiedIgnored: false };
	if (marker.own === true) {
		await makeSandboxedTree(context, project, agent, marker);
		return built;
	}
	if (kind === "clone") {
		await makeClone(context, project, agent, marker);
		await checkOut(context, marker);
		return built;
	}
	const worktree = { repository: project.path, folder: path, branch, commit: start };
	return (await makeWorktree(context.git, worktree, async () => await checkOut(context, marker))) ?? built;
}

async function finish(
	context: GitContext,
	{ project, agent }: ProvisionRequest,
	{ marker, missing, copiedIgnored, notes: earlier }: Made,
	settings: RepositorySettings,
	setup: SetupRequest,
	control: StepControl,
): Promise<Provisioned | Refusal> {
	const hasSubmodules = await exists(`${marker.path}/.gitmodules`);
	const isCopy = setup.mayFail && missing.length === 0;
	const { command, mayFail, notes } = hasSubmodules ? withSubmodules(setup, settings, { isCopy }) : setup;
	const checkout = { project, agent, workspace: workspaceOf(marker), marker };
	const shared =
		marker.own === true
			? await shareSandboxed(context, checkout, settings)
			: await share(context.git, marker.path, shareFrom(context, project), settings);
	if (isRefusal(shared)) return shared;
	const where = { project, folder: marker.path, env: settings.env, agent };
	const ran = command === null || copiedIgnored ? null : await runProjectCommand(context, command, where, control);
	const failed = ran === null || ran.exit === 0 ? null : commandFailed("setup", ran);
	if (failed !== null && (!mayFail || control.signal?.aborted === true)) return failed;
	// a flush would wait for every file of the tree; after a power cut the previous marker is valid too
	await noteMarker(await markerFileOf(context, marker), { ...marker, ready: true });
	if (marker.own === true) await registerBranch(context, checkout, marker.start);
	const fetched = await submodulesAmong(missing, marker.path);
	const allNotes = [
		...earlier,
		...notes,
		...fetched.map(({ path }) => `${path} is as it was committed: changes inside a submodule did not come along.`),
		...(failed === null ? [] : [`${failed.message} What it makes may be missing.`]),
	];
	// the branch is at the start commit unless a setup command or a fork moved it
	const left = missing.filter((each) => !fetched.includes(each));
	const more = { shared, setup: ran, found: false, missing: left, notes: allNotes };
	return ran === null && (marker.own === true || !mayFail)
		? { workspace: workspaceOf(marker), head: marker.start, ...more }
		: await answer(context, project, marker, more);
}

/** What a fork was made without, and the setup command has fetched. */
async function submodulesAmong(missing: Made["missing"], folder: string): Promise<Made["missing"]> {
	const there = await Promise.all(missing.map(async (each) => await exists(`${folder}/${each.path}/.git`)));
	return missing.filter((_, at) => there[at]);
}

async function answer(
	context: GitContext,
	project: ProjectRepository,
	marker: WorkspaceMarker,
	more: Omit<Provisioned, "workspace" | "head">,
): Promise<Provisioned> {
	// of a tree with an open rebase HEAD is elsewhere; for a sandboxed workspace, the tip as last imported
	const repository = marker.own === true ? project.path : marker.path;
	const head = await commitOf(context.git, repository, `refs/heads/${marker.branch}`);
	return { workspace: workspaceOf(marker), head, ...more };
}
