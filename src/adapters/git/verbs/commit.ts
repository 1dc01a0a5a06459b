// Commits in an agent's name, and lists the files that were left out.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { counted } from "#contract/counted.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Committed } from "#contract/workspace.ts";
import type { Checkout, CommitRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { abbreviated } from "../format/abbreviated.ts";
import { checkoutName, recoverySuggestions } from "../format/checkout-name.ts";
import { displayName, listOf, pathOf } from "../format/names.ts";
import type { Git } from "../run/git.ts";
import { plainCommit } from "../run/plain-commit.ts";
import { changedFiles } from "../tree/tree.ts";
import { agentIdentity, type GitContext } from "../workspace/git-context.ts";
import { projectSettings } from "../workspace/settings.ts";
import {
	addChanges,
	isAddedAndGone,
	markerAt,
	namesOf,
	readStatus,
	type StatusEntry,
	type TreeStatus,
} from "../workspace/tree-status.ts";
import { noTree } from "./branch-status.ts";

const messageMax = 32 * 1024;

export async function commitWork(
	context: GitContext,
	checkout: Checkout,
	request: CommitRequest,
	control: StepControl = {},
): Promise<Committed | Refusal> {
	const { git } = context;
	const { path: folder, branch } = checkout.workspace;
	const wrong = (await noTree(checkout)) ?? checkMessage(request);
	if (wrong !== null) return wrong;
	const tree = await readStatus(git, folder, { everyFile: true });
	const made = control.begun === undefined ? null : await madeBefore(context, checkout, request, control.begun.head);
	if (made !== null) return { ...made, branch: tree.branch ?? branch };
	const refused =
		cannotCommit(tree, checkout, request) ?? (tree.head === null ? await branchLost(context, checkout) : null);
	if (refused !== null) return refused;
	const taken = select(tree.changes, request.paths);
	if (isRefusal(taken)) return taken;
	const effective = await projectSettings(context, checkout.project);
	if (isRefusal(effective)) return effective;
	const large = await tooLarge(folder, taken.changes, effective.settings.fileBytesMax);
	if (large !== null) return large;
	if (taken.changes.every(isAddedAndGone) && tree.operation !== "merge")
		return nothingToCommit(checkout, taken.omitted);

	await control.begin?.({ head: tree.head });
	await addChanges(git, folder, "-A", taken.changes);
	const named = taken.changes.flatMap((change) =>
		namesOf(change).filter((name) => name !== change.raw || !isAddedAndGone(change)),
	);
	const trailers = trailersOf(checkout, request);
	const only = request.paths === undefined ? [] : ["--only", "--pathspec-from-file=-", "--pathspec-file-nul"];
	const message = `--message=${withTrailers(request.message, trailers)}`;
	await git(
		folder,
		[
			"--literal-pathspecs",
			"commit",
			"--quiet",
			"--no-verify",
			"--no-gpg-sign",
			"--cleanup=whitespace",
			message,
			...only,
		],
		{ environment: agentIdentity(checkout.agent), input: request.paths === undefined ? "" : listOf(named) },
	);
	const commit = (await plainCommit(folder, "HEAD"))?.id ?? (await git(folder, ["rev-parse", "HEAD"])).text;
	return {
		commit,
		branch: tree.branch ?? branch,
		files: await filesOf(git, folder, tree.head, commit),
		omitted: taken.omitted,
		trailers,
	};
}

/** The commit of an earlier try that died before it answered: the oldest since `head` with the same message. */
async function madeBefore(
	{ git }: GitContext,
	checkout: Checkout,
	request: CommitRequest,
	head: string | null,
): Promise<Omit<Committed, "branch"> | null> {
	const { path: folder } = checkout.workspace;
	const range = head === null ? "HEAD" : `${head}..HEAD`;
	const { exit, text } = await git(folder, ["log", "-z", "--first-parent", "--format=%H%n%P%n%B", range, "--"], {
		answers: [128],
	});
	const trailers = trailersOf(checkout, request);
	const message = cleaned(withTrailers(request.message, trailers));
	const entries = (exit === 0 ? text : "").split("\0").map((entry) => entry.split("\n"));
	const [commit = "", parents = ""] = entries.findLast(([, , ...body]) => cleaned(body.join("\n")) === message) ?? [];
	if (commit === "") return null;
	const files = await filesOf(git, folder, parents.split(" ")[0] || null, commit);
	return { commit, files, omitted: [], trailers };
}

/** As `--cleanup=whitespace` does. */
const cleaned = (message: string): string =>
	message
		.split("\n")
		.map((line) => line.trimEnd())
		.join("\n")
		.replace(/\n{3,}/g, "\n\n")
		.trim();

function checkMessage({ message, stage }: CommitRequest): Refusal | null {
	if (message.trim() === "") return refuse("VALIDATION_ERROR", "A commit needs a message.");
	if (message.length > messageMax || message.includes("\0"))
		return refuse("VALIDATION_ERROR", `A message has at most ${messageMax} characters, and no NUL.`);
	if (stage !== undefined && !/^[^\p{Cc}]{1,100}$/u.test(stage))
		return refuse("VALIDATION_ERROR", "A stage is one short line.");
	return null;
}

function cannotCommit(tree: TreeStatus, checkout: Checkout, request: CommitRequest): Refusal | null {
	const whose = checkoutName(checkout);
	const conflicts = tree.changes.filter((change) => change.conflict).map((change) => change.path);
	if (conflicts.length > 0) {
		return refuse("MERGE_CONFLICT", `${counted(conflicts.length, "file")} in conflict: ${abbreviated(conflicts)}.`, {
			details: { files: conflicts },
			suggestions: [`brood agent diff ${whose}`],
		});
	}
	if (tree.operation !== null && (tree.operation !== "merge" || request.paths !== undefined)) {
		return refuse(
			"CONFLICT",
			`${whose} is in the middle of a ${tree.operation}; ${tree.operation === "merge" ? "commit everything" : "finish that first"}.`,
			{ details: { operation: tree.operation }, suggestions: [`brood agent health ${whose}`] },
		);
	}
	return notOnBranch(tree, checkout);
}

/** A branch that was deleted while checked out looks like one without commits. */
async function branchLost({ given }: GitContext, checkout: Checkout): Promise<Refusal | null> {
	const { path: folder, branch } = checkout.workspace;
	const start = given === undefined ? ((await markerAt(folder))?.start ?? null) : given.start;
	if (start === null) return null;
	return refuse(
		"CONFLICT",
		`The branch ${branch} of ${checkoutName(checkout)} is gone, so a commit would have no history.`,
		{ details: { branch, start }, suggestions: recoverySuggestions(checkout) },
	);
}

/** The agent would lose a commit on another branch. In `main` the person chooses the branch. */
export function notOnBranch({ branch }: TreeStatus, checkout: Checkout): Refusal | null {
	const { branch: expected, kind } = checkout.workspace;
	if (branch === expected || (kind === "main" && branch !== null)) return null;
	return refuse("CONFLICT", `${checkoutName(checkout)} is on ${branch ?? "a detached HEAD"} and not on ${expected}.`, {
		details: { branch, expected },
		suggestions: recoverySuggestions(checkout),
	});
}

/** All changes, or those at the named paths; never a repository inside this one. */
function select(
	all: readonly StatusEntry[],
	paths: readonly string[] | undefined,
): { changes: StatusEntry[]; omitted: Committed["omitted"] } | Refusal {
	const nested = all.filter(
		(change) => change.status === "??" && (change.omitReason !== null || change.raw.endsWith("/")),
	);
	const omitted = nested.map((change) => ({
		path: change.path,
		reason: change.omitReason ?? "a repository of its own",
	}));
	const files = all.filter((change) => !nested.includes(change));
	if (paths === undefined) return { changes: files, omitted };
	const named = paths.map((name) => path.posix.normalize(name).replace(/\/$/, ""));
	const outside = paths.filter(
		(name, at) =>
			name === "" ||
			name.includes("\0") ||
			path.posix.isAbsolute(name) ||
			/^\.\.(\/|$)|^\.git(\/|$)/i.test(named[at] ?? ""),
	);
	if (outside.length > 0)
		return refuse("VALIDATION_ERROR", "Only paths inside the workspace can be committed.", {
			details: { paths: outside },
		});
	const isAt = (location: string, name: string): boolean =>
		name === "." || location === name || location.startsWith(`${name}/`);
	const touches = ({ path: location, from }: StatusEntry, name: string): boolean =>
		isAt(location, name) || (from !== null && isAt(displayName(from), name));
	const unchanged = named.filter((name) => !files.some((change) => touches(change, name)));
	if (unchanged.length > 0)
		return refuse("VALIDATION_ERROR", `Nothing has changed at ${unchanged.join(", ")}.`, {
			details: { paths: unchanged },
		});
	return { changes: files.filter((change) => named.some((name) => touches(change, name))), omitted };
}

async function tooLarge(folder: string, changes: readonly StatusEntry[], bytesMax: number): Promise<Refusal | null> {
	const files: { path: string; bytes: number }[] = [];
	for (const change of changes) {
		const found = await lstat(pathOf(folder, change.raw)).catch(() => null);
		if (found?.isFile() === true && found.size > bytesMax) files.push({ path: change.path, bytes: found.size });
	}
	if (files.length === 0) return null;
	return refuse(
		"TOO_LARGE",
		`These files are larger than ${bytesMax} bytes: ${files.map((file) => file.path).join(", ")}. Ignore them, or name the paths to commit.`,
		{ details: { files, fileBytesMax: bytesMax } },
	);
}

function nothingToCommit(checkout: Checkout, omitted: Committed["omitted"]): Refusal {
	const whose = checkoutName(checkout);
	const rest =
		omitted.length === 0 ? "" : ` Left out: ${abbreviated(omitted.map((file) => `${file.path} (${file.reason})`))}.`;
	return refuse("AGENT_NO_COMMIT", `${whose} has nothing to commit.${rest}`, {
		details: { omitted },
		suggestions: [`brood agent diff ${whose}`],
	});
}

function trailersOf({ agent }: Checkout, { stage, turn }: CommitRequest): Record<string, string> {
	return {
		"Brood-Agent": agent.handle,
		...(stage === undefined ? {} : { "Brood-Stage": stage }),
		...(turn === undefined ? {} : { "Brood-Turn": String(turn) }),
	};
}

/** Not left to git: a repository's configuration can make `git interpret-trailers` run programs. */
export function withTrailers(message: string, trailers: Readonly<Record<string, string>>): string {
	const text = message.trimEnd();
	const last = text
		.split(/\n\s*\n/)
		.slice(1)
		.at(-1);
	const isBlock = last?.split("\n").every((line) => /^[A-Za-z0-9-]+: \S/.test(line)) === true;
	return `${text}${isBlock ? "\n" : "\n\n"}${Object.entries(trailers)
		.map(([key, value]) => `${key}: ${value}\n`)
		.join("")}`;
}

async function filesOf(git: Git, folder: string, before: string | null, commit: string): Promise<Committed["files"]> {
	const range = before === null ? ["--root", "--no-commit-id", commit] : [before, commit];
	const changes = await changedFiles(git, folder, range);
	return changes.map(({ status, name }) => ({ status, path: displayName(name) }));
}
