// Workspaces: diffs, commits, merges, snapshots.
import { z } from "zod";
import { EffectiveIssueSettings } from "../project.ts";
import { PendingApproval, ProjectSettings } from "../project-config.ts";
import { Leftover, MoveResult, Project, Snapshot, Synced } from "../wire.ts";
import {
	CommitId,
	Committed,
	Diff,
	Health,
	Merged,
	mergeStrategies,
	RemoteStatus,
	syncStrategies,
} from "../workspace.ts";
import { get, none, post, scope } from "./route.ts";

export const SnapshotId = z.string().regex(/^[0-9]{1,12}$/, "a snapshot is named by its number");

/** The patch of one file, without a limit; of all that fit if absent. */
export const OnePath = z.string().min(1).max(4096).optional();

export const workspaceRoutes = {
	diff: get(
		"/api/agents/:agent/diff",
		"what differs in its tree from base, from the index, or from another agent's tree",
		{
			at: "agent",
			query: scope.extend({ against: z.string().default("base"), path: OnePath }),
			answer: Diff,
			agents: true,
		},
	),
	commit: post("/api/agents/:agent/commit", "commit its work in its name", {
		at: "agent",
		query: scope,
		body: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional(),
		}),
		answer: Committed,
		agents: true,
	}),
	sync: post("/api/agents/:agent/sync", "bring base into its branch", {
		at: "agent",
		query: scope,
		body: z.strictObject({ strategy: z.enum(syncStrategies).default("ff") }),
		answer: MoveResult,
	}),
	syncProject: post(
		"/api/projects/:project/sync",
		"fetch its remote, and bring its idle agents up to date, one by one",
		{ at: "project", body: none, answer: z.object({ origin: RemoteStatus.nullable(), synced: z.array(Synced) }) },
	),
	release: post("/api/agents/:agent/release", "return to its home branch, and to base if it has nothing of its own", {
		at: "agent",
		query: scope,
		body: none,
		answer: MoveResult,
	}),
	approve: post(
		"/api/agents/:agent/approve",
		"merge a reviewed commit into base, then bring the other agents up to date",
		{
			at: "agent",
			query: scope,
			body: z.strictObject({
				commit: CommitId.optional(),
				strategy: z.enum(mergeStrategies).optional(),
				message: z.string().max(100_000).optional(),
			}),
			answer: z.object({ merged: Merged, synced: z.array(Synced) }),
		},
	),
	health: get("/api/agents/:agent/health", "what is wrong with its workspace; nothing is repaired", {
		at: "agent",
		query: scope,
		answer: Health,
	}),
	snapshots: get("/api/agents/:agent/snapshots", "the snapshots of its tree, newest first", {
		at: "agent",
		query: scope,
		answer: z.array(Snapshot),
	}),
	snapshot: get(
		"/api/agents/:agent/snapshots/:snapshot",
		"what a snapshot holds, as a difference from the commit it stands on, or from another snapshot",
		{ at: "agent", query: scope.extend({ against: SnapshotId.optional() }), answer: Diff },
	),
	restore: post(
		"/api/agents/:agent/restore",
		"put its tree back as a snapshot has it, after a snapshot of what it is",
		{ at: "agent", query: scope, body: z.strictObject({ snapshot: SnapshotId }), answer: MoveResult },
	),
	projectSettings: get(
		"/api/projects/:project/settings",
		"the settings in force, and what the repository wants to run and nobody has approved",
		{
			at: "project",
			answer: z.object({
				settings: ProjectSettings,
				issues: EffectiveIssueSettings,
				fingerprint: z.string().nullable(),
				pendingApproval: PendingApproval.nullable(),
			}),
		},
	),
	projectApprove: post(
		"/api/projects/:project/approve-config",
		"let the repository's own configuration run, exactly as it is now",
		{ at: "project", body: z.strictObject({ fingerprint: z.string() }), answer: Project },
	),
	warm: post("/api/projects/:project/warm", "fill the folder that shared paths are linked from", {
		at: "project",
		body: none,
		answer: z.object({ path: z.string(), commit: z.string().nullable(), filled: z.boolean() }),
	}),
	gc: post("/api/projects/:project/gc", "delete expired snapshots and trash; with dryRun only list them", {
		at: "project",
		body: z.strictObject({ dryRun: z.boolean().default(false) }),
		answer: z.array(Leftover),
	}),
};
