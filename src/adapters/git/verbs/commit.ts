// Committing in an agent's name: what it takes is named, what it leaves too.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Committed } from "#contract/workspace.ts";
import type { Checkout, CommitRequest, StepControl } from "#engine/ports/workspace-requests.ts";
import { displayName, listOf, pathOf } from "../format/names.ts";
import { abbreviated, countOf } from "../format/plural.ts";
import { type GitContext, identityOf } from "../workspace/git-context.ts";
import { settingsOf } from "../workspace/settings.ts";
import { type Change, markAt, readStatus, type TreeStatus } from "../workspace/tree-status.ts";
import { treeGone } from "./branch-status.ts";

const messageMax = 32 * 1024;

export async function commitWork(
	context: GitContext,
	checkout: Checkout,
	request: CommitRequest,
	control: StepControl = {},
): Promise<Committed | Refusal> {
	const { git } = context;
	const { path: folder, branch } = checkout.workspace;
	const wrong = (await treeGone(checkout)) ?? checkMessage(request);
	if (wrong !== null) return wrong;
	const tree = await readStatus(git, folder, { everyFile: true });
	const made = control.begun === undefined ? null : await madeBefore(context, checkout, request, control.begun.head);
	if (made !== null) return { ...made, branch: tree.branch ?? branch };
	const notNow =
		cannotCommit(tree, checkout, request) ?? (tree.head === null ? await branchLost(context, checkout) : null);
	if (notNow !== null) return notNow;
	const taken = select(tree.changes, request.paths);
	if (isRefusal(taken)) return taken;
	const effective = await settingsOf(context, checkout.project);
	if (isRefusal(effective)) return effective;
	const large = await tooLarge(folder, taken.changes, effective.settings.fileBytesMax);
	if (large !== null) return large;
	if (taken.changes.length === 0 && tree.operation !== "merge") return nothing(checkout, taken.left);

	await control.begin?.({ head: tree.head });
	const names = listOf(
		taken.changes.flatMap((change) => (change.from === null ? [change.raw] : [change.from, change.raw])),
	);
	if (taken.changes.length > 0)
		await git(folder, ["--literal-pathspecs", "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"], {
			input: names,
		});
	const trailers = trailersOf(checkout, request);
	const only = request.paths === undefined ? [] : ["--only", "--pathspec-from-file=-", "--pathspec-file-nul"];
	const said = `--message=${withTrailers(request.message, trailers)}`;
	await git(
		folder,
		["--literal-pathspecs", "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", said, ...only],
		{ environment: identityOf(checkout.agent), input: request.paths === undefined ? "" : names },
	);
	const commit = (await git(folder, ["rev-parse", "HEAD"])).text;
	return {
		commit,
		branch: tree.branch ?? branch,
		files: await filesOf(context, folder, tree.head, commit),
		left: taken.left,
		trailers,
	};
}

/**
 * The commit that was made by somebody who died before telling: the oldest since where the branch was that has the same
 * words.
 */
async function madeBefore(
	{ git, ...context }: GitContext,
	checkout: Checkout,
	request: CommitRequest,
	head: string | null,
): Promise<Omit<Committed, "branch"> | null> {
	const { path: folder } = checkout.workspace;
	const range = head === null ? "HEAD" : `${head}..HEAD`;
	const { code, text } = await git(folder, ["log", "-z", "--first-parent", "--format=%H%n%P%n%B", range, "--"], {
		answers: [128],
	});
	const trailers = trailersOf(checkout, request);
	const words = cleaned(withTrailers(request.message, trailers));
	const entries = (code === 0 ? text : "").split("\0").map((entry) => entry.split("\n"));
	const [commit = "", parents = ""] = entries.findLast(([, , ...body]) => cleaned(body.join("\n")) === words) ?? [];
	if (commit === "") return null;
	return {
		commit,
		files: await filesOf({ git, ...context }, folder, parents.split(" ")[0] || null, commit),
		left: [],
		trailers,
	};
}

