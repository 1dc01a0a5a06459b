// The workspace, and the answers of the verbs of the work cycle.
import { z } from "zod";
import { SubscriptionName } from "./ids.ts";
import { NodeId } from "./node.ts";

export const workspaceKinds = ["worktree", "clone", "main"] as const;
export const mergeStrategies = ["ff", "merge", "squash", "rebase"] as const;
/** How base takes in what the remote has. */
export const integrations = ["merge", "rebase", "never"] as const;
export const syncStrategies = ["ff", "rebase", "merge"] as const;

export const WorkspaceKind = z.enum(workspaceKinds);
export type WorkspaceKind = z.infer<typeof WorkspaceKind>;
export const MergeStrategy = z.enum(mergeStrategies);
export type MergeStrategy = z.infer<typeof MergeStrategy>;
export const SyncStrategy = z.enum(syncStrategies);
export type SyncStrategy = z.infer<typeof SyncStrategy>;

/**
 * `branch` is the one that it works on (its home branch, or its issue's), `base` the branch that its work is measured
 * against.
 */
export const Workspace = z.strictObject({
	kind: WorkspaceKind,
	path: z.string(),
	branch: z.string(),
	base: z.string(),
});
export type Workspace = z.infer<typeof Workspace>;

/**
 * `brood.json`, the proof that Brood made a workspace: in its git folder, next to its path until it is ready, and out
 * of the sandbox's reach if the workspace has its own git folder.
 */
export const WorkspaceMarker = z.strictObject({
	agent: z.string(),
	project: z.string(),
	kind: WorkspaceKind,
	path: z.string(),
	branch: z.string(),
	base: z.string(),
	/** where its branch began; null in a repository without commits */
	start: z.string().nullable(),
	ready: z.boolean(),
	/** a fork: whose snapshot has the files that it began with */
	forkedFrom: z.strictObject({ agent: z.string(), snapshot: z.string() }).optional(),
	/** it has its own git folder outside of the tree, whose content may have been written in a sandbox */
	own: z.boolean().optional(),
});
export type WorkspaceMarker = z.infer<typeof WorkspaceMarker>;

/** `brood.json` in the git folder of `primary/`: what it was filled from; null while it is being filled. */
export const PrimaryMarker = z.strictObject({
	project: z.string(),
	commit: z.string().nullable(),
	lockfiles: z.string().nullable(),
});
export type PrimaryMarker = z.infer<typeof PrimaryMarker>;

export const CommitId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, "a commit is named by its whole hash");
export type CommitId = z.infer<typeof CommitId>;

export const BranchStatus = z.strictObject({
	head: CommitId.nullable(),
	baseCommit: CommitId.nullable(),
	/** commits that base lacks; 0 if they were squashed or rebased into it */
	ahead: z.int(),
	/** commits of base that the branch lacks */
	behind: z.int(),
	/** uncommitted changes, untracked files included, or a merge or rebase in progress */
	uncommitted: z.boolean(),
});
export type BranchStatus = z.infer<typeof BranchStatus>;

export const healthCodes = [
	"PATH_GONE",
	/** its folder is not the workspace that Brood made */
	"NOT_OURS",
	/** git cannot read it */
	"GIT_UNREADABLE",
	"BRANCH_GONE",
	"OTHER_BRANCH",
	"HEAD_WENT_BACK",
	"LINK_BROKEN",
	/** it was made before its project asked for a sandbox */
	"NOT_SANDBOXED",
	/** a commit in its sandbox that git does not let into the project's repository: no snapshot can be kept */
	"COMMITS_REFUSED",
	"LOCK_LEFT",
	"OPERATION_OPEN",
	"UNFINISHED",
	"DISK_LOW",
	"PROCESSES_LEFT",
	"LEASE_OLD",
	/** its project's repository cannot be used */
	"REPOSITORY_UNUSABLE",
	/** its sandbox cannot be made or used: of this repository, or with this configuration */
	"SANDBOX_IMPOSSIBLE",
	/** its project's configuration has an error */
	"PROJECT_CONFIG",
] as const;

export const HealthProblem = z.strictObject({
	code: z.enum(healthCodes),
	text: z.string(),
	/** what to do: a command that is safe to run, or a sentence */
	fix: z.string(),
});
export type HealthProblem = z.infer<typeof HealthProblem>;

export const Health = z.strictObject({
	healthy: z.boolean(),
	/** its problems, under the name that the API gives them: not issues of the project */
	issues: z.array(HealthProblem),
	/**
	 * why its last snapshot is not uploaded, and since when (null: always): then it cannot be moved from a node that fell
	 */
	notUploaded: z.strictObject({ since: z.iso.datetime().nullable(), reason: z.string() }).exactOptional(),
	/** the subscriptions that it could use, whose credentials are files of other nodes: no turn starts */
	withoutCredentials: z.array(SubscriptionName).exactOptional(),
	/** where the files are that it had at other nodes; null until that node has put them into its trash */
	former: z.array(z.strictObject({ node: NodeId, trash: z.string().nullable() })).exactOptional(),
});
export type Health = z.infer<typeof Health>;

