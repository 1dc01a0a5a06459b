// Making an agent's workspace.
//
//   intent ─▶ worktree (or clone) ─▶ files ─▶ mark ─▶ shared paths ─▶ setup ─▶ mark: ready ─▶ no intent
//
// The intent is written beside the place before anything else: whatever is found there afterwards is ours. Called
// again, a request whose mark says ready is done; one with a mark goes on after the files; one with only an intent is
// taken back and begun anew. Whatever fails is taken back as well, down to the branch, if that has not moved.

import { basename } from "node:path";
import { ProjectSlug } from "#contract/ids.ts";
import type { ProjectSettings } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import { caught, noLog } from "#engine/ports/log.ts";
import type {
	ProjectRepository,
	Provisioned,
	ProvisionRequest,
	StepControl,
} from "#engine/ports/workspace-requests.ts";
import { makeWorktree } from "../copy/fork-tree.ts";
import { dropMark, markIn, noteMark, writeMark } from "../layout/mark.ts";
import { branchFor, commitOf, existingBranch } from "../run/user-input.ts";
import { type Built, makeSandboxedTree, registerBranch, sandboxRefusal, shareSandboxed } from "../sandbox/make.ts";
import { checkOut } from "../tree/checkout.ts";
import { makeClone } from "../workspace/clone.ts";
import { commandEnvironment, type GitContext } from "../workspace/git-context.ts";
import { commandFailed, runProjectCommand } from "../workspace/project-command.ts";
import { wantsSandbox } from "../workspace/sandbox-mounts.ts";
import { settingsOf } from "../workspace/settings.ts";
import { share } from "../workspace/shared.ts";
import { gitFolderOf } from "../workspace/tree-status.ts";
import { findExisting, takeBack } from "./intent.ts";
import { type SetupRequest, setupOf, setupOfFork } from "./setup.ts";

/** Makes the tree of a fork. */
export interface Fork {
	start: string | null;
	build(mark: WorkspaceMark, settings: ProjectSettings): Promise<Built | Refusal>;
}

export async function provision(
	context: GitContext,
	request: ProvisionRequest,
	control: StepControl,
	fork?: Fork,
): Promise<Provisioned | Refusal> {
	const likely = request.from ?? request.project.base ?? undefined;
	// asked for at once: each is a process of its own
	const [effective, branch, guessed] = await Promise.all([
		settingsOf(context, request.project, control.approved),
		branchFor(context.git, request.project.path, request.agent.handle),
		likely === undefined ? undefined : existingBranch(context.git, request.project.path, likely),
	]);
	if (isRefusal(effective)) return effective;
	const wanted = request.from ?? effective.settings.base;
	const base =
		guessed !== undefined && wanted === likely
			? guessed
			: await existingBranch(context.git, request.project.path, wanted);
	if (isRefusal(base)) return base;
	const own = await wantsSandbox(context, request.project);
	if (typeof own !== "boolean") return own;
	const notPossible = own ? sandboxRefusal(context, request) : null;
	if (notPossible !== null) return notPossible;
	if (request.kind === "main") return await settleInMain(context, request, base.branch);
	const setup = fork === undefined ? setupOf(effective, request) : setupOfFork(effective, request);
	if (isRefusal(setup)) return setup;

	const place = context.layout.agent(request.project.slug, request.agent.handle);
	const intent = context.layout.intent(request.project.slug, request.agent.handle);
	const found = await findExisting(context, request, place, intent);
	if (isRefusal(found)) return found;
	if (found.mark?.ready === true) {
		await dropMark(intent);
		return await answer(context, request.project, found.mark, nothingMade);
	}
	try {
		const made =
			found.mark === null
				? await make(
						context,
						request,
						{
							intent,
							branch: found.anew ? await branchFor(context.git, request.project.path, request.agent.handle) : branch,
							base,
							own,
						},
						effective.settings,
						fork,
					)
				: { mark: found.mark, missing: [], ignored: false };
		const done = isRefusal(made) ? made : await finish(context, request, made, effective.settings, setup, control);
		await (isRefusal(done) ? takeBack(context, request, intent) : dropMark(intent));
		return done;
	} catch (error) {
		await takeBack(context, request, intent).catch(
			caught(context.log ?? noLog, "git", "What was made of a workspace could not be taken back", {
				agent: request.agent.id,
			}),
		);
		throw error;
	}
}

const nothingMade = { shared: [], setup: null, found: true, missing: [], notes: [] };

/** The repository itself: nothing is made, nothing is changed. */
async function settleInMain(
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
	const head = await git(project.path, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1] });
	const branch = head.code === 0 ? head.text.replace(/^refs\/heads\//, "") : base;
	const commit = await commitOf(git, project.path, "HEAD");
	return { workspace: { kind: "main", path: project.path, branch, base }, head: commit, ...nothingMade };
}

