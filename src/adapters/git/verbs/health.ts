// Whether a workspace is where and as it was. Nothing is changed: each problem is reported with a command that is safe
// to run.
import { lstat, statfs } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "#contract/message-of.ts";
import { configProblem } from "#contract/project-config.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Health, HealthProblem } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { exists } from "../layout/layout.ts";
import { markerIn, readMarker } from "../layout/marker.ts";
import { GitFailed } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { commitOf, headOf } from "../run/user-input.ts";
import { isWorktreeOf } from "../run/worktrees.ts";
import { isCancelled } from "../worker/faults.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { unsandboxed } from "../workspace/sandbox-mounts.ts";
import { projectSettings } from "../workspace/settings.ts";
import { brokenLink, shareFrom } from "../workspace/shared.ts";
import { gitFolderAt, gitFolderOf, readStatus } from "../workspace/tree-status.ts";
import { hasConfig } from "./repair-git-folder.ts";
import { lastLine, repositoryProblem } from "./repository-problem.ts";

const damages: readonly HealthProblem["code"][] = ["NOT_OURS", "GIT_UNREADABLE", "BRANCH_GONE"];
const freeBytesMin = 512 * 1024 * 1024;

export async function healthOf(
	context: GitContext,
	checkout: Checkout,
	seen: { commit: string | null },
): Promise<Health> {
	const recover = `brood agent recover ${checkoutName(checkout)}`;
	const found = await orReported(recover, problemsOf(context, checkout, seen, recover));
	// a damaged project makes each of its workspaces look damaged
	const gone = found.some(({ code }) => damages.includes(code))
		? await repositoryProblem(context.git, checkout.project)
		: null;
	// what git cannot read makes several checks fail with the same message
	const problems =
		gone === null ? found.filter(({ text }, at) => found.findIndex((each) => each.text === text) === at) : [gone];
	return { healthy: problems.length === 0, issues: problems };
}

/** Reports a check that fails as a problem, so that the other checks go on. */
export async function orReported(fix: string, problems: Promise<HealthProblem[]>): Promise<HealthProblem[]> {
	try {
		return await problems;
	} catch (error) {
		if (isCancelled(error)) throw error;
		const text = error instanceof GitFailed ? `Git fails here: ${lastLine(error.errors)}.` : messageOf(error);
		return [{ code: "GIT_UNREADABLE", text, fix }];
	}
}

async function problemsOf(
	context: GitContext,
	checkout: Checkout,
	seen: { commit: string | null },
	recover: string,
): Promise<HealthProblem[]> {
	const { workspace, project } = checkout;
	if (!(await exists(workspace.path))) return [{ code: "PATH_GONE", text: `${workspace.path} is gone.`, fix: recover }];
	const foreign = await notOurs(context, checkout);
	if (foreign !== null) return [{ code: "NOT_OURS", text: foreign, fix: recover }];
	return [
		...(await orReported(recover, branchProblems(context, checkout, seen, recover))),
		...(await orReported(recover, unfinished(context, checkout, recover))),
		...(await orReported(`brood project settings ${project.slug}`, linkProblems(context, checkout, recover))),
		...(await diskProblems(workspace.path)),
		...(await sandboxProblems(context, checkout, recover)),
	];
}

async function sandboxProblems(context: GitContext, checkout: Checkout, recover: string): Promise<HealthProblem[]> {
	const { project, workspace } = checkout;
	// inside a sandbox there is nothing to ask
	const problem = context.given === undefined ? await unsandboxed(context, project, workspace) : null;
	if (problem === null) return [];
	const fix = workspace.kind === "main" ? `brood fork ${checkoutName(checkout)} --workspace worktree` : recover;
	return [{ code: "NOT_SANDBOXED", text: problem.message, fix }];
}

/** Why the folder is not the workspace that we made; null if it is. */
async function notOurs({ given }: GitContext, { project, agent, workspace }: Checkout): Promise<string | null> {
	const { trap } = await repositoryPathsOf(workspace.path, {});
	// git would block on it, in the project's own repository too
	if (trap !== null) return `${trap}.`;
	const gitFolder = await gitFolderAt(workspace.path).catch(() => null);
	if (gitFolder === null) return `${workspace.path} is no longer a git repository.`;
	if (workspace.kind === "clone" && !(await hasConfig(gitFolder))) return `${gitFolder}/config is damaged.`;
	// inside a sandbox there is no proof: only the daemon can read the marker
	if (workspace.kind === "main" || given !== undefined) return null;
	if (workspace.kind === "worktree" && !(await isWorktreeOf(project.path, { folder: workspace.path, gitFolder })))
		return `${project.path} does not know the worktree ${workspace.path}.`;
	const marker = await readMarker(markerIn(gitFolder));
	// a shared workspace has the marker of the agent it was made for, and its path
	return marker?.agent === agent.id || marker?.path === workspace.path
		? null
		: `${workspace.path} is not marked as a workspace of ${agent.handle}.`;
}

