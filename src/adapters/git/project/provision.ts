// Making an agent's workspace.
//
//   intent ─▶ worktree (or clone) ─▶ files ─▶ mark ─▶ shared paths ─▶ setup ─▶ mark: ready ─▶ no intent
//
// The intent is written beside the place before anything else: whatever is found there afterwards is ours. Called again, a
// wish whose mark says ready is done; one with a mark goes on after the files; one with only an intent is taken back
// and begun anew. Whatever fails is taken back as well, down to the branch, if that has not moved.

import { basename } from "node:path";
import { ProjectSlug } from "#contract/ids.ts";
import type { ProjectSettings, SettingsInForce } from "#contract/project-config.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import { caught, noLog } from "#engine/log.ts";
import type { Live, ProjectPlace, Provisioned, ProvisionWish } from "#engine/workspaces.ts";
import { makeWorktree } from "../copy/fork-tree.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMark, markIn, noteMark, readMark, writeMark } from "../layout/mark.ts";
import { branchFor, commitOf, existingBranch } from "../run/given.ts";
import { type Built, cannotHold, discardOwn, enterBooks, makeOwnTree, shareOwn } from "../sandbox/make.ts";
import { unmakeBranch } from "../snapshot/destroy.ts";
import { checkOut } from "../tree/checkout.ts";
import { makeClone } from "../workspace/clone.ts";
import { commandFailed, runCommand } from "../workspace/command.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import { commandEnvironment, type Ground } from "../workspace/ground.ts";
import { gitFolderOf, markAt } from "../workspace/look.ts";
import { ownAt, wantsRoom } from "../workspace/room.ts";
import { settingsOf } from "../workspace/settings.ts";
import { share } from "../workspace/shared.ts";

/** Makes the tree of a fork. */
export interface Fork {
	start: string | null;
	build(mark: WorkspaceMark, settings: ProjectSettings): Promise<Built | Refusal>;
}

export async function provision(ground: Ground, wish: ProvisionWish, live: Live, fork?: Fork): Promise<Provisioned | Refusal> {
	const likely = wish.from ?? wish.project.base ?? undefined;
	// asked for at once: each is a process of its own
	const [force, branch, guessed] = await Promise.all([
		settingsOf(ground, wish.project, live.approved),
		branchFor(ground.git, wish.project.path, wish.agent.handle),
		likely === undefined ? undefined : existingBranch(ground.git, wish.project.path, likely),
	]);
	if (isRefusal(force)) return force;
	const wanted = wish.from ?? force.settings.base;
	const base = guessed !== undefined && wanted === likely ? guessed : await existingBranch(ground.git, wish.project.path, wanted);
	if (isRefusal(base)) return base;
	const own = await wantsRoom(ground, wish.project);
	if (typeof own !== "boolean") return own;
	const unheld = own ? cannotHold(ground, wish) : null;
	if (unheld !== null) return unheld;
	if (wish.kind === "main") return await settleInMain(ground, wish, base.branch);
	const setup = fork === undefined ? setupOf(force, wish) : setupOfFork(force, wish);
	if (isRefusal(setup)) return setup;

	const place = ground.layout.agent(wish.project.slug, wish.agent.handle);
	const intent = ground.layout.intent(wish.project.slug, wish.agent.handle);
	const found = await whatIsThere(ground, wish, place, intent);
	if (isRefusal(found)) return found;
	if (found.mark?.ready === true) {
		await dropMark(intent);
		return await answer(ground, wish.project, found.mark, { shared: [], setup: null, found: true, missing: [], notes: [] });
	}
	try {
		const made =
			found.mark === null
				? await make(
						ground,
						wish,
						{ intent, branch: found.anew ? await branchFor(ground.git, wish.project.path, wish.agent.handle) : branch, base, own },
						force.settings,
						fork,
					)
				: { mark: found.mark, missing: [], ignored: false };
		const done = isRefusal(made) ? made : await finish(ground, wish, made, force.settings, setup, live);
		await (isRefusal(done) ? takeBack(ground, wish, intent) : dropMark(intent));
		return done;
	} catch (error) {
		await takeBack(ground, wish, intent).catch(
			caught(ground.log ?? noLog, "git", "What was made of a workspace could not be taken back", { agent: wish.agent.id }),
		);
		throw error;
	}
}

