// The events and commands of an agent's workspace: git steps, and the lease of the running one.
import { z } from "zod";
import { command, event } from "./define.ts";
import { AgentId, EventId } from "./ids.ts";
import { CommitId, type HealthProblem, MergeStrategy } from "./workspace.ts";

/** What a workspace is leased for. During a lease no turn and no other step starts. */
export const leaseSteps = [
	...(["commit", "sync", "switch", "release", "approve", "recover", "restore", "delete", "fork", "snapshot"] as const),
] as const;
export const LeaseStep = z.enum(leaseSteps);
export type LeaseStep = z.infer<typeof LeaseStep>;

/** Of the steps that may leave something half done, those that write none of the agent's files. */
export const stepsThatKeepFiles: readonly LeaseStep[] = ["commit", "approve"];
/** Problems that do not keep an agent from its tree. */
export const harmlessProblems: readonly HealthProblem["code"][] = ["LINK_BROKEN", "DISK_LOW"];

/** Agents that share a tree all have the lease; `holder` is the one that it was taken for. */
export const LeaseState = z.strictObject({ step: LeaseStep, at: z.int(), holder: AgentId.exactOptional() });

/** How a workspace is created: from a branch, or from another agent's tree or a snapshot of it. */
export const WorkspacePlan = z.strictObject({
	kind: z.enum(["worktree", "clone", "main"]),
	from: z.string().nullable(),
	parent: AgentId.nullable(),
	snapshot: z.string().nullable(),
});
export type WorkspacePlan = z.infer<typeof WorkspacePlan>;

/** The result of a git step. `head` is the head of the agent's branch after it. */
const Recorded = z.discriminatedUnion("kind", [
	event("workspace.snapshotted", { snapshot: z.string(), commit: CommitId, reason: z.string(), missing: z.int() }),
	event("workspace.committed", {
		commit: CommitId,
		branch: z.string(),
		files: z.array(z.string()),
		filesTotal: z.int(),
		turn: EventId.nullable(),
	}),
	event("workspace.updated", { head: CommitId.nullable(), step: z.string() }),
	event("workspace.merged", {
		reviewed: CommitId,
		commit: CommitId,
		strategy: MergeStrategy,
		base: z.string(),
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
/** the open turn whose prompt comes next; refused if it was handed over or the turn has ended */
const beforeTurn = { turn: EventId.optional() };
/** `again` completes a step that an earlier daemon began. */
export const WorkspaceLease = command("workspace.lease", {
	...named,
	step: LeaseStep,
	again: z.literal(true).optional(),
});
export type WorkspaceLease = z.infer<typeof WorkspaceLease>;
/**
 * `tell` is for the agent's model, if its files changed. `completesInterruptedStep`: an interrupted step is complete
 * now.
 */
export const WorkspaceRecord = command("workspace.record", {
	...named,
	event: Recorded,
	tell: z.string().max(10_000).optional(),
	...beforeTurn,
	completesInterruptedStep: z.literal(true).optional(),
	/** ends the lease in the same transaction */
	frees: z.literal(true).optional(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;
export const WorkspaceDrift = command("workspace.drift", {
	...named,
	reason: z.string().max(1000),
	/** outside of a turn: what the workspace was compared with; a git step or a turn since then makes that void */
	seen: z.strictObject({ commit: z.string().nullable(), branch: z.string() }).optional(),
	...beforeTurn,
});
export type WorkspaceDrift = z.infer<typeof WorkspaceDrift>;

/** The workspace is as it should be: ends the hold `drift`, with `whole` also `recovery`. */
export const WorkspaceConfirm = command("workspace.confirm", { ...named, whole: z.literal(true).optional() });
export type WorkspaceConfirm = z.infer<typeof WorkspaceConfirm>;

export const WorkspaceFree = command("workspace.free", { ...named });
/** Found leased at the start: the daemon died during the step. */
export const WorkspaceCrash = command("workspace.crash", { ...named });

/** From the engine, around git steps. */
export const workspaceCommands = [
	WorkspaceLease,
	WorkspaceFree,
	WorkspaceRecord,
	/** it is not as it was left */
	WorkspaceDrift,
	/** it is right again; with `whole`, nothing is left of an interrupted step */
	WorkspaceConfirm,
	WorkspaceCrash,
] as const;