type Made = Built & { mark: WorkspaceMark };

async function make(
	context: GitContext,
	request: ProvisionRequest,
	{
		intent,
		branch: { name: branch, taken },
		base,
		own,
	}: {
		intent: string;
		branch: { name: string; taken: boolean };
		base: { branch: string; commit: string | null };
		own: boolean;
	},
	settings: ProjectSettings,
	fork?: Fork,
): Promise<Made | Refusal> {
	const { project, agent } = request;
	if (taken) {
		return refuse("PATH_EXISTS", `There is a branch ${branch} already.`, {
			details: { branch },
			suggestions: [`brood agent list --project ${project.slug}`],
		});
	}
	const start = fork === undefined ? base.commit : fork.start;
	const mark: WorkspaceMark = {
		agent: agent.id,
		project: project.slug,
		kind: request.kind,
		path: context.layout.agent(project.slug, agent.handle),
		branch,
		base: base.branch,
		start,
		ready: false,
		...(own && { own }),
	};
	await writeMark(intent, mark);
	const built = fork === undefined ? await makeTree(context, request, mark) : await fork.build(mark, settings);
	if (isRefusal(built)) return built;
	await noteMark(await markFileOf(context, mark), mark);
	return { mark, ...built };
}

/**
 * Where the mark of a workspace is: in its git folder, or, for one whose git folder is its own, where nobody inside can
 * write.
 */
async function markFileOf({ layout }: GitContext, { own, project, path }: WorkspaceMark): Promise<string> {
	return own === true ? layout.ownMark(ProjectSlug.parse(project), basename(path)) : markIn(await gitFolderOf(path));
}

async function makeTree(
	context: GitContext,
	{ project, agent }: ProvisionRequest,
	mark: WorkspaceMark,
): Promise<Built | Refusal> {
	const { kind, path, branch, start } = mark;
	const built: Built = { missing: [], ignored: false };
	if (mark.own === true) {
		await makeSandboxedTree(context, project, agent, mark);
		return built;
	}
	if (kind === "clone") {
		await makeClone(context, project, agent, mark);
		await checkOut(context, mark);
		return built;
	}
	return (
		(await makeWorktree(
			context.git,
			{ repository: project.path, folder: path, branch, commit: start },
			async () => await checkOut(context, mark),
		)) ?? built
	);
}

async function finish(
	context: GitContext,
	{ project, agent }: ProvisionRequest,
	{ mark, missing, ignored }: Made,
	settings: ProjectSettings,
	{ command, mayFail, notes }: SetupRequest,
	control: StepControl,
): Promise<Provisioned | Refusal> {
	const projectCheckout = project.path === context.layout.mirror(project.slug) ? null : project.path;
	const checkout = { project, agent, workspace: workspaceOf(mark), mark };
	const shared =
		mark.own === true
			? await shareSandboxed(context, checkout, settings)
			: await share(
					context.git,
					mark.path,
					{ primary: context.layout.primary(project.slug), checkout: projectCheckout },
					settings,
				);
	if (isRefusal(shared)) return shared;
	const ran =
		command === null || ignored
			? null
			: await runProjectCommand(
					context,
					command,
					{ project, folder: mark.path, environment: commandEnvironment(context, agent, control) },
					control,
				);
	const failed = ran === null || ran.exit === 0 ? null : commandFailed("setup", ran);
	if (failed !== null && (!mayFail || control.signal?.aborted === true)) return failed;
	// a flush would wait for every file of the tree, and the next commit of the store flushes it anyway
	await noteMark(await markFileOf(context, mark), { ...mark, ready: true });
	if (mark.own === true) await registerBranch(context, checkout, mark.start);
	const told = failed === null ? notes : [...notes, `${failed.message} What it makes may be missing.`];
	// what was checked out is where it began; whatever else happened may have moved it
	const more = { shared, setup: ran, found: false, missing, notes: told };
	return ran === null && (mark.own === true || !mayFail)
		? { workspace: workspaceOf(mark), head: mark.start, ...more }
		: await answer(context, project, mark, more);
}

async function answer(
	context: GitContext,
	project: ProjectRepository,
	mark: WorkspaceMark,
	more: Omit<Provisioned, "workspace" | "head">,
): Promise<Provisioned> {
	// of one in a sandbox the project knows where its branch was when it last came out
	const head = await (mark.own === true
		? commitOf(context.git, project.path, `refs/heads/${mark.branch}`)
		: commitOf(context.git, mark.path, "HEAD"));
	return { workspace: workspaceOf(mark), head, ...more };
}

const workspaceOf = ({ kind, path, branch, base }: WorkspaceMark): Provisioned["workspace"] => ({
	kind,
	path,
	branch,
	base,
});
