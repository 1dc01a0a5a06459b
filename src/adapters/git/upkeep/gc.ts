// Deletes what has expired, if its name or marker says so. Unknown folders are listed and kept.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { diskBytes } from "#adapters/system/disk.ts";
import { Handle, type ProjectSlug } from "#contract/ids.ts";
import { messageOf } from "#contract/message-of.ts";
import { isRefusal } from "#contract/refusal.ts";
import { dayMs, retention as defaults } from "#contract/retention.ts";
import type { Leftover } from "#contract/wire.ts";
import type { AgentIdentity, GcRequest, ProjectRepository } from "#engine/ports/workspace-requests.ts";
import { markerIn, readMarker } from "../layout/marker.ts";
import { repositoryPathsOf } from "../run/repository-paths.ts";
import { worktreesOf } from "../run/worktrees.ts";
import { discardedPrefix, emptyDiscarded, emptyTrash } from "../snapshot/destroy.ts";
import { borrowedBy, releaseBorrowed } from "../workspace/borrows.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { GitContext } from "../workspace/git-context.ts";
import { sandboxMarkerAt } from "../workspace/sandbox-mounts.ts";
import { scratchInUse } from "../workspace/scratch.ts";
import { projectSettings } from "../workspace/settings.ts";
import { markerAt } from "../workspace/tree-status.ts";
import { pack } from "./pack.ts";
import { prune } from "./prune.ts";
import { dropStaleRefs } from "./stale-refs.ts";

interface Candidate extends Omit<Leftover, "bytes"> {
	location: string;
	free(): Promise<void>;
}

/** Everything; with `atMost`, which the daemon passes, a limited number of folders and refs, without sizes. */
export async function collect(
	context: GitContext,
	project: ProjectRepository,
	options: GcRequest,
): Promise<Leftover[]> {
	const candidates = [
		...(await trash(context, project.slug)),
		...(await scratches(context, project)),
		...(await halfClones(context, project.slug)),
		...(await borrows(context, project, options.withFolder)),
		...(await unknownFolders(context, project, options.withFolder)),
	];
	const chosen =
		options.atMost === undefined
			? candidates
			: candidates.filter(({ freed }) => freed).slice(0, options.atMost.folders);
	const found: Leftover[] = [];
	for (const { free, location, ...leftover } of chosen) {
		const bytes = options.atMost === undefined ? await diskBytes(location) : 0;
		const kept = options.dryRun || !leftover.freed ? null : await free().then(() => null, reasonOf);
		found.push({ ...leftover, bytes, ...(kept !== null && { freed: false, reason: kept }) });
	}
	const refs = [...(await prune(context, project, options)), ...(await dropStaleRefs(context, project, options))];
	return [
		...found,
		...refs,
		...(await pack(context, project, options)),
		...(await inClones(context, project, options)),
	];
}

/** A failure is reported, and does not stop the others. */
const reasonOf = (error: unknown): string => `could not be removed: ${messageOf(error)}`;

/** Clones have their agents' snapshots. Other unreachable objects stay until the clone is removed. */
async function inClones(context: GitContext, project: ProjectRepository, request: GcRequest): Promise<Leftover[]> {
	const effective = await projectSettings(context, project);
	// the daemon opens no file of a sandbox
	if (isRefusal(effective) || effective.settings.sandbox === "on") return [];
	const found: Leftover[] = [];
	for (const { id, handle } of request.withFolder) {
		const location = context.layout.agent(project.slug, handle);
		if ((await sandboxMarkerAt(context, project, location)) !== null) continue;
		const { gitFolder, commonFolder } = await repositoryPathsOf(location, {});
		if (gitFolder === null || gitFolder !== commonFolder || (await markerAt(location))?.agent !== id) continue;
		const clone = { ...project, path: location };
		found.push(...(await prune(context, clone, request)), ...(await pack(context, clone, request)));
	}
	return found;
}

async function trash({ layout, clock, retention }: GitContext, slug: ProjectSlug): Promise<Candidate[]> {
	const { trashDays } = retention ?? defaults;
	const found: Candidate[] = [];
	for (const name of await names(layout.trash)) {
		const location = path.join(layout.trash, name);
		if (name.startsWith(discardedPrefix)) {
			const free = async (): Promise<void> => await emptyDiscarded(layout.trash, name);
			found.push({ what: "trash", name, location, reason: "taken back before anybody used it", freed: true, free });
			continue;
		}
		const [, time, rest] = /^(\d+)-(.+)$/.exec(name) ?? [];
		const owner = await ownerOf(location);
		// another project's slug may begin with this one's, so an old entry without an owner is only listed
		if (time === undefined || (owner === null ? rest?.startsWith(`${slug}-`) !== true : owner !== slug)) continue;
		const days = (clock.now() - Number(time)) / dayMs;
		const rules = { now: clock.now(), olderThanMs: trashDays * dayMs, dryRun: false, only: name };
		const free = async (): Promise<void> => void (await emptyTrash(layout.trash, rules));
		const reason =
			owner === null ? "it does not say whose it was" : `${Math.floor(days)} days in the trash, kept for ${trashDays}`;
		found.push({ what: "trash", name, location, reason, freed: owner !== null && days > trashDays, free });
	}
	return found;
}