async function branchProblems(
	context: GitContext,
	checkout: Checkout,
	{ commit }: { commit: string | null },
	recover: string,
): Promise<HealthProblem[]> {
	const { git } = context;
	const { path: folder, branch, kind } = checkout.workspace;
	const problems: HealthProblem[] = [];
	const head = await headOf(git, folder);
	const tip = await commitOf(git, folder, `refs/heads/${branch}`);
	if (kind !== "main" && head !== `refs/heads/${branch}`) {
		const where = head?.replace(/^refs\/heads\//, "") ?? "a detached HEAD";
		problems.push({ code: "OTHER_BRANCH", text: `HEAD is on ${where} and not on ${branch}.`, fix: recover });
	}
	const isUnborn = tip === null && head === `refs/heads/${branch}`;
	const had = commit ?? (isUnborn ? await startOf(context, checkout) : null);
	if (had === null || tip === had) return problems;
	if (tip === null)
		problems.push({ code: "BRANCH_GONE", text: `The branch ${branch} is gone; it was on ${had}.`, fix: recover });
	else if (
		commit !== null &&
		(await commitOf(git, folder, commit)) !== null &&
		!(await isAncestor(git, folder, commit, tip))
	) {
		const text = `${branch} does not contain ${commit} any more, which it had.`;
		problems.push({ code: "HEAD_WENT_BACK", text, fix: recover });
	}
	return problems;
}

/** The commit that the workspace was made with; null if there was none, or the marker cannot be read. */
async function startOf({ given }: GitContext, { workspace }: Checkout): Promise<string | null> {
	if (workspace.kind === "main" || given !== undefined) return null;
	return (await readMarker(markerIn(await gitFolderOf(workspace.path))))?.start ?? null;
}

async function unfinished(
	{ git, clock, given }: GitContext,
	checkout: Checkout,
	recover: string,
): Promise<HealthProblem[]> {
	const tree = await readStatus(git, checkout.workspace.path);
	const problems: HealthProblem[] = [];
	const lock = await lstat(path.join(tree.gitFolder, "index.lock")).catch(() => null);
	if (lock !== null) {
		const seconds = Math.max(0, Math.round((clock.now() - lock.mtimeMs) / 1000));
		const text = `Git's index.lock is ${seconds} s old: a git command is still running, or was killed.`;
		problems.push({ code: "LOCK_LEFT", text, fix: recover });
	}
	if (tree.operation !== null)
		problems.push({ code: "OPERATION_OPEN", text: `A ${tree.operation} was begun and not finished.`, fix: recover });
	const marker =
		checkout.workspace.kind === "main" || given !== undefined ? null : await readMarker(markerIn(tree.gitFolder));
	if (marker?.ready === false) problems.push({ code: "UNFINISHED", text: "It was never made ready.", fix: recover });
	return problems;
}

async function linkProblems(
	context: GitContext,
	{ project, workspace }: Checkout,
	recover: string,
): Promise<HealthProblem[]> {
	const { git, given } = context;
	const effective = await projectSettings(context, project);
	if (isRefusal(effective)) return [configProblem(project.slug, effective.message)];
	if (workspace.kind === "main") return [];
	const from = { ...shareFrom(context, project), ...(given && { filled: given.primary }) };
	const broken = await Promise.all(
		effective.settings.shared.map(async (name) => await brokenLink(git, workspace.path, from, name)),
	);
	return broken
		.filter((each) => each !== null)
		.map(({ text, warm }) => ({
			code: "LINK_BROKEN",
			text: `${text}.`,
			fix: warm ? `brood project warm ${project.slug}` : recover,
		}));
}

async function diskProblems(folder: string): Promise<HealthProblem[]> {
	const disk = await statfs(folder).catch(() => null);
	const free = disk === null ? freeBytesMin : disk.bavail * disk.bsize;
	if (free >= freeBytesMin) return [];
	const text = `Only ${Math.round(free / 1024 / 1024)} MiB are free.`;
	return [{ code: "DISK_LOW", text, fix: "brood project gc --dry-run" }];
}
