// Computes merges without touching any checkout.
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Checkout, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { checkoutName } from "../format/checkout-name.ts";
import { displayName } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { plainCommit } from "../run/plain-commit.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { inScratch } from "../workspace/scratch.ts";

/** The merged tree, or a refusal that names the files in conflict. */
export async function mergeTrees(
	git: Git,
	repository: string,
	ours: string,
	theirs: string,
): Promise<{ tree: string } | Refusal> {
	const options = ["--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories"];
	const { exit, bytes } = await git(repository, ["merge-tree", ...options, ours, theirs], { answers: [1] });
	const [tree = "", ...files] = bytes.toString("latin1").split("\0");
	return exit === 0 ? { tree } : conflict(files);
}

function conflict(raw: readonly string[]): Refusal {
	const files = [...new Set(raw.filter((name) => name !== "").map(displayName))];
	return refuse("MERGE_CONFLICT", `Both sides changed ${files.join(", ")}. Nothing was changed.`, {
		details: { files },
	});
}

/**
 * Names the commands with which the agent can resolve it. `origin` is the commit of the remote, if only that conflicts.
 */
export function withNextStep(checkout: Checkout, refusal: Refusal, origin: string | null = null): Refusal {
	const whose = checkoutName(checkout);
	const { base, branch, kind } = checkout.workspace;
	// a clone has its own `origin`; the others see the project's objects
	const merge =
		origin === null
			? `Merge ${base}`
			: kind === "clone"
				? `Run git fetch origin, merge origin/${base}`
				: `Merge ${origin.slice(0, 12)}, which is origin/${base},`;
	const sides = origin === null ? "Both sides" : `origin/${base} and ${branch} both`;
	return {
		...refusal,
		message: refusal.message.replace(/^Both sides/, sides),
		suggestions: [
			`brood prompt ${whose} "${merge} into your branch, resolve the conflicts and commit."`,
			`brood agent diff ${whose}`,
		],
	};
}

export async function commitTree(
	git: Git,
	repository: string,
	tree: string,
	parents: readonly string[],
	message: string,
	identity: Record<string, string>,
): Promise<string> {
	const args = ["commit-tree", "--no-gpg-sign", ...parents.flatMap((parent) => ["-p", parent]), "-F", "-", tree];
	return (await git(repository, args, { input: message, environment: identity })).text;
}

export async function treeOfCommit(git: Git, repository: string, commit: string): Promise<string> {
	const tree = (await plainCommit(repository, commit))?.tree;
	return tree ?? (await git(repository, ["rev-parse", "--verify", `${commit}^{tree}`])).text;
}

interface Rebase {
	tip: string;
	onto: string;
	/** only commits after this one; those that `onto` lacks if absent */
	since?: string;
	/** of the committer; authors stay */
	identity: Record<string, string>;
}

/** Rebases `tip` onto `onto`, in a scratch tree, because git rebases only in a checkout. */
export async function rebased(
	context: GitContext,
	project: ProjectRepository,
	repository: string,
	{ tip, onto, since, identity }: Rebase,
): Promise<{ commit: string } | Refusal> {
	const { GIT_COMMITTER_NAME = "", GIT_COMMITTER_EMAIL = "" } = identity;
	return await inScratch(context, project, repository, tip, async (tree) => {
		// without what the user's configuration adds to a rebase
		const plain = [
			"--quiet",
			"--merge",
			"--no-autostash",
			"--no-autosquash",
			"--no-fork-point",
			"--no-update-refs",
			"--no-rebase-merges",
			"--no-gpg-sign",
			"--no-stat",
		];
		const onTop = since === undefined ? [onto] : ["--onto", onto, since];
		const { exit, errors } = await context.git(tree, ["rebase", ...plain, ...onTop], {
			answers: [1, 128],
			environment: { GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL },
		});
		if (exit === 0) return { commit: (await context.git(tree, ["rev-parse", "HEAD"])).text };
		const { bytes } = await context.git(tree, ["diff", "--name-only", "--diff-filter=U", "-z"]);
		if (bytes.length === 0) throw new Error(`git rebase failed: ${errors.slice(0, 2000)}`);
		return conflict(bytes.toString("latin1").split("\0"));
	});
}
