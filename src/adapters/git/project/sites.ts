// The base of a project's home node at other nodes. Merges are made at the home node; a site's base follows them, as
// long as that loses nothing. The home node's `.brood.yaml` counts as soon as its base was fetched.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { nullIfMissing } from "#adapters/system/errors.ts";
import type { HomeNodeBase } from "#contract/project.ts";
import { sharedConfig } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type {
	FollowedBase,
	HomeNodeBaseRequest,
	HomeNodeCommits,
	ProjectRepository,
} from "#engine/ports/workspace-requests.ts";
import type { SiteRepositories } from "#engine/ports/workspaces.ts";
import { branchRef, homeBaseRef } from "../format/refs.ts";
import { exists } from "../layout/layout.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { commitOf, existingBranch } from "../run/user-input.ts";
import { bundleOf, fetchAll } from "../workspace/bundle.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";
import { projectConfig } from "../workspace/settings.ts";
import { moveBase } from "./move-base.ts";

export const siteRepositories = (context: GitContext): SiteRepositories => ({
	knownCommits: async (project, of) =>
		of === "roots" ? await rootsOf(context.git, project) : await baseTips(context.git, project, of.base),
	ownConfig: async ({ slug }) => {
		if (!(await exists(context.layout.config(slug)))) return null;
		const own = await projectConfig(context.layout, { slug });
		return isRefusal(own) ? own : sharedConfig(own);
	},
	configDigest: async (project) => await configDigest(context, project),
	homeNodeBase: async (project, request) => await homeNodeBase(context, project, request),
	fetchHomeBase: async (project, base, home) => await fetchHomeBase(context, project, base, home),
	follow: async (project, base, home) => await follow(context, project, base, home),
});

const rootsMax = 50;

/** The first commits of a repository; of a shallow clone, those that it begins at. */
async function rootsOf(git: Git, { path }: ProjectRepository): Promise<string[]> {
	const args = ["rev-list", "--max-parents=0", `--max-count=${rootsMax}`, "--all", "--"];
	const { text } = await git(path, args);
	return text === "" ? [] : text.split("\n");
}

async function configDigest({ layout }: GitContext, { slug }: ProjectRepository): Promise<string | null> {
	const text = await readFile(layout.config(slug)).catch(nullIfMissing);
	return text === null ? null : createHash("sha256").update(text).digest("hex");
}

/** The commits of base, of origin's and of the home node's, as far as they are known here. */
async function baseTips(git: Git, { path }: ProjectRepository, base: string): Promise<string[]> {
	const refs = [branchRef(base), `refs/remotes/origin/${base}`, homeBaseRef(base)];
	const found = await Promise.all(refs.map(async (ref) => await commitOf(git, path, ref)));
	return [...new Set(found.filter((each) => each !== null))];
}

/** At the home node: its base, what it knows of `have`, and a bundle of what these lack. */
async function homeNodeBase(
	context: GitContext,
	project: ProjectRepository,
	{ base, have, bundle, bytesMax }: HomeNodeBaseRequest,
): Promise<HomeNodeBase | Refusal> {
	const { git } = context;
	const { path, slug } = project;
	const digest = await configDigest(context, project);
	const branch = await existingBranch(git, path, base);
	if (isRefusal(branch)) return branch;
	const { commit } = branch;
	const known: string[] = [];
	for (const each of have) if ((await commitOf(git, path, each)) !== null) known.push(each);
	const range = [branchRef(base), ...(known.length > 0 ? ["--not", ...known] : [])];
	const isNew =
		commit !== null && bundle && (await git(path, ["rev-list", "--max-count=1", ...range, "--"])).text !== "";
	if (!isNew) return { base, configDigest: digest, commit, known, bundle: null };
	const { bytes, text } = await bundleOf(git, path, range, bytesMax);
	if (text !== null) return { base, configDigest: digest, commit, known, bundle: text };
	return refuse("TOO_LARGE", `What ${base} of ${slug} has and the other node lacks is too large: ${bytes} bytes.`, {
		details: { bytes, limit: bytesMax },
		suggestions: [`git pull in the repository of ${slug} at the other node`],
	});
}

/** At a site: what the home node answered of its base, into the site's repository. */
async function fetchHomeBase(
	{ git }: GitContext,
	project: ProjectRepository,
	base: string,
	{ commit, bundle }: HomeNodeCommits,
): Promise<Refusal | null> {
	if (bundle !== null) return await fetchAll(git, project, [bundle], [`+${branchRef(base)}:${homeBaseRef(base)}`]);
	if ((await commitOf(git, project.path, homeBaseRef(base))) !== commit)
		await git(project.path, ["update-ref", homeBaseRef(base), commit]);
	return null;
}

/** The same, and moves the site's base forward to it if nothing is lost by that. */
async function follow(
	context: GitContext,
	project: ProjectRepository,
	base: string,
	home: HomeNodeCommits,
): Promise<FollowedBase | Refusal> {
	const { git } = context;
	const { path } = project;
	const { commit } = home;
	const refused = await fetchHomeBase(context, project, base, home);
	if (refused !== null) return refused;
	const before = await commitOf(git, path, branchRef(base));
	if (before === commit) return { ahead: 0, notFollowed: null };
	if (before === null || (await isAncestor(git, path, before, commit))) {
		const at = { project, workspace: { base } };
		const moved = await exclusively(path, async () => await moveBase(context, at, before, commit));
		const meanwhile = refuse("CONFLICT", `${base} in ${path} was moved meanwhile; try again.`, { details: { path } });
		return { ahead: 0, notFollowed: moved === "moved" ? meanwhile : moved };
	}
	if (await isAncestor(git, path, commit, before)) {
		const ahead = await countOf(git, path, [before, "--not", commit, "--remotes=origin"]);
		return { ahead, notFollowed: null };
	}
	const [ahead, behind] = [
		await countOf(git, path, [before, "--not", commit, "--remotes=origin"]),
		await countOf(git, path, [commit, "--not", before]),
	];
	const notFollowed = refuse(
		"CONFLICT",
		`${base} in ${path} has diverged from ${base} at the home node of ${project.slug}.`,
		{
			details: { path, ahead, behind },
			suggestions: [`git -C ${shellWord(path)} rebase ${homeBaseRef(base)}`],
		},
	);
	return { ahead, notFollowed };
}

const countOf = async (git: Git, folder: string, range: readonly string[]): Promise<number> =>
	Number((await git(folder, ["rev-list", "--count", ...range, "--"])).text);
