// Packs loose refs and objects: a repository with thirty agents gets hundreds of both an hour.
//
// In a person's repository we do only what git's own background maintenance does: no object is removed, reachable or
// not, except those of expired snapshots (prune.ts), and no reflog is touched. While a garbage collection or
// maintenance of the person's runs, ours is skipped. A bare clone in the home is ours: there, unreachable objects are
// removed. Nothing is removed while a workspace borrows from the repository without refs that hold what it borrows.
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { dayMs, retention as defaults } from "#contract/retention.ts";
import type { Leftover } from "#contract/wire.ts";
import type { GcRequest, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import type { Git } from "../run/git.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { pruneUnreachable } from "../snapshot/destroy.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { borrowersOf } from "./borrowers.ts";
import { dropped, droppedMin, pruneDropped } from "./prune.ts";

/** below these, packing costs more than it saves */
const looseRefsMax = 200;
const looseObjectsMax = 2000;
const packsMax = 20;
const timeoutMs = 20 * 60_000;
/** git considers an older lock as abandoned */
const abandonedMs = 12 * 60 * 60_000;

export async function pack(context: GitContext, project: ProjectRepository, request: GcRequest): Promise<Leftover[]> {
	const { git, layout } = context;
	const { packing, snapshotDays } = context.retention ?? defaults;
	const { commonFolder } = await repositoryPathsOf(project.path, {});
	if (commonFolder === null || packing === "off" || (await isBusy(commonFolder, context.clock.now()))) return [];
	const refs = await looseRefs(path.join(commonFolder, "refs", "brood"));
	const objects = await looseObjects(path.join(commonFolder, "objects"));
	const packs = await packsIn(commonFolder);
	const run = async (...args: string[]): Promise<void> =>
		void (await git(project.path, args, { signal: request.signal, timeoutMs, background: true }));
	const done: Leftover[] = [];
	if (refs > looseRefsMax) {
		const reason = `${refs} refs are files of their own: packed`;
		done.push({ what: "ref", name: "loose refs", bytes: 0, reason, freed: true });
		if (!request.dryRun) await run("pack-refs", "--all");
	}
	const isOurs = project.path === layout.bareClone(project.slug);
	const isClone = path.dirname(project.path) === layout.agents(project.slug);
	if (!isOurs && !isClone && (await dropped(context, project)).length >= droppedMin) {
		const held = await objectBytes(git, project.path);
		const pruned = request.dryRun || (await pruneDropped(context, project, { asked: request.atMost === undefined }));
		const bytes = request.dryRun ? 0 : Math.max(0, held.all - (await objectBytes(git, project.path)).all);
		const reason = "of expired snapshots, and nothing else refers to them";
		if (pruned) return [...done, { what: "objects", name: "objects", bytes, reason, freed: true }];
	}
	if (objects <= looseObjectsMax && packs <= packsMax) return done;
	const before = await objectBytes(git, project.path);
	const reason = `about ${objects} loose objects and ${packs} packs: packed`;
	if (!request.dryRun) {
		if (isOurs && (await borrowersOf(context, project)).every(({ held }) => held)) {
			await pruneUnreachable(git, project.path, { olderThanSeconds: Math.ceil((snapshotDays * dayMs) / 1000) });
		} else {
			// the first run packs, the second removes the loose files of packed objects
			for (const _ of ["pack", "tidy"])
				await run("-c", "pack.threads=1", "maintenance", "run", "--quiet", "--task=loose-objects");
			if (packs > packsMax)
				await run("-c", "pack.threads=1", "maintenance", "run", "--quiet", "--task=incremental-repack");
		}
	}
	const bytes = request.dryRun ? before.loose : Math.max(0, before.all - (await objectBytes(git, project.path)).all);
	return [...done, { what: "objects", name: "loose objects", bytes, reason, freed: true }];
}

/** Whether another process collects garbage, runs maintenance or packs refs. */
async function isBusy(commonFolder: string, now: number): Promise<boolean> {
	for (const name of ["gc.pid", "gc.pid.lock", "packed-refs.lock", "objects/maintenance.lock"]) {
		const lock = await lstat(path.join(commonFolder, name)).catch(() => null);
		if (lock !== null && lock.mtimeMs > now - abandonedMs) return true;
	}
	return false;
}

export async function looseRefs(folder: string): Promise<number> {
	const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
	return entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".lock")).length;
}

/** An estimate from some of the 256 folders, as git does it. */
async function looseObjects(folder: string): Promise<number> {
	const sample = ["17", "2a", "3d", "5c", "6e", "81", "9b", "a4", "b7", "c9", "d2", "e6", "f0", "0b", "48", "75"];
	const counts = await Promise.all(
		sample.map(async (name) => (await readdir(path.join(folder, name)).catch(() => [])).length),
	);
	return Math.round((counts.reduce((sum, count) => sum + count, 0) / sample.length) * 256);
}

async function packsIn(commonFolder: string): Promise<number> {
	return (await readdir(path.join(commonFolder, "objects", "pack")).catch((): string[] => [])).filter((name) =>
		name.endsWith(".pack"),
	).length;
}

export async function objectBytes(
	git: Git,
	repository: string,
): Promise<{ loose: number; all: number; count: number; packs: number }> {
	const { text } = await git(repository, ["count-objects", "-v"]);
	const field = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1] ?? 0);
	const loose = field("size") * 1024;
	return {
		loose,
		all: loose + field("size-pack") * 1024 + field("size-garbage") * 1024,
		count: field("count"),
		packs: field("packs"),
	};
}