/** As `--cleanup=whitespace` has it. */
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
	const whose = `${checkout.project.slug}/${checkout.agent.handle}`;
	const conflicts = tree.changes.filter((change) => change.conflict).map((change) => change.path);
	if (conflicts.length > 0) {
		return refuse("MERGE_CONFLICT", `${countOf(conflicts.length, "file")} in conflict: ${abbreviated(conflicts)}.`, {
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

/** A branch that was deleted under its tree looks like one without commits; a commit there would have no history. */
async function branchLost({ given }: GitContext, { project, agent, workspace }: Checkout): Promise<Refusal | null> {
	const start = given === undefined ? ((await markAt(workspace.path))?.start ?? null) : given.start;
	if (start === null) return null;
	const whose = `${project.slug}/${agent.handle}`;
	return refuse(
		"CONFLICT",
		`The branch ${workspace.branch} of ${whose} is gone, so that a commit would have no history.`,
		{
			details: { branch: workspace.branch, start },
			suggestions: [`brood agent health ${whose}`, `brood agent recover ${whose}`],
		},
	);
}

/** A commit made elsewhere than on its own branch would be lost to the agent. In `main` people go where they like. */
export function notOnBranch(tree: TreeStatus, { project, agent, workspace }: Checkout): Refusal | null {
	if (tree.branch === workspace.branch || (workspace.kind === "main" && tree.branch !== null)) return null;
	const whose = `${project.slug}/${agent.handle}`;
	return refuse("CONFLICT", `${whose} is on ${tree.branch ?? "a detached HEAD"} and not on ${workspace.branch}.`, {
		details: { branch: tree.branch, expected: workspace.branch },
		suggestions: [`brood agent health ${whose}`, `brood agent recover ${whose}`],
	});
}

/** All changes, or those at the named paths; a repository inside this one is nobody's to swallow. */
function select(
	all: readonly Change[],
	paths: readonly string[] | undefined,
): { changes: Change[]; left: Committed["left"] } | Refusal {
	const nested = all.filter((change) => change.status === "??" && (change.left !== null || change.raw.endsWith("/")));
	const left = nested.map((change) => ({ path: change.path, reason: change.left ?? "a repository of its own" }));
	const files = all.filter((change) => !nested.includes(change));
	if (paths === undefined) return { changes: files, left };
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
	const at = (place: string, name: string): boolean => name === "." || place === name || place.startsWith(`${name}/`);
	const idle = named.filter(
		(name) =>
			!files.some((change) => at(change.path, name) || (change.from !== null && at(displayName(change.from), name))),
	);
	if (idle.length > 0)
		return refuse("VALIDATION_ERROR", `Nothing has changed at ${idle.join(", ")}.`, { details: { paths: idle } });
	return {
		changes: files.filter((change) =>
			named.some((name) => at(change.path, name) || (change.from !== null && at(displayName(change.from), name))),
		),
		left,
	};
}

async function tooLarge(folder: string, changes: readonly Change[], bytesMax: number): Promise<Refusal | null> {
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

function nothing({ project, agent }: Checkout, left: Committed["left"]): Refusal {
	const rest = left.length === 0 ? "" : ` Left: ${abbreviated(left.map((file) => `${file.path} (${file.reason})`))}.`;
	return refuse("AGENT_NO_COMMIT", `${project.slug}/${agent.handle} has nothing to commit.${rest}`, {
		details: { left },
		suggestions: [`brood agent diff ${project.slug}/${agent.handle}`],
	});
}

function trailersOf({ agent }: Checkout, { stage, turn }: CommitRequest): Record<string, string> {
	return {
		"Brood-Agent": agent.handle,
		...(stage === undefined ? {} : { "Brood-Stage": stage }),
		...(turn === undefined ? {} : { "Brood-Turn": String(turn) }),
	};
}

/** Built here and not by git, whose own way can be told by a repository to run programs. */
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

async function filesOf(
	{ git }: GitContext,
	folder: string,
	before: string | null,
	commit: string,
): Promise<Committed["files"]> {
	const range = before === null ? ["--root", "--no-commit-id", commit] : [before, commit];
	const { bytes } = await git(folder, ["diff-tree", "-r", "-z", "--name-status", "--no-renames", ...range]);
	const words = bytes.toString("latin1").split("\0");
	const files: Committed["files"] = [];
	for (let at = 0; at + 1 < words.length; at += 2)
		files.push({ status: words[at] ?? "", path: displayName(words[at + 1] ?? "") });
	return files;
}