/** The repository itself: nothing is made, nothing is changed. */
async function settleInMain({ git }: Ground, { project }: ProvisionWish, base: string): Promise<Provisioned | Refusal> {
	if ((await git(project.path, ["rev-parse", "--is-bare-repository"])).text === "true") {
		return refuse("VALIDATION_ERROR", `${project.slug} has no checkout that an agent could work in. Use a worktree or a clone.`);
	}
	const head = await git(project.path, ["symbolic-ref", "--quiet", "HEAD"], { answers: [1] });
	const branch = head.code === 0 ? head.text.replace(/^refs\/heads\//, "") : base;
	const commit = await commitOf(git, project.path, "HEAD");
	return { workspace: { kind: "main", path: project.path, branch, base }, head: commit, shared: [], setup: null, found: true, missing: [], notes: [] };
}

interface SetupWish {
	command: string | null;
	/** what it leads to does not depend on it: a tree that came from somebody is worth having as it is */
	mayFail: boolean;
	notes: string[];
}

function setupOf({ settings, pendingApproval }: SettingsInForce, { project }: ProvisionWish): SetupWish | Refusal {
	if (settings.setup === null && pendingApproval?.setup != null) return notApproved(pendingApproval, project.slug);
	return { command: settings.setup, mayFail: false, notes: [] };
}

function setupOfFork({ settings, pendingApproval }: SettingsInForce, { project }: ProvisionWish): SetupWish {
	if (!settings.setupForks) return { command: null, mayFail: true, notes: [] };
	const asked = settings.setup === null && pendingApproval?.setup != null;
	const note = `The setup command was not run: nobody has approved it yet (brood project settings ${project.slug}).`;
	return { command: settings.setup, mayFail: true, notes: asked ? [note] : [] };
}

export function notApproved(pending: NonNullable<SettingsInForce["pendingApproval"]>, slug: string): Refusal {
	return refuse("CONFLICT", `The repository of ${slug} wants to run commands that nobody has approved yet.`, {
		details: { pendingApproval: { ...pending } },
		suggestions: ["brood approval list", `brood project settings ${slug}`],
	});
}

/** What an earlier call left, if it was the same agent's; anything else in the way is refused. */
async function whatIsThere(ground: Ground, wish: ProvisionWish, place: string, intent: string): Promise<Found | Refusal> {
	const wrong = await ground.layout.parent(place);
	if (wrong !== null) return wrong;
	const begun = await readMark(intent);
	if (begun !== null && begun.agent !== wish.agent.id) return inTheWay(place);
	const mark = (await ownAt(ground, wish.project, place)) ?? (await markAt(place));
	if (mark?.agent === wish.agent.id && mark.path === place) return { mark, anew: false };
	if (begun !== null) await takeBack(ground, wish, intent);
	return (await exists(place)) ? inTheWay(place) : { mark: null, anew: begun !== null };
}

interface Found {
	mark: WorkspaceMark | null;
	/** what was begun was taken back */
	anew: boolean;
}

type Made = Built & { mark: WorkspaceMark };

async function make(
	ground: Ground,
	wish: ProvisionWish,
	{
		intent,
		branch: { name: branch, taken },
		base,
		own,
	}: { intent: string; branch: { name: string; taken: boolean }; base: { branch: string; commit: string | null }; own: boolean },
	settings: ProjectSettings,
	fork?: Fork,
): Promise<Made | Refusal> {
	const { project, agent } = wish;
	if (taken) {
		return refuse("PATH_EXISTS", `There is a branch ${branch} already.`, { details: { branch }, suggestions: [`brood agent list --project ${project.slug}`] });
	}
	const start = fork === undefined ? base.commit : fork.start;
	const mark: WorkspaceMark = {
		agent: agent.id,
		project: project.slug,
		kind: wish.kind,
		path: ground.layout.agent(project.slug, agent.handle),
		branch,
		base: base.branch,
		start,
		ready: false,
		...(own && { own }),
	};
	await writeMark(intent, mark);
	const built = fork === undefined ? await makeTree(ground, wish, mark) : await fork.build(mark, settings);
	if (isRefusal(built)) return built;
	await noteMark(await markFileOf(ground, mark), mark);
	return { mark, ...built };
}

/** Where the mark of a workspace is: in its git folder, or, for one whose git folder is its own, where nobody inside can write. */
async function markFileOf({ layout }: Ground, { own, project, path }: WorkspaceMark): Promise<string> {
	return own === true ? layout.ownMark(ProjectSlug.parse(project), basename(path)) : markIn(await gitFolderOf(path));
}

async function makeTree(ground: Ground, { project, agent }: ProvisionWish, mark: WorkspaceMark): Promise<Built | Refusal> {
	const { kind, path, branch, start } = mark;
	const built: Built = { missing: [], ignored: false };
	if (mark.own === true) {
		await makeOwnTree(ground, project, agent, mark);
		return built;
	}
	if (kind === "clone") {
		await makeClone(ground, project, agent, mark);
		await checkOut(ground, mark);
		return built;
	}
	return (await makeWorktree(ground.git, { repository: project.path, folder: path, branch, commit: start }, async () => await checkOut(ground, mark))) ?? built;
}

async function finish(
	ground: Ground,
	{ project, agent }: ProvisionWish,
	{ mark, missing, ignored }: Made,
	settings: ProjectSettings,
	{ command, mayFail, notes }: SetupWish,
	live: Live,
): Promise<Provisioned | Refusal> {
	const checkout = project.path === ground.layout.mirror(project.slug) ? null : project.path;
	const stay = { project, agent, workspace: workspaceOf(mark), mark };
	const shared =
		mark.own === true
			? await shareOwn(ground, stay, settings)
			: await share(ground.git, mark.path, { primary: ground.layout.primary(project.slug), checkout }, settings);
	if (isRefusal(shared)) return shared;
	const ran =
		command === null || ignored
			? null
			: await runCommand(ground, command, { project, folder: mark.path, environment: commandEnvironment(ground, agent, live) }, live);
	const failed = ran === null || ran.exit === 0 ? null : commandFailed("setup", ran);
	if (failed !== null && (!mayFail || live.signal?.aborted === true)) return failed;
	// a flush would wait for every file of the tree, and the next commit of the store flushes it anyway
	await noteMark(await markFileOf(ground, mark), { ...mark, ready: true });
	if (mark.own === true) await enterBooks(ground, stay, mark.start);
	const told = failed === null ? notes : [...notes, `${failed.message} What it makes may be missing.`];
	// what was checked out is where it began; whatever else happened may have moved it
	const more = { shared, setup: ran, found: false, missing, notes: told };
	return ran === null && (mark.own === true || !mayFail)
		? { workspace: workspaceOf(mark), head: mark.start, ...more }
		: await answer(ground, project, mark, more);
}

async function answer(ground: Ground, project: ProjectPlace, mark: WorkspaceMark, more: Omit<Provisioned, "workspace" | "head">): Promise<Provisioned> {
	// of one in a sandbox the project knows where its branch was when it last came out
	const head = await (mark.own === true ? commitOf(ground.git, project.path, `refs/heads/${mark.branch}`) : commitOf(ground.git, mark.path, "HEAD"));
	return { workspace: workspaceOf(mark), head, ...more };
}

const workspaceOf = ({ kind, path, branch, base }: WorkspaceMark): Provisioned["workspace"] => ({ kind, path, branch, base });

/** Removes what an intent says we were making, and nothing else; the branch only if all of its commits are elsewhere too. */
async function takeBack(ground: Ground, { project }: ProvisionWish, intent: string): Promise<void> {
	const mark = await readMark(intent);
	if (mark === null) return;
	if (mark.kind === "clone" && mark.own !== true) await discard(ground, mark.path);
	else {
		await (mark.own === true ? discardOwn(ground, project, mark) : discardWorktree(ground, project.path, mark.path));
		const tip = await commitOf(ground.git, project.path, `refs/heads/${mark.branch}`);
		const ref = `refs/heads/${mark.branch}`;
		const own =
			tip === null || tip === mark.start
				? ""
				: (await ground.git(project.path, ["rev-list", "--max-count=1", tip, "--not", `--exclude=${ref}`, "--all", "--"])).text;
		if (tip !== null && own === "") await unmakeBranch(ground.git, { repository: project.path, branch: mark.branch, commit: tip });
	}
	await dropMark(intent);
}
