// The project's remote `origin`: what it has, what base has, and how base takes in what is new there.
//
// A project by URL is a bare clone of ours, so its base follows origin by itself as long as nothing is lost. In a
// person's repository only the remote-tracking branches are fetched; base moves there when work is approved, or when
// the person pulls.
//
// `refs/brood/origin/<base>` is the commit of origin that base was last seen to contain. If origin does not contain it
// any more, somebody has force-pushed: commits that were dropped there are not ours to bring back, so only those that
// base has on top of it are kept.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { RemoteStatus } from "#contract/workspace.ts";
import type { ProjectRepository, StepControl } from "#engine/ports/workspace-requests.ts";
import { exclusively } from "../run/exclusive.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { trackingRefspecs } from "../run/tracking.ts";
import { commitOf } from "../run/user-input.ts";
import { worktreeOfBranch } from "../run/worktrees.ts";
import { aheadBehind } from "../verbs/branch-status.ts";
import { fetchReason } from "../verbs/remote-reason.ts";
import { type GitContext, isAncestor } from "../workspace/git-context.ts";

const remote = "origin";
/** how long a fetch may take in all, and how long a step waits for it */
const fetchMsMax = 30 * 60 * 1000;
const waitMsDefault = 20_000;

/** Fetches origin, lets the base of our clone follow, and says how the two stand. Null if there is no origin. */
export async function fetchAndFollowOrigin(
	context: GitContext,
	project: ProjectRepository,
	base: string,
	control: Pick<StepControl, "signal"> = {},
): Promise<RemoteStatus | null> {
	const { git } = context;
	const known = await git(project.path, ["config", "--get", `remote.${remote}.url`], { answers: [1] });
	if (known.exit !== 0) return null;
	const error = await fetchOrigin(context, project, control.signal);
	const followed = await exclusively(project.path, async () => {
		const moved = isOurClone(context, project) ? await follow(git, project, base) : still;
		await rememberOrigin(git, project, base);
		return moved;
	});
	const status = await originStatus(git, project, base);
	return { ...status, took: followed.took, rewritten: followed.rewritten || status.rewritten, error };
}

/** How base stands against origin's branch, as it was last fetched or pushed. */
export async function originStatus(
	git: Git,
	{ path }: Pick<ProjectRepository, "path">,
	base: string,
): Promise<RemoteStatus> {
	const [here, there] = [await commitOf(git, path, `refs/heads/${base}`), await commitOf(git, path, theirs(base))];
	const counts = there === null ? { ahead: 0, behind: 0 } : await aheadBehind(git, path, there, here);
	const built = counts.behind === 0 ? null : await commitOf(git, path, builtOn(base));
	const rewritten = there !== null && built !== null && !(await isAncestor(git, path, built, there));
	return { remote, branch: base, absent: there === null, ...counts, rewritten, took: 0, error: null };
}

const isOurClone = ({ layout }: GitContext, { slug, path }: ProjectRepository): boolean =>
	path === layout.bareClone(slug);
const theirs = (base: string): string => `refs/remotes/${remote}/${base}`;
const builtOn = (base: string): string => `refs/brood/${remote}/${base}`;

/** fetches under way, by repository: everybody waits for the same one */
const fetching = new Map<string, Promise<string | null>>();

/** the repositories of fetches that a caller no longer waits for */
const givenUp = new Set<string>();

/** Whether a fetch is running that its callers have given up: a push would wait for the same server. */
export const isFetchGivenUp = ({ path }: ProjectRepository): boolean => givenUp.has(path);

/** Null if it was fetched, or why not. A slow fetch goes on without the caller. */
async function fetchOrigin(
	context: GitContext,
	project: ProjectRepository,
	signal: AbortSignal | undefined,
): Promise<string | null> {
	const { path } = project;
	const fetched = fetching.get(path) ?? fetchNow(context, project).finally(() => ended(path));
	fetching.set(path, fetched);
	const { fetchWaitMs: waitMs = waitMsDefault } = context;
	const late = Promise.withResolvers<string | null>();
	const giveUp = (why: string): void => {
		givenUp.add(path);
		late.resolve(why);
	};
	const stop = (): void => giveUp("the daemon stops");
	const timer = setTimeout(
		() => giveUp(`no answer within ${waitMs / 1000} s; the fetch goes on in the background`),
		waitMs,
	);
	signal?.addEventListener("abort", stop, { once: true });
	return await Promise.race([fetched, late.promise]).finally(() => {
		clearTimeout(timer);
		signal?.removeEventListener("abort", stop);
	});
}

function ended(path: string): void {
	fetching.delete(path);
	givenUp.delete(path);
}

