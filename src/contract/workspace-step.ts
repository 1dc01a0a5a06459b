// The events and commands of an agent's workspace: the steps that git took, and the lease of the step that is running.
import { z } from "zod";
import { command, event } from "./define.ts";
import { AgentId, EventId } from "./ids.ts";
import { CommitId, MergeStrategy } from "./workspace.ts";

/** What a lease on a workspace is taken for. Nobody starts a turn, or another step, while one is there. */
export const leaseSteps = ["commit", "sync", "release", "approve", "recover", "restore", "delete", "fork"] as const;
export const LeaseStep = z.enum(leaseSteps);
export type LeaseStep = z.infer<typeof LeaseStep>;

/** On a tree that several work in, each of them has it; `holder` is then the one that it was taken for. */
export const Lease = z.strictObject({ step: LeaseStep, at: z.int(), holder: AgentId.exactOptional() });

/** How a workspace comes to be: from a branch, or from another agent's tree as it is or as a snapshot of it was. */
export const WorkspacePlan = z.strictObject({
	kind: z.enum(["worktree", "clone", "main"]),
	from: z.string().nullable(),
	parent: AgentId.nullable(),
	snapshot: z.string().nullable(),
});
export type WorkspacePlan = z.infer<typeof WorkspacePlan>;

/** What a step of git's led to. `head` is the commit that the agent's branch is on then. */
const Recorded = z.discriminatedUnion("kind", [
	event("workspace.snapshotted", { snapshot: z.string(), commit: CommitId, reason: z.string(), missing: z.int() }),
	event("workspace.committed", {
		commit: CommitId,
		branch: z.string(),
		files: z.array(z.string()),
		filesTotal: z.int(),
		turn: EventId.nullable(),
	}),
	event("workspace.moved", { head: CommitId.nullable(), step: z.string() }),
	event("workspace.merged", {
		reviewed: CommitId,
		commit: CommitId,
		strategy: MergeStrategy,
		into: z.string(),
		before: CommitId.nullable(),
	}),
	event("workspace.pushed", {
		remote: z.string(),
		branch: z.string(),
		pushed: z.boolean(),
		error: z.string().nullable(),
	}),
]);
export type Recorded = z.infer<typeof Recorded>;

export const WorkspaceEvent = z.discriminatedUnion("kind", [
	event("workspace.leased", { step: LeaseStep, holder: AgentId.exactOptional() }),
	z.object({ kind: z.literal("workspace.freed") }),
	Recorded,
]);
export type WorkspaceEvent = z.infer<typeof WorkspaceEvent>;

const named = { agent: AgentId };
/** the turn that is about to begin there: what is said for one that has begun, or is over, is refused */
const beginning = { turn: EventId.optional() };
/** `again` ends a step that the last daemon began. */
export const WorkspaceLease = command("workspace.lease", {
	...named,
	step: LeaseStep,
	again: z.literal(true).optional(),
});
export type WorkspaceLease = z.infer<typeof WorkspaceLease>;
/**
 * With words for the agent, where its model has to know that its files changed. `mends`: the step had been cut off, and
 * is whole now.
 */
export const WorkspaceRecord = command("workspace.record", {
	...named,
	fact: Recorded,
	tell: z.string().max(10_000).optional(),
	...beginning,
	mends: z.literal(true).optional(),
	/** it was the last that its step had to do, which gives the lease back */
	frees: z.literal(true).optional(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;
export const WorkspaceDrift = command("workspace.drift", { ...named, reason: z.string().max(1000), ...beginning });
export type WorkspaceDrift = z.infer<typeof WorkspaceDrift>;

export const WorkspaceFound = command("workspace.found", { ...named, whole: z.literal(true).optional() });
export type WorkspaceFound = z.infer<typeof WorkspaceFound>;

export const WorkspaceFree = command("workspace.free", { ...named });
/** Found leased at boot: whoever had it is gone. */
export const WorkspaceCrash = command("workspace.crash", { ...named });

/** Said by the engine around git's steps, for whoever asked for them. */
export const workspaceCommands = [
	WorkspaceLease,
	WorkspaceFree,
	WorkspaceRecord,
	/** it is not where or as it was */
	WorkspaceDrift,
	/** it is again; with `whole`, nothing of a step that was cut off is left in it */
	WorkspaceFound,
	WorkspaceCrash,
] as const;
