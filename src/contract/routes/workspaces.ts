// Workspaces: diffs, commits, merges, snapshots.
import { z } from "zod";
import { EffectiveIssuesConfig } from "../project.ts";
import { RepositorySettings, UnapprovedConfig } from "../project-config.ts";
import { Leftover, Project, Snapshot, Synced, UpdateResult } from "../wire.ts";
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
import { get, lookup, ofAgent, post } from "./route.ts";

export const SnapshotId = z.string().regex(/^[0-9]{1,12}$/, "a snapshot is named by its number");

const path = z.string().min(1).max(4096).optional();
export const diffPart = {
	/** the patch of one file, without a limit; of all that fit if absent */
	path,
	/** lists the files from this one on, with as much of their patch as fits */
	from: path,
	/** of the patch; 1 MiB if absent */
	bytesMax: z.coerce.number().int().min(1024).max(67_108_864).optional(),
};

export const workspaceRoutes = {
	diff: ofAgent.get(
		"/diff",
		"show what differs in an agent's files from base, from the index, or from another agent's files",
		{
			at: "agent",
			query: lookup.extend({ against: z.string().default("base"), ...diffPart }),
			answer: Diff,
			agents: true,
		},
	),
	commit: ofAgent.post("/commit", "commit an agent's changes under its name", {
		at: "agent",
		body: z.strictObject({
			message: z.string().min(1).max(100_000),
			paths: z.array(z.string()).max(10_000).optional(),
		}),
		answer: Committed,
		agents: true,
	}),
	sync: ofAgent.post("/sync", "update an agent's branch to base", {
		at: "agent",
		body: z.strictObject({ strategy: z.enum(syncStrategies).default("ff") }),
		answer: UpdateResult,
	}),
	syncProject: post("/api/projects/:project/sync", "fetch a project's remote and update its idle agents, one by one", {
		at: "project",
		answer: z.object({ origin: RemoteStatus.nullable(), synced: z.array(Synced) }),
	}),
	release: ofAgent.post(
		"/release",
		"check out an agent's home branch, at base if it has no work of its own; its issue is given back, its context cleared unless the project keeps it",
		{
			at: "agent",
			answer: UpdateResult,
		},
	),
	approve: ofAgent.post("/approve", "merge a reviewed commit into base, then update the other agents", {
		at: "agent",
		body: z.strictObject({
			commit: CommitId.optional(),
			strategy: z.enum(mergeStrategies).optional(),
			message: z.string().max(100_000).optional(),
		}),
		answer: z.object({ merged: Merged, synced: z.array(Synced) }),
	}),
	health: ofAgent.get("/health", "check an agent's workspace; nothing is repaired", { at: "agent", answer: Health }),
	snapshots: ofAgent.get("/snapshots", "list an agent's snapshots, newest first", {
		at: "agent",
		answer: z.array(Snapshot),
	}),
	snapshot: ofAgent.get(
		"/snapshots/:snapshot",
		"show what changed in a snapshot, from its commit, another snapshot, or the files that the agent began with",
		{
			at: "agent",
			query: lookup.extend({ against: SnapshotId.or(z.literal("start")).optional(), ...diffPart }),
			answer: Diff,
		},
	),
	restore: ofAgent.post("/restore", "restore the files of a snapshot; the present files are kept as a new snapshot", {
		at: "agent",
		body: z.strictObject({ snapshot: SnapshotId }),
		answer: UpdateResult,
	}),
	projectSettings: get(
		"/api/projects/:project/settings",
		"show the settings in force, and the commands that the repository wants to run",
		{
			at: "project",
			answer: z.object({
				settings: RepositorySettings,
				issues: EffectiveIssuesConfig,
				fingerprint: z.string().nullable(),
				unapprovedConfig: UnapprovedConfig.nullable(),
			}),
		},
	),
	projectApprove: post(
		"/api/projects/:project/approve-config",
		"approve the commands of the repository's configuration, exactly as they are now",
		{ at: "project", body: z.strictObject({ fingerprint: z.string() }), answer: Project },
	),
	warm: post("/api/projects/:project/warm", "set up the folder that shared paths are linked from", {
		at: "project",
		answer: z.object({ path: z.string(), commit: z.string().nullable(), filled: z.boolean() }),
	}),
	gc: post("/api/projects/:project/gc", "delete expired snapshots and trash; with dryRun only list them", {
		at: "project",
		body: z.strictObject({ dryRun: z.boolean().default(false) }),
		answer: z.array(Leftover),
	}),
};