async function fetchNow(context: GitContext, project: ProjectRepository): Promise<string | null> {
	// in a person's repository nothing is removed, and no tags are added
	const how = isOurClone(context, project) ? ["--prune"] : ["--no-prune", "--no-tags"];
	const refspecs = await trackingRefspecs(context.git, project.path, remote);
	const args = ["fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", ...how];
	try {
		await context.git(project.path, [...args, "--refmap=", remote, ...refspecs], { timeoutMs: fetchMsMax });
		return null;
	} catch (error) {
		if (error instanceof GitFailed) return fetchReason(error.errors);
		throw error;
	}
}

const still = { took: 0, rewritten: false };

/** Moves the base of our clone to origin's branch if nothing of ours is lost by it; how many commits came in. */
async function follow(
	git: Git,
	{ path }: ProjectRepository,
	base: string,
): Promise<Pick<RemoteStatus, "took" | "rewritten">> {
	const [here, there] = [await commitOf(git, path, `refs/heads/${base}`), await commitOf(git, path, theirs(base))];
	if (there === null) return still;
	const built = await commitOf(git, path, builtOn(base));
	const forward = here === null || (await isAncestor(git, path, here, there));
	const dropped = !forward && built !== null && !(await isAncestor(git, path, built, there));
	// origin was rewritten, and base has nothing that did not come from there
	const follows = forward || (dropped && (await isAncestor(git, path, here, built)));
	if (!follows || here === there) return still;
	// a person's worktree of the clone is not moved behind their back
	if ((await worktreeOfBranch(git, path, `refs/heads/${base}`)) !== undefined) return still;
	if (!forward) await git(path, ["update-ref", `refs/brood/branches/${base}/${here}`, here]);
	await git(path, ["update-ref", `refs/heads/${base}`, there, here ?? "0".repeat(there.length)]);
	return { took: here === null ? 0 : (await aheadBehind(git, path, there, here)).behind, rewritten: !forward };
}

/** Records the commit of origin that base contains: the newest, or at first sight where the two parted. */
export async function rememberOrigin(git: Git, project: ProjectRepository, base: string): Promise<void> {
	const { path } = project;
	const refs = [`refs/heads/${base}`, theirs(base), builtOn(base)];
	const [here = null, there = null, built = null] = await Promise.all(
		refs.map(async (ref) => await commitOf(git, path, ref)),
	);
	if (here === null || there === null || built === there) return;
	const common = (await git(path, ["merge-base", there, here], { answers: [1] })).text;
	if (common !== "" && (common === there || built === null)) await git(path, ["update-ref", builtOn(base), common]);
}

/** What origin has that base lacks. */
export interface Incoming {
	/** origin's commit */
	commit: string;
	/** what base was built on, if origin was rewritten since */
	rewrittenFrom: string | null;
	/** commits that base lacks */
	behind: number;
	/** commits that origin lacks, and that did not come from there */
	own: number;
}

/** Null if base has everything that origin has. */
export async function incoming(
	{ git }: GitContext,
	{ path }: ProjectRepository,
	base: string,
	before: string,
): Promise<Incoming | null> {
	const commit = await commitOf(git, path, theirs(base));
	if (commit === null || (await isAncestor(git, path, commit, before))) return null;
	const built = await commitOf(git, path, builtOn(base));
	const rewritten = built !== null && !(await isAncestor(git, path, built, commit));
	const { ahead: own } = await aheadBehind(git, path, rewritten ? built : commit, before);
	const { behind } = await aheadBehind(git, path, commit, before);
	return { commit, rewrittenFrom: rewritten ? built : null, behind, own };
}

/** A branch that only origin has becomes one here, as `git checkout` does it. */
export async function branchFromOrigin(git: Git, repository: string, name: string): Promise<void> {
	const commit = await commitOf(git, repository, theirs(name));
	// unless somebody made it meanwhile
	if (commit !== null)
		await git(repository, ["update-ref", `refs/heads/${name}`, commit, "0".repeat(commit.length)], {
			answers: [1, 128],
		});
}

/** A refusal to merge because base cannot take in what origin has. */
export function cannotTakeIn(
	project: ProjectRepository,
	base: string,
	{ commit, behind, own }: Incoming,
	{ why, files = [], suggestions = [] }: { why: string; files?: readonly string[]; suggestions?: string[] },
): Refusal {
	const text = `${base} has diverged from ${remote}/${base} (${own} ahead, ${behind} behind), and ${why}. Nothing was merged.`;
	return refuse(files.length > 0 ? "MERGE_CONFLICT" : "CONFLICT", text, {
		details: { ahead: own, behind, originCommit: commit, files: [...files] },
		suggestions: [...suggestions, `brood project settings ${project.slug}`],
	});
}
