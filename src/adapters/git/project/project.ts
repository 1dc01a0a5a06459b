// Makes a repository a project. A local one is used where it is, unchanged. A URL is cloned as a bare repository into
// the home; its `refs/heads` are ours, and its `refs/remotes/origin` follow the remote.
import { realpath, rename, stat } from "node:fs/promises";
import path from "node:path";
import type { ProjectSlug } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type { OpenedProject, OpenRequest, ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { exclusively } from "../run/exclusive.ts";
import { GitFailed } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { checkUrl, existingBranch, looksLikeUrl } from "../run/user-input.ts";
import { lastLine } from "../verbs/repository-problem.ts";
import { discard } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { defaultBranch } from "../workspace/settings.ts";

const networkTimeoutMs = 30 * 60 * 1000;

export async function openProject(
	context: GitContext,
	request: OpenRequest,
	control: StepControl,
): Promise<OpenedProject | Refusal> {
	const location = looksLikeUrl(request.source)
		? await openClone(context, request.slug, request.source, control)
		: await openLocal(context, request.source, request.others ?? []);
	if (isRefusal(location)) return location;
	const base = await existingBranch(
		context.git,
		location.path,
		request.base ?? (await defaultBranch(context.git, location.path)),
	);
	if (isRefusal(base)) return base;
	// so that a person can put a config.yaml there
	const wrong = await context.layout.makeParent(context.layout.config(request.slug));
	return wrong ?? { ...location, base: base.branch };
}

async function openLocal(
	context: GitContext,
	source: string,
	others: readonly ProjectRepository[],
): Promise<{ path: string; url: null } | Refusal> {
	const refused = (why: string): Refusal =>
		refuse("VALIDATION_ERROR", `${JSON.stringify(source)} cannot be a project: ${why}.`, { details: { path: source } });
	if (!path.isAbsolute(source) || source.includes("\0")) return refused("give an absolute path, or a URL");
	if ((await stat(source).catch(() => null))?.isDirectory() !== true) return refused("there is no such folder");
	const folder = await realpath(source);
	// git does not search the parent folders, so a folder inside a repository does not count
	const found = await context.git(
		folder,
		["rev-parse", "--path-format=absolute", "--absolute-git-dir", "--is-bare-repository"],
		{ answers: [128] },
	);
	if (found.exit !== 0)
		return (await insideRepository(folder, others)) ?? refused("it is not a git repository; git init makes one");
	const [gitFolder, bare] = found.text.split("\n");
	const taken = await sameRepository(folder, others);
	if (taken !== null)
		return refuse("CONFLICT", `${folder} is the repository of the project ${taken.slug} already.`, {
			details: { path: folder, project: taken.slug },
			suggestions: [`brood project show ${taken.slug}`],
		});
	if (bare === "true") return { path: folder, url: null };
	if (gitFolder === folder) return refused("it is the git folder of a repository; add the folder that it belongs to");
	// a linked worktree can be removed while agents use it
	const common = (await context.git(folder, ["rev-parse", "--path-format=absolute", "--git-common-dir"])).text;
	if (common !== gitFolder) return refused("it is a worktree of another repository; add that one");
	return { path: folder, url: null };
}

/** Refuses a folder inside a repository, with the command that takes the whole one; null if it is in none. */
async function insideRepository(folder: string, others: readonly ProjectRepository[]): Promise<Refusal | null> {
	for (let root = path.dirname(folder); root !== path.dirname(root); root = path.dirname(root)) {
		// from inside of a git folder on to the folder that it belongs to
		if (path.basename(root) === ".git" || (await repositoryPathsOf(root, {})).gitFolder === null) continue;
		const taken = await sameRepository(root, others);
		const whose = taken === null ? root : `${root}, which is the project ${taken.slug} already`;
		return refuse("VALIDATION_ERROR", `${folder} cannot be a project: it is a folder of the repository ${whose}.`, {
			details: { path: folder, root },
			suggestions: [taken === null ? `brood project add ${shellWord(root)}` : `brood project show ${taken.slug}`],
		});
	}
	return null;
}

/** Another project with the same repository, whatever path leads there. */
async function sameRepository(folder: string, others: readonly ProjectRepository[]): Promise<ProjectRepository | null> {
	const commonOf = async (location: string): Promise<string | null> => {
		const { commonFolder } = await repositoryPathsOf(location, {});
		return commonFolder === null ? null : await realpath(commonFolder).catch(() => commonFolder);
	};
	const mine = await commonOf(folder);
	for (const other of others) if (mine !== null && (await commonOf(other.path)) === mine) return other;
	return null;
}

async function openClone(
	context: GitContext,
	slug: ProjectSlug,
	url: string,
	control: StepControl,
): Promise<{ path: string; url: string } | Refusal> {
	const { git, layout } = context;
	const clone = layout.bareClone(slug);
	const wrong = checkUrl(url) ?? (await layout.makeParent(clone));
	if (wrong !== null) return wrong;
	return await exclusively(clone, async () => {
		if (await exists(clone)) {
			const { text } = await git(clone, ["config", "--local", "--get", "remote.origin.url"], { answers: [1, 128] });
			return text === url ? { path: clone, url } : inTheWay(clone);
		}
		const partial = path.join(layout.project(slug), `.clone-${context.ids.salt()}`);
		try {
			await git(path.dirname(partial), ["clone", "--quiet", "--bare", "--origin", "origin", "--", url, partial], {
				timeoutMs: networkTimeoutMs,
				signal: control.signal,
			});
			await git(partial, ["config", "--local", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
			await rename(partial, clone);
			return { path: clone, url };
		} catch (error) {
			await discard(context, partial);
			if (!(error instanceof GitFailed)) throw error;
			return refuse("NOT_FOUND", `${url} could not be cloned: ${lastLine(error.errors)}`, {
				details: { url, errors: error.errors.slice(0, 4000) },
			});
		}
	});
}
