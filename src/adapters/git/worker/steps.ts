// The protocol of the worker in a sandbox: each step's input and answer. Both sides parse: the worker reads files that
// an agent wrote, so the daemon accepts no answer of another shape or size.
import { z } from "zod";
import { CheckedFiles, FileCheck } from "#contract/file-check.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { RepositorySettings } from "#contract/project-config.ts";
import { RefusalSchema } from "#contract/refusal-schema.ts";
import {
	BranchStatus,
	CommitId,
	Committed,
	Diff,
	HealthProblem,
	OmittedFile,
	PrimaryMarker,
	SyncStrategy,
	UnseenCommit,
	Workspace,
} from "#contract/workspace.ts";
import { LeaseStep } from "#contract/workspace-step.ts";

export interface Step<I, A> {
	name: string;
	input: z.ZodType<I>;
	answer: z.ZodType<A>;
	timeoutMs: number;
}

const shortMs = 2 * 60_000;
/** for steps that write, or that read every file */
const longMs = 15 * 60_000;

const step = <I, A>(name: string, input: z.ZodType<I>, answer: z.ZodType<A>, timeoutMs = shortMs): Step<I, A> => ({
	...{ name, input, answer, timeoutMs },
});

/** Only commands of ours and git's are suggested to a person, without any shell syntax. */
const safe = /^(brood|git) [\w./:@='" -]*$/;
const Refusal = RefusalSchema.transform((refusal) => ({
	...refusal,
	suggestions: refusal.suggestions.filter((text) => safe.test(text)),
}));

const SafeProblem = HealthProblem.transform((problem) =>
	safe.test(problem.fix) ? problem : { ...problem, fix: "brood doctor" },
);

const orRefusal = <A>(answer: z.ZodType<A>) => z.union([Refusal, answer]);

const Commit = CommitId.nullable();
const AutorunFiles = z.strictObject({
	files: z.array(z.string().max(4096)).max(100_000),
	fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
});

const nothing = z.strictObject({});
/** where the branch was when the same step began before a crash */
const begun = { begun: z.strictObject({ head: Commit }).nullable() };
const UpdateResult = z.strictObject({
	branchStatus: BranchStatus,
	updated: z.boolean(),
	snapshot: z.string().max(100).nullable(),
	text: z.string().max(100_000),
});
const Shared = z.array(
	z.strictObject({ path: z.string(), done: z.enum(["linked", "copied", "omitted"]), reason: z.string().nullable() }),
);
const Omitted = OmittedFile.extend({ path: z.string().max(4096), reason: z.string().max(200) });
const Missing = z.array(z.strictObject({ path: z.string(), reason: z.string() }));

const SnapshotRef = z.strictObject({
	ref: z.string(),
	commit: CommitId,
	agent: z.string(),
	sequence: z.int(),
	at: z.number(),
	digest: z.string(),
});

/** Where a step works, and what it cannot see from inside the sandbox. */
export const StepContext = z.strictObject({
	now: z.number(),
	primaryFolder: z.string(),
	/** the project's own checkout; null for a bare clone in the home */
	projectFolder: z.string().nullable(),
	project: z.strictObject({ slug: ProjectSlug, path: z.string(), base: z.string().nullable() }),
	agent: z.strictObject({ id: AgentId, handle: Handle }),
	workspace: Workspace,
	given: z.strictObject({
		settings: RepositorySettings,
		baseCommit: Commit,
		branchCommit: Commit,
		start: Commit,
		last: SnapshotRef.nullable(),
		primary: PrimaryMarker.nullable(),
	}),
});
export type StepContext = z.infer<typeof StepContext>;

export const StepRequest = z.strictObject({
	id: z.int(),
	step: z.string(),
	stepContext: StepContext,
	input: z.unknown(),
});
export type StepRequest = z.infer<typeof StepRequest>;

export const steps = {
	health: step("health", z.strictObject({ seen: Commit }), z.array(SafeProblem).max(100)),
	branchStatus: step("branch-status", nothing, orRefusal(BranchStatus)),
	commitsSince: step("commits-since", z.strictObject({ seen: Commit }), orRefusal(z.array(UnseenCommit).max(1000))),
	commit: step(
		"commit",
		z.strictObject({
			...begun,
			message: z.string(),
			paths: z.array(z.string()).nullable(),
			turn: z.int().nullable(),
			stage: z.string().nullable(),
		}),
		orRefusal(Committed),
		longMs,
	),
	/** against the index, which only the workspace has */
	diff: step("diff", nothing, orRefusal(Diff)),
	/** writes all files as a tree object, and reads HEAD */
	tree: step(
		"tree",
		nothing,
		orRefusal(z.strictObject({ tree: CommitId, head: Commit, omitted: z.array(Omitted).max(100_000) })),
		longMs,
	),
	sync: step("sync", z.strictObject({ ...begun, strategy: SyncStrategy }), orRefusal(UpdateResult), longMs),
	release: step("release", z.strictObject(begun), orRefusal(UpdateResult), longMs),
	switchBranch: step("switch-branch", z.strictObject(begun), orRefusal(UpdateResult), longMs),
	/** asked before any other step of a recovery: each of them runs git */
	removePipes: step("remove-pipes", nothing, z.strictObject({ removed: z.boolean() }), longMs),
	recover: step(
		"recover",
		z.strictObject({ accept: z.strictObject({ seen: Commit, step: LeaseStep.nullable() }).nullable() }),
		orRefusal(UpdateResult),
		longMs,
	),
	/** the tree object of the files; a refusal if anything is not committed */
	treeIfCommitted: step("tree-if-committed", nothing, orRefusal(z.strictObject({ tree: CommitId })), longMs),
	snapshot: step(
		"snapshot",
		z.strictObject({ reason: z.string(), turn: z.int().nullable() }),
		z.strictObject({ commit: CommitId, fresh: z.boolean() }),
		longMs,
	),
	restore: step("restore", z.strictObject({ commit: CommitId }), orRefusal(UpdateResult), longMs),
	/** writes the files of a snapshot into an empty tree */
	fill: step("fill", z.strictObject({ commit: CommitId }), orRefusal(z.strictObject({ missing: Missing })), longMs),
	/** copies the files of another tree, which this sandbox can read, into an empty one */
	copy: step(
		"copy",
		z.strictObject({ from: z.string(), everything: z.boolean() }),
		orRefusal(z.strictObject({ missing: Missing })),
		longMs,
	),
	share: step("share", nothing, Shared, longMs),
	/** makes an index for existing files, after the git folder was made again */
	reindex: step("reindex", nothing, nothing, longMs),
	/** the commit of its branch */
	tip: step("tip", nothing, Commit),
	/** the commits that the project may not have yet */
	tips: step("tips", nothing, z.strictObject({ tip: Commit, taken: Commit, others: z.array(CommitId).max(1000) })),
	/** files in the tree that a vendor's program would run without asking */
	autorunFiles: step("autorun-files", z.strictObject({ type: z.string() }), AutorunFiles.nullable()),
	/** what has to be known of the files of a call */
	checkFiles: step("check-files", FileCheck, CheckedFiles),
	/** sends objects as a pack before the answer */
	pack: step("pack", z.strictObject({ want: z.array(CommitId), have: z.array(CommitId) }), nothing, longMs),
} as const;
