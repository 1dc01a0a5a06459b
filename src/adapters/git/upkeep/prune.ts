// Removes expired snapshots, refs and objects, from a person's repository, and nothing else.
//
// The dropped commits are recorded before their refs are deleted (`.dropped` in the project's folder of the home). Once
// there are enough, git's own garbage collection runs. While it runs, refs of ours hold everything else: what the
// person's refs point to, and every unreachable object that is not of a dropped snapshot. No reflog expires, and git
// keeps objects younger than the retention of snapshots. A crash leaves refs that the next run removes.
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import { dayMs, retention as defaults } from "#contract/retention.ts";
import type { Leftover } from "#contract/wire.ts";
import type { GcRequest, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { isCommitId } from "../format/refs.ts";
import { writeDurably } from "../layout/marker.ts";
import type { Git } from "../run/git.ts";
import { dropRefs, pruneUnreachable } from "../snapshot/destroy.ts";
import { pruneSnapshots } from "../snapshot/snapshots.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { borrowersOf } from "./borrowers.ts";

/** for fewer, scanning the whole repository is not worth it */
export const droppedMin = 200;
const keeping = "refs/brood/keep";

async function noteDropped(
	{ layout }: GitContext,
	project: ProjectRepository,
	commits: readonly string[],
): Promise<void> {
	// a clone's objects are removed with it
	if (commits.length === 0 || path.dirname(project.path) === layout.agents(project.slug)) return;
	await mkdir(layout.project(project.slug), { recursive: true, mode: 0o700 });
	await appendFile(layout.dropped(project.slug), commits.map((id) => `${id}\n`).join(""), { mode: 0o600 });
}

export async function dropped({ layout }: GitContext, { slug }: ProjectRepository): Promise<string[]> {
	const text = await readRegularText(layout.dropped(slug)).catch(() => "");
	return [...new Set(text.split("\n").filter(isCommitId))];
}

/** Deletes the refs of expired snapshots. */
export async function prune(context: GitContext, project: ProjectRepository, request: GcRequest): Promise<Leftover[]> {
	const { snapshotDays, snapshotsKept, snapshotsMax } = context.retention ?? defaults;
	const { goneOf = async () => [] } = request;
	const owners = { withFolder: new Set(request.withFolder.map(({ id }): string => id)), goneOf };
	const rules = {
		now: context.clock.now(),
		newestPerAgent: snapshotsKept,
		perAgentMax: snapshotsMax,
		youngerThanMs: snapshotDays * dayMs,
		owners,
		needed: new Set(request.needed),
		...(request.atMost && { atMost: request.atMost.refs }),
	};
	const gone = await pruneSnapshots(context.git, project.path, rules, {
		dryRun: request.dryRun,
		note: (commits) => noteDropped(context, project, commits),
	});
	const why = (agent: string, at: number): string => {
		if (!owners.withFolder.has(agent)) return `of a deleted agent, and older than ${snapshotDays} days`;
		const old = at <= rules.now - rules.youngerThanMs;
		return old
			? `older than ${snapshotDays} days, and ${snapshotsKept} newer ones are kept`
			: `there are more than ${snapshotsMax} of this agent`;
	};
	return gone.map(({ ref, agent, at }) => {
		return { what: "snapshot", name: ref, bytes: 0, reason: why(agent, at), freed: true };
	});
}

/** By repository. Objects that were too young for git are still too young an hour later. */
const lastRun = new Map<string, number>();

/**
 * Returns whether it ran: not while a workspace borrows without refs that hold what it borrows, not below `droppedMin`,
 * and not too often unless `asked`.
 */
export async function pruneDropped(
	context: GitContext,
	project: ProjectRepository,
	{ asked }: { asked: boolean },
): Promise<boolean> {
	const { git, layout, clock } = context;
	const { snapshotDays } = context.retention ?? defaults;
	if (!asked && clock.now() < (lastRun.get(project.path) ?? 0) + (snapshotDays * dayMs) / 14) return false;
	const commits = await existing(git, project.path, await dropped(context, project));
	if (commits.length < droppedMin || (await borrowersOf(context, project)).some(({ held }) => !held)) return false;
	lastRun.set(project.path, clock.now());
	await dropKeepRefs(git, project.path);
	const ours = await onlyOf(git, project.path, commits);
	const others = (await unreachable(git, project.path)).filter((id) => !ours.has(id));
	const { text } = await git(project.path, ["for-each-ref", "--format=%(objectname)"]);
	const held = [...new Set([...others, ...text.split("\n").filter((id) => id !== "")])];
	await git(project.path, ["update-ref", "-z", "--stdin"], {
		input: held.map((id) => `update ${keeping}/${id}\0${id}\0\0`).join(""),
	});
	try {
		await pruneUnreachable(git, project.path, { olderThanSeconds: Math.ceil((snapshotDays * dayMs) / 1000) });
	} finally {
		await dropKeepRefs(git, project.path);
	}
	const left = await existing(git, project.path, commits);
	await writeDurably(layout.dropped(project.slug), left.map((id) => `${id}\n`).join(""));
	return true;
}

async function dropKeepRefs(git: Git, repository: string): Promise<void> {
	const { text } = await git(repository, ["for-each-ref", "--format=%(objectname) %(refname)", keeping]);
	const refs = text.split("\n").flatMap((line) => {
		const [id, ref] = line.split(" ");
		return id === undefined || ref === undefined ? [] : [{ id, ref }];
	});
	if (refs.length > 0) await dropRefs(git, repository, refs);
}

async function existing(git: Git, repository: string, ids: readonly string[]): Promise<string[]> {
	if (ids.length === 0) return [];
	const { text } = await git(repository, ["cat-file", "--batch-check"], { input: ids.map((id) => `${id}\n`).join("") });
	return text
		.split("\n")
		.flatMap((line) => (/^[0-9a-f]+ commit \d+$/.test(line) ? [line.slice(0, line.indexOf(" "))] : []));
}

/** Objects that only these commits reach, and no ref. */
async function onlyOf(git: Git, repository: string, commits: readonly string[]): Promise<Set<string>> {
	const options = { input: commits.map((id) => `${id}\n`).join(""), timeoutMs: 20 * 60_000, background: true };
	const { text } = await git(
		repository,
		["rev-list", "--objects", "--missing=allow-any", "--stdin", "--not", "--all"],
		options,
	);
	return new Set(text.split("\n").map((line) => line.split(" ", 1)[0] ?? ""));
}

/** Objects that no ref, reflog or index reaches. */
async function unreachable(git: Git, repository: string): Promise<string[]> {
	const args = ["fsck", "--unreachable", "--connectivity-only", "--no-progress", "--no-dangling"];
	// fails for a damaged repository, which is left alone
	const { text } = await git(repository, args, { timeoutMs: 20 * 60_000, background: true });
	return text.split("\n").flatMap((line) => /^unreachable \w+ ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
}