/** A process that an agent's tools left behind. */
export interface LeftProcess {
	pid: number;
	command: string;
}

export const ChangedFile = z.strictObject({
	path: z.string(),
	/** the old path of a rename */
	from: z.string().nullable(),
	/** lines; null for binary files */
	added: z.int().nullable(),
	deleted: z.int().nullable(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** A file that a verb left out, and why. */
export const OmittedFile = z.strictObject({ path: z.string(), reason: z.string() });
export type OmittedFile = z.infer<typeof OmittedFile>;

export const Diff = z.strictObject({
	/** a commit, `index`, or another agent's files */
	against: z.string(),
	/** the newest commit of the files that are shown, to approve exactly these; only against base and the index */
	commit: CommitId.nullable().exactOptional(),
	/** in git's order, at most 20,000 */
	files: z.array(ChangedFile),
	/** of all changed files, also of those that are not listed */
	total: z.strictObject({ files: z.int(), added: z.int(), deleted: z.int() }),
	patch: z.string(),
	/** what to give as `from` to read on: the first file that is not listed, and the first whose patch is not whole */
	next: z.strictObject({ file: z.string().nullable(), patch: z.string().nullable() }),
	/** the patch or a list of files was too long and is cut */
	truncated: z.boolean(),
	/** what is not shown: untracked files that are too large, paths that are too long */
	omitted: z.array(OmittedFile),
});
export type Diff = z.infer<typeof Diff>;

export const Committed = z.strictObject({
	commit: CommitId,
	branch: z.string(),
	/** `status` is git's letter */
	files: z.array(z.strictObject({ status: z.string(), path: z.string() })),
	omitted: z.array(OmittedFile),
	trailers: z.record(z.string(), z.string()),
});
export type Committed = z.infer<typeof Committed>;

/** A commit in an agent's branch that Brood did not make there. */
export const UnseenCommit = z.strictObject({
	commit: CommitId,
	author: z.string(),
	subject: z.string(),
	/** made under the agent's own name */
	byAgent: z.boolean(),
	/** git's letter and the path of each; the first of them */
	files: z.array(z.string()),
	filesTotal: z.int(),
});
export type UnseenCommit = z.infer<typeof UnseenCommit>;

export const CommandRun = z.strictObject({
	command: z.string(),
	/** null if a signal or the time limit ended it */
	exit: z.int().nullable(),
	/** the end of its output */
	output: z.string(),
});
export type CommandRun = z.infer<typeof CommandRun>;

/** What a merge into base would meet. Nothing is moved. */
export const MergePreview = z.strictObject({
	base: z.string(),
	commit: CommitId,
	/** the commit of base; null if it has none */
	baseCommit: CommitId.nullable(),
	/** commits that base lacks, and that the branch lacks */
	ahead: z.int(),
	behind: z.int(),
	/** the files in conflict */
	conflicts: z.array(z.string()),
	/** whether the project has a check */
	hasCheck: z.boolean(),
	/** its run on the result; null if it was not run */
	check: CommandRun.nullable(),
});
export type MergePreview = z.infer<typeof MergePreview>;

export const Pushed = z.strictObject({
	remote: z.string(),
	branch: z.string(),
	pushed: z.boolean(),
	error: z.string().nullable(),
});
export type Pushed = z.infer<typeof Pushed>;

/** How base and the remote's branch of the same name stand. */
export const RemoteStatus = z.strictObject({
	remote: z.string(),
	branch: z.string(),
	/** the remote has no such branch */
	absent: z.boolean(),
	/** commits of base that the remote lacks, and the other way round */
	ahead: z.int(),
	behind: z.int(),
	/**
	 * the remote's branch no longer contains the commit that base is, or until this step was, built on: somebody has
	 * force-pushed
	 */
	rewritten: z.boolean(),
	/** commits of the remote that this step brought into base */
	took: z.int(),
	/** why the remote could not be asked; the rest is then as it was last seen */
	error: z.string().nullable(),
});
export type RemoteStatus = z.infer<typeof RemoteStatus>;

/** Recorded before a merge is made. Stored: a tag in git has it. */
export const MergeRecord = z.strictObject({
	reviewed: CommitId,
	strategy: MergeStrategy,
	base: z.string(),
	before: CommitId.nullable(),
});
export type MergeRecord = z.infer<typeof MergeRecord>;

/** In tags that an earlier checkout wrote, base is called `branch`. */
export const StoredMergeRecord = z.preprocess((stored) => {
	const { branch, ...record } = Object(stored);
	return branch === undefined ? stored : { base: branch, ...record };
}, MergeRecord);

export const Merged = z.strictObject({
	/** the commit that was reviewed */
	reviewed: CommitId,
	/** the head of base after the merge */
	commit: CommitId,
	strategy: MergeStrategy,
	base: z.string(),
	/** the head of base before the merge; null if it had no commit */
	before: CommitId.nullable(),
	check: CommandRun.nullable(),
	push: Pushed.nullable(),
	/** how base and the remote stand afterwards; null without a remote */
	origin: RemoteStatus.nullable(),
	/** it had been merged before: nothing was done */
	alreadyMerged: z.boolean(),
});
export type Merged = z.infer<typeof Merged>;