/** The folders in the trash that belong to a project. */
export async function trashOf(context: GitContext, slug: ProjectSlug): Promise<string[]> {
	const all = (await names(context.layout.trash)).map((name) => path.join(context.layout.trash, name));
	const owners = await Promise.all(all.map(ownerOf));
	return all.filter((_, at) => owners[at] === slug);
}

/** The project's slug of a folder in the trash, from its note or the marker in its git folder. */
async function ownerOf(location: string): Promise<string | null> {
	for (const folder of [location, path.join(location, "git"), path.join(location, ".git")]) {
		const marker = await readMarker(markerIn(folder));
		if (marker !== null) return marker.project;
	}
	return null;
}

async function scratches(context: GitContext, project: ProjectRepository): Promise<Candidate[]> {
	const folder = context.layout.scratches(project.slug);
	// git may still list one whose folder is gone
	const listed = (await worktreesOf(context.git, project.path))
		.map((worktree) => worktree.path)
		.filter((location) => path.dirname(location) === folder);
	const all = new Set([...(await names(folder)).map((name) => path.join(folder, name)), ...listed]);
	const left = [...all].filter((location) => !scratchInUse.has(location));
	return left.map((location) => ({
		what: "scratch",
		name: path.basename(location),
		location,
		reason: "a scratch tree of a process that died",
		freed: true,
		free: async () => await discardWorktree(context, project.path, location),
	}));
}

async function halfClones(context: GitContext, slug: ProjectSlug): Promise<Candidate[]> {
	const folder = context.layout.project(slug);
	const left = (await names(folder)).filter((name) => name.startsWith(".clone-"));
	return left.map((name) => {
		const location = path.join(folder, name);
		const free = async (): Promise<void> => await discard(context, location);
		return { what: "clone", name, location, reason: "half a clone", freed: true, free };
	});
}

/** Borrows are kept until the workspace is neither in its place nor in the trash. */
async function borrows(
	{ git, layout }: GitContext,
	project: ProjectRepository,
	withFolder: readonly AgentIdentity[],
): Promise<Candidate[]> {
	const borrowers = await borrowedBy(git, project.path);
	if (borrowers.length === 0) return [];
	const own = (await names(layout.ownGits(project.slug)))
		.filter((name) => name.endsWith(".json"))
		.map((name) => path.join(layout.ownGits(project.slug), name));
	const trashed = (await names(layout.trash)).map((name) => markerIn(path.join(layout.trash, name)));
	const users = new Set((await Promise.all([...own, ...trashed].map(readMarker))).map((marker) => marker?.agent));
	for (const { id } of withFolder) users.add(id);
	return borrowers
		.filter(({ agent }) => !users.has(agent))
		.map((borrower) => ({
			what: "borrow" as const,
			name: borrower.refs.map(({ ref }) => ref).join(", "),
			location: layout.ownGit(project.slug, borrower.agent),
			reason: "the workspace that borrowed these objects is gone",
			freed: true,
			free: async () => await releaseBorrowed(git, project.path, borrower),
		}));
}

/** Only listed: a person may know what they are. */
async function unknownFolders(
	context: GitContext,
	project: ProjectRepository,
	withFolder: readonly AgentIdentity[],
): Promise<Candidate[]> {
	const { layout } = context;
	const { slug } = project;
	const found: Candidate[] = [];
	for (const name of await names(layout.agents(slug))) {
		if (name.startsWith(".") || withFolder.some(({ handle }) => handle === name)) continue;
		const location = path.join(layout.agents(slug), name);
		const marker = (await sandboxMarkerAt(context, project, location)) ?? (await markerAt(location).catch(() => null));
		const reason =
			marker !== null && Handle.safeParse(name).success
				? `the workspace of ${name}, which was not removed`
				: "not made by Brood";
		found.push({ what: "unknown", name, location, reason, freed: false, free: async () => {} });
	}
	return found;
}

async function names(folder: string): Promise<string[]> {
	return (await readdir(folder).catch(() => [])).sort();
}
