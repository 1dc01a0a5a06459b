// How an agent's branch stands against its base, and its new commits.
import { codeOf } from "#adapters/system/errors.ts";
import { messageOf } from "#contract/message-of.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { BranchStatus, UnseenCommit } from "#contract/workspace.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { checkoutName, recoverySuggestions } from "../format/checkout-name.ts";
import { exists } from "../layout/layout.ts";
import { type Git, GitFailed } from "../run/git.ts";
import { commitOf } from "../run/user-input.ts";
import { agentIdentity, baseCommit, type GitContext, isAncestor } from "../workspace/git-context.ts";
import { gitFolderAt, readStatus } from "../workspace/tree-status.ts";
import { recordedMerge } from "./record.ts";

export async function branchStatus(context: GitContext, checkout: Checkout): Promise<BranchStatus | Refusal> {
	const gone = await noTree(checkout);
	if (gone !== null) return gone;
	return await readOrRefuse(checkout, async () => await readBranchStatus(context, checkout));
}

async function readBranchStatus(context: GitContext, checkout: Checkout): Promise<BranchStatus> {
	const { path, branch } = checkout.workspace;
	const base = await baseCommit(context, checkout);
	const tree = await readStatus(context.git, path);
	const head = await commitOf(context.git, path, `refs/heads/${branch}`);
	const counts = await aheadBehind(context.git, path, base, head);
	const merged = head !== null && counts.ahead > 0 && (await isMerged(context, checkout, head));
	return {
		head,
		baseCommit: base,
		ahead: merged ? 0 : counts.ahead,
		behind: counts.behind,
		uncommitted: tree.changes.length > 0 || tree.operation !== null,
	};
}

/** The result of `read`, or a refusal with git's message if the tree is too damaged to be read. */
export async function readOrRefuse<T>(checkout: Checkout, read: () => Promise<T>): Promise<T | Refusal> {
	try {
		return await read();
	} catch (error) {
		if (!(error instanceof GitFailed) && codeOf(error) === null) throw error;
		return refuse("CONFLICT", `The workspace of ${checkoutName(checkout)} cannot be read: ${messageOf(error)}`, {
			details: { path: checkout.workspace.path },
			suggestions: recoverySuggestions(checkout),
		});
	}
}

export async function treeGone(checkout: Checkout): Promise<Refusal | null> {
	const { path } = checkout.workspace;
	if (await exists(path)) return null;
	return refuse("NOT_FOUND", `The workspace of ${checkoutName(checkout)} is not at ${path} any more.`, {
		details: { path },
		suggestions: recoverySuggestions(checkout),
	});
}

/** Also if the folder has lost its repository. For a workspace without a sandbox, since `.git` is read. */
export async function noTree(checkout: Checkout): Promise<Refusal | null> {
	const gone = await treeGone(checkout);
	if (gone !== null) return gone;
	const { project, workspace } = checkout;
	const { path } = workspace;
	if ((await gitFolderAt(path)) !== null) return null;
	// a damaged project makes each of its workspaces look damaged
	if ((await gitFolderAt(project.path)) === null) return null;
	return refuse("CONFLICT", `The workspace of ${checkoutName(checkout)} is no longer a git repository: ${path}`, {
		details: { path },
		suggestions: recoverySuggestions(checkout),
	});
}

/** How many commits only `head` has, and how many only `base` has. */
export async function aheadBehind(
	git: Git,
	folder: string,
	base: string | null,
	head: string | null,
): Promise<{ ahead: number; behind: number }> {
	if (head === null || head === base) return { ahead: 0, behind: 0 };
	if (base === null) return { ahead: Number((await git(folder, ["rev-list", "--count", head, "--"])).text), behind: 0 };
	const { text } = await git(folder, ["rev-list", "--count", "--left-right", `${base}...${head}`, "--"]);
	const [behind = 0, ahead = 0] = text.split("\t").map(Number);
	return { ahead, behind };
}

/** Whether base contains this commit: by ancestry, or by a recorded merge in another form (squash, rebase). */
export async function isMerged(
	context: GitContext,
	{ project, agent, workspace }: Checkout,
	tip: string,
): Promise<boolean> {
	const base = await commitOf(context.git, project.path, `refs/heads/${workspace.base}`);
	if (base === null || (await commitOf(context.git, project.path, tip)) === null) return false;
	if (await isAncestor(context.git, project.path, tip, base)) return true;
	const recorded = await recordedMerge(context.git, project.path, agent.id, tip);
	if (recorded !== null && (await isAncestor(context.git, project.path, recorded.commit, base))) return true;
	// base had it before it was rebased, or before somebody force-pushed
	const former = ["for-each-ref", "--count=1", `--contains=${tip}`, `refs/brood/branches/${workspace.base}/`];
	return (await context.git(project.path, former)).text !== "";
}

const seenMax = 200;
const filesListedMax = 100;

/** Commits after `seen`; all that base lacks if `seen` no longer exists. */
export async function commitsSince(
	context: GitContext,
	checkout: Checkout,
	seen: string | null,
): Promise<UnseenCommit[] | Refusal> {
	const gone = await noTree(checkout);
	if (gone !== null) return gone;
	const { git } = context;
	const { path, branch } = checkout.workspace;
	const head = await commitOf(git, path, `refs/heads/${branch}`);
	if (head === null || head === seen) return [];
	const base = await baseCommit(context, checkout);
	const known = seen === null ? null : await commitOf(git, path, seen);
	// commits of base are not the agent's work
	const not = [known, base].flatMap((commit) => (commit === null ? [] : [`^${commit}`]));
	const { text } = await git(path, [
		"log",
		"--reverse",
		"-z",
		`--max-count=${seenMax}`,
		"--name-status",
		"--no-renames",
		"--format=%x01%H%n%an%n%s",
		head,
		...not,
		"--",
	]);
	const name = agentIdentity(checkout.agent)["GIT_AUTHOR_NAME"];
	return text
		.split("\u0001")
		.filter((record) => record !== "")
		.map((record) => {
			const [header = "", ...fields] = record.split("\0");
			const [commit = "", author = "", ...subject] = header.split("\n");
			// a letter, its file, and so on; what git puts between them is a newline
			const words = fields.map((field) => field.replace(/^\n/, "")).filter((field) => field !== "");
			const files = words.flatMap((word, at) => (at % 2 === 0 ? [`${word} ${words[at + 1] ?? ""}`] : []));
			const listed = { files: files.slice(0, filesListedMax), filesTotal: files.length };
			return { commit, author, subject: subject.join("\n"), byAgent: author === name, ...listed };
		});
}
