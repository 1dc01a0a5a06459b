// Git bundles of snapshots, by which an agent's tree reaches another node.
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { temporaryFolder } from "#adapters/system/temporary.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import type {
	BundleRequest,
	Checkout,
	ForkRequest,
	MovedRequest,
	ProjectRepository,
} from "#engine/ports/workspace-requests.ts";
import { branchRef } from "../format/refs.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { dropRefs } from "../snapshot/destroy.ts";
import { refsOf } from "../snapshot/snapshots.ts";
import { type GitContext, repositoryOf } from "./git-context.ts";
import { find } from "./keep.ts";

/** What git says if another repository lacks the commits that a bundle begins at. */
const lacking = /lacks? these prerequisite|missing necessary objects|bad object/i;

export async function makeBundle(
	context: GitContext,
	checkout: Checkout,
	{ snapshot, since, bytesMax }: BundleRequest,
): Promise<{ text: string; bytes: number; commit: string } | Refusal> {
	const { git } = context;
	const taken = await find(context, checkout, snapshot);
	if (isRefusal(taken)) return taken;
	const repository = repositoryOf(checkout);
	const branch = branchRef(checkout.workspace.branch);
	const hasBranch = (await commitOf(git, repository, branch)) !== null;
	const known = since !== null && (await commitOf(git, repository, since)) !== null ? [since] : [];
	// what the remote has, the other node's repository can have from there
	const not = ["--not", ...known, "--remotes=origin"];
	const range = [taken.ref, ...(hasBranch ? [branch] : []), ...not];
	const { bytes, text } = await bundleOf(git, repository, range, bytesMax);
	if (text !== null) return { text, bytes, commit: taken.commit };
	return refuse("TOO_LARGE", `a snapshot of ${bytes} bytes is too large to be uploaded`, {
		details: { bytes, limit: bytesMax },
	});
}

/** In base64; null if it is larger than `bytesMax`. */
export async function bundleOf(
	git: Git,
	repository: string,
	range: readonly string[],
	bytesMax: number,
): Promise<{ bytes: number; text: string | null }> {
	const folder = await temporaryFolder("bundle");
	try {
		const file = path.join(folder, "bundle");
		await git(repository, ["bundle", "create", "--quiet", file, ...range]);
		const { size: bytes } = await stat(file);
		return { bytes, text: bytes > bytesMax ? null : await readFile(file, "base64") };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** The agent's snapshots, and its branch as `refs/brood/moved/<agent>/<branch>`. */
export async function fetchBundles(
	{ git }: GitContext,
	project: ProjectRepository,
	agent: string,
	bundles: readonly string[],
): Promise<Refusal | null> {
	const refs = [`+${refsOf(agent)}/*:${refsOf(agent)}/*`, `+refs/heads/*:refs/brood/moved/${agent}/*`];
	return await fetchAll(git, project, bundles, refs);
}

/**
 * Makes the workspace of an agent that comes from another node; then its branch has the fetched commits. `refresh`
 * fetches what the remote has: it is in no bundle.
 */
export async function whileFetched<T extends object>(
	context: GitContext,
	{ project, agent, bundles }: { project: ProjectRepository; agent: { id: string }; bundles: readonly string[] },
	{ make, refresh }: { make(): Promise<T | Refusal>; refresh(): Promise<unknown> },
): Promise<T | Refusal> {
	const fetched = async (): Promise<Refusal | null> => await fetchBundles(context, project, agent.id, bundles);
	const lacking = await fetched();
	const refused = lacking === null ? null : await refresh().then(fetched);
	const made = refused ?? (await make());
	if (isRefusal(made)) return made;
	const format = "--format=%(refname) %(objectname)";
	const { text } = await context.git(project.path, ["for-each-ref", format, `refs/brood/moved/${agent.id}`]);
	const refs = text.split("\n").flatMap((line) => {
		const [ref = "", id] = line.split(" ");
		return id === undefined ? [] : [{ ref, id }];
	});
	if (refs.length > 0) await dropRefs(context.git, project.path, refs);
	return made;
}

/** Oldest first. Every object is checked: it comes from another machine. */
export async function fetchAll(
	git: Git,
	project: ProjectRepository,
	bundles: readonly string[],
	refs: readonly string[],
): Promise<Refusal | null> {
	const folder = await temporaryFolder("bundle");
	const checked = ["-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=true"];
	const how = ["--quiet", "--no-tags", "--no-write-fetch-head"];
	try {
		for (const [at, text] of bundles.entries()) {
			const file = path.join(folder, `${at}.bundle`);
			await writeFile(file, text, { encoding: "base64", mode: 0o600 });
			await git(project.path, [...checked, "fetch", ...how, "--", file, ...refs]);
		}
		return null;
	} catch (error) {
		if (!(error instanceof GitFailed) || !lacking.test(error.errors)) throw error;
		return refuse("CONFLICT", `The repository of ${project.slug} here lacks commits that the agent's work begins at.`, {
			details: { path: project.path },
			suggestions: [`git -C ${shellWord(project.path)} fetch origin`, `brood sync --project ${project.slug}`],
		});
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** The agent's own snapshots are in the project's repository now: its tree is made as that of a fork of itself. */
export const asFork = ({ project, agent, workspace, snapshot }: MovedRequest): ForkRequest => ({
	...{ project, agent, kind: workspace.kind, snapshot },
	parent: { project, agent, workspace: { ...workspace, kind: "worktree" } },
});
