// What can be asked of our own program inside of a sandbox, and what it may answer. Both sides parse: the program
// inside works on files that somebody else wrote, so the daemon believes nothing of it that does not have this shape
// and size.
import { z } from "zod";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { ProjectSettings } from "#contract/project-config.ts";
import { Refusal as AnyRefusal } from "#contract/refusal-schema.ts";
import {
	BranchStatus,
	CommitId,
	Committed,
	Diff,
	HealthIssue,
	LeftOut,
	PrimaryMark,
	SeenCommit,
	SyncStrategy,
	Workspace,
} from "#contract/workspace.ts";
import { LeaseStep } from "#contract/workspace-step.ts";

/** One step: its name, what it wants to know, what it answers. */
export interface Step<W, A> {
	name: string;
	input: z.ZodType<W>;
	answer: z.ZodType<A>;
}

const step = <W, A>(name: string, input: z.ZodType<W>, answer: z.ZodType<A>): Step<W, A> => ({ name, input, answer });

/**
 * A command that is offered to a person is one of ours or git's, with nothing in it that a shell would make more of.
 */
const safe = /^(brood|git) [\w./:@='" -]*$/;
const Refusal = AnyRefusal.transform((refusal) => ({
	...refusal,
	suggestions: refusal.suggestions.filter((text) => safe.test(text)),
}));

const Issue = HealthIssue.transform((issue) => (safe.test(issue.fix) ? issue : { ...issue, fix: "brood doctor" }));

const Commit = CommitId.nullable();
/** names of files, and what they come to */
const AutorunFiles = z.strictObject({
	files: z.array(z.string().max(4096)).max(100_000),
	fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
});

const nothing = z.strictObject({});
/** where the branch was when the same step was begun before a crash */
const begun = { begun: z.strictObject({ head: Commit }).nullable() };
const MoveResult = z.strictObject({
	standing: BranchStatus,
	moved: z.boolean(),
	snapshot: z.string().max(100).nullable(),
	text: z.string().max(100_000),
});
const Shared = z.array(
	z.strictObject({ path: z.string(), done: z.enum(["linked", "copied", "left"]), reason: z.string().nullable() }),
);
/** names of files, and few words */
const Left = LeftOut.extend({ path: z.string().max(4096), reason: z.string().max(200) });
const Missing = z.array(z.strictObject({ path: z.string(), reason: z.string() }));

const KeptSnapshot = z.strictObject({
	ref: z.string(),
	commit: CommitId,
	agent: z.string(),
	sequence: z.int(),
	at: z.number(),
	digest: z.string(),
});

/** Where a step works, and what it cannot see from there. */
export const StepContext = z.strictObject({
	now: z.number(),
	primaryFolder: z.string(),
	checkout: z.string().nullable(),
	project: z.strictObject({ slug: ProjectSlug, path: z.string(), base: z.string().nullable() }),
	agent: z.strictObject({ id: AgentId, handle: Handle }),
	workspace: Workspace,
	given: z.strictObject({
		settings: ProjectSettings,
		base: Commit,
		branch: Commit,
		start: Commit,
		last: KeptSnapshot.nullable(),
		primary: PrimaryMark.nullable(),
	}),
});
export type StepContext = z.infer<typeof StepContext>;

export const StepRequest = z.strictObject({ id: z.int(), step: z.string(), scene: StepContext, input: z.unknown() });
export type StepRequest = z.infer<typeof StepRequest>;

export const steps = {
	health: step("health", z.strictObject({ seen: Commit }), z.array(Issue).max(100)),
	standing: step("standing", nothing, z.union([Refusal, BranchStatus])),
	commitsSince: step(
		"commits-since",
		z.strictObject({ seen: Commit }),
		z.union([Refusal, z.array(SeenCommit).max(1000)]),
	),
	commit: step(
		"commit",
		z.strictObject({
			...begun,
			message: z.string(),
			paths: z.array(z.string()).nullable(),
			turn: z.int().nullable(),
			stage: z.string().nullable(),
		}),
		z.union([Refusal, Committed]),
	),
	/** against what is staged, which only the workspace has */
	diff: step("diff", nothing, z.union([Refusal, Diff])),
	/** all files as an object, and where HEAD is */
	tree: step(
		"tree",
		nothing,
		z.union([Refusal, z.strictObject({ tree: CommitId, head: Commit, left: z.array(Left).max(100_000) })]),
	),
	sync: step("sync", z.strictObject({ ...begun, strategy: SyncStrategy }), z.union([Refusal, MoveResult])),
	release: step("release", z.strictObject(begun), z.union([Refusal, MoveResult])),
	enter: step("enter", z.strictObject(begun), z.union([Refusal, MoveResult])),
	recover: step(
		"recover",
		z.strictObject({ accept: z.strictObject({ seen: Commit, step: LeaseStep.nullable() }).nullable() }),
		z.union([Refusal, MoveResult]),
	),
	/** the tree that the files are; a refusal if anything is not committed */
	clean: step("clean", nothing, z.union([Refusal, z.strictObject({ tree: CommitId })])),
	snapshot: step(
		"snapshot",
		z.strictObject({ reason: z.string(), turn: z.int().nullable() }),
		z.strictObject({ commit: CommitId, fresh: z.boolean() }),
	),
	restore: step("restore", z.strictObject({ commit: CommitId }), z.union([Refusal, MoveResult])),
	/** puts the files of a snapshot into a tree that has none yet */
	fill: step("fill", z.strictObject({ commit: CommitId }), z.union([Refusal, z.strictObject({ missing: Missing })])),
	/** the same with the files of another tree, which this sandbox can read */
	copy: step(
		"copy",
		z.strictObject({ from: z.string(), everything: z.boolean() }),
		z.union([Refusal, z.strictObject({ missing: Missing })]),
	),
	share: step("share", nothing, Shared),
	/** makes an index for files that are there, after the git folder was made anew */
	reindex: step("reindex", nothing, nothing),
	/** what there is to bring out */
	tips: step("tips", nothing, z.strictObject({ branch: Commit, taken: Commit, others: z.array(CommitId).max(1000) })),
	/** what is in the tree that a vendor's program would run by itself */
	autorunFiles: step("brings", z.strictObject({ type: z.string() }), AutorunFiles.nullable()),
	/** whether all of these files are the agent's own to change */
	inside: step("inside", z.strictObject({ places: z.array(z.string()) }), z.strictObject({ inside: z.boolean() })),
	/** objects, as a pack in front of the answer */
	pack: step("pack", z.strictObject({ want: z.array(CommitId), have: z.array(CommitId) }), nothing),
} as const;
