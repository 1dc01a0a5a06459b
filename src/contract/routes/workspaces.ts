// Workspaces: what an agent has done in its tree, and what is done with it.
import { z } from "zod";
import { EffectiveIssueSettings } from "../project.ts";
import { PendingApproval, ProjectSettings } from "../project-config.ts";
import { Leftover, MoveResult, Project, Snapshot, Synced } from "../wire.ts";
import { CommitId, Committed, Diff, Health, Merged, mergeStrategies, syncStrategies } from "../workspace.ts";
import { none, Reference, route } from "./route.ts";

export const SnapshotId = z.string().regex(/^[0-9]{1,12}$/, "a snapshot is named by its number");

export const workspaceRoutes = {
	diff: route({
		method: "get",
		path: "/api/agents/:agent/diff",
		summary: "what differs in its tree from base, from the index, or from another agent's tree",
		query: z.strictObject({ ...Reference, against: z.string().default("base") }),
		answer: Diff,
		agents: true,
	}),
	commit: route({
		method: "post",
		path: "/api/agents/:agent/commit",
		summary: "commit its work in its name",
		query: z.strictObject(Reference),
		body: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional(),
		}),
		answer: Committed,
		agents: true,
	}),
	sync: route({
		method: "post",
		path: "/api/agents/:agent/sync",
		summary: "bring base into its branch",
		query: z.strictObject(Reference),
		body: z.strictObject({ strategy: z.enum(syncStrategies).default("ff") }),
		answer: MoveResult,
	}),
	syncProject: route({
		method: "post",
		path: "/api/projects/:project/sync",
		summary: "bring its idle agents up to date, one by one",
		body: none,
		answer: z.array(Synced),
	}),
	release: route({
		method: "post",
		path: "/api/agents/:agent/release",
		summary: "go home to its branch, and to base if it has nothing of its own",
		query: z.strictObject(Reference),
		body: none,
		answer: MoveResult,
	}),
	approve: route({
		method: "post",
		path: "/api/agents/:agent/approve",
		summary: "merge a reviewed commit into base, then bring the other agents up to date",
		query: z.strictObject(Reference),
		body: z.strictObject({
			commit: CommitId.optional(),
			strategy: z.enum(mergeStrategies).optional(),
			message: z.string().max(100_000).optional(),
		}),
		answer: z.object({ merged: Merged, synced: z.array(Synced) }),
	}),
	health: route({
		method: "get",
		path: "/api/agents/:agent/health",
		summary: "what is wrong with its workspace; nothing is repaired",
		query: z.strictObject(Reference),
		answer: Health,
	}),
	snapshots: route({
		method: "get",
		path: "/api/agents/:agent/snapshots",
		summary: "the snapshots of its tree, newest first",
		query: z.strictObject(Reference),
		answer: z.array(Snapshot),
	}),
	snapshot: route({
		method: "get",
		path: "/api/agents/:agent/snapshots/:snapshot",
		summary: "what a snapshot holds, as a difference from the commit it stands on",
		query: z.strictObject(Reference),
		answer: Diff,
	}),
	restore: route({
		method: "post",
		path: "/api/agents/:agent/restore",
		summary: "put its tree back as a snapshot has it, after a snapshot of what it is",
		query: z.strictObject(Reference),
		body: z.strictObject({ snapshot: SnapshotId }),
		answer: MoveResult,
	}),
	projectSettings: route({
		method: "get",
		path: "/api/projects/:project/settings",
		summary: "the settings in force, and what the repository wants to run and nobody has approved",
		answer: z.object({
			settings: ProjectSettings,
			issues: EffectiveIssueSettings,
			fingerprint: z.string().nullable(),
			pendingApproval: PendingApproval.nullable(),
		}),
	}),
	projectApprove: route({
		method: "post",
		path: "/api/projects/:project/approve-config",
		summary: "let the repository's own configuration run, exactly as it is now",
		body: z.strictObject({ fingerprint: z.string() }),
		answer: Project,
	}),
	warm: route({
		method: "post",
		path: "/api/projects/:project/warm",
		summary: "fill the folder that shared paths are linked from",
		body: none,
		answer: z.object({ path: z.string(), commit: z.string().nullable(), filled: z.boolean() }),
	}),
	gc: route({
		method: "post",
		path: "/api/projects/:project/gc",
		summary: "delete expired snapshots and trash; with dryRun only list them",
		body: z.strictObject({ dryRun: z.boolean().default(false) }),
		answer: z.array(Leftover),
	}),
};
