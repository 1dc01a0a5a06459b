// Recovery: a workspace brought back after a kill, a crash of the machine or somebody's mistake.
//
// The problem. Anything may have happened: git died with its lock in place, a merge is half done, the branch was deleted or moved
// back, the index cannot be read, the folder lost its `.git`, or is gone. Afterwards the agent must be able to work, and nothing
// that it wrote may be lost.
//
// What always holds
//   - A snapshot is taken before a single file changes. It holds uncommitted files, the index and the operation in progress.
//   - No commit becomes unreachable: a tip that a branch is moved away from gets a ref under `refs/brood/left/`.
//   - Nothing is removed, or taken for ours, because of its name: the mark in the git folder says whose it is (`isOurs`). A folder
//     that is in the way and not ours stays, and the answer is PATH_EXISTS.
//   - What was only read by the step that died is left as it is: files that are fine are not reset.
//
// The steps
//   1. as it is: where health finds nothing that needs a change (or only that the branch was moved back, which is somebody's
//      wish), a snapshot, the lost tip kept, shared links made again, done (`acceptAsItIs`)
//   2. what an earlier recovery left half made is taken back (`takeBackHalf`)
//   3. the folder is gone: a new tree from the branch, or from base where that is gone too (`remake`).
//      The folder lost its `.git`: `git worktree repair`, if at least half of the files that git knows are in it (`repair`)
//   4. a lock older than a minute is renamed; a younger one is a refusal, since a git may be at work (`unlock`)
//   5. a branch that is gone is made again from the log of HEAD (`bringBranchBack`); an index that cannot be read is kept under
//      another name and rebuilt (`mendIndex`)
//   6. snapshot, then the tree as HEAD has it, ignored files untouched (`cleanUp`)
//   7. home: the agent's branch, moved to base if it has nothing of its own (`release`); then the shared links
//
// A crash of the recovery itself. Every step may be done again, and the next call begins at step 1. In step 3 an intent is written
// before the tree and removed after its mark, so half a tree is known to be ours and nobody's work: step 2 discards it. Between 6 and
// 7 the tree is clean and the snapshot is there; between a kept tip and the moved branch there is one ref too many, which upkeep drops
// after the agent's end, once base contains the commit.
//
// Why not another way
//   - `git reset --hard` at once: it loses what was not committed, and writes into a tree that may not be ours
//   - a fresh worktree every time: ignored files (dependencies, build results, local settings) would be gone
//   - `git worktree prune`: it forgets every tree that is away at the moment, also other people's on a disk that is not mounted
import { lstat, rename } from "node:fs/promises";
import path from "node:path";
import { readRegularText } from "#adapters/system/regular-file.ts";
import type { LeaseStep } from "#contract/cycle.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { WorkspaceMark } from "#contract/workspace.ts";
import type { AtHome, Live, Stay } from "#engine/workspaces.ts";
import { namesIn, pathOf } from "../format/names.ts";
import { exists, inTheWay } from "../layout/layout.ts";
import { dropMark, isOurs, markIn, readMark, writeMark } from "../layout/mark.ts";
import { exclusively } from "../run/exclusive.ts";
import type { Git } from "../run/git.ts";
import { commitOf } from "../run/given.ts";
import { registeredFor } from "../run/worktrees.ts";
import { checkOut } from "../tree/checkout.ts";
import { mendIndex, withBroken } from "../tree/mend-index.ts";
import { makeClone } from "../workspace/clone.ts";
import { discard, discardWorktree } from "../workspace/discard.ts";
import type { Ground } from "../workspace/ground.ts";
import { clean, setAside, take } from "../workspace/keep.ts";
import { gitFolderOf, lookAt, markAt } from "../workspace/look.ts";
import { settingsOf } from "../workspace/settings.ts";
import { share } from "../workspace/shared.ts";
import { healthOf } from "./health.ts";
import { release } from "./home.ts";
import { keepTip } from "./move.ts";
import { atHome } from "./sync.ts";

/** a lock that is younger may belong to a git that is at work */
const lockAgeMsMin = 60_000;

/** Which files may be left as they are, and what the branch had. */
export interface Accept {
	seen: string | null;
	step?: LeaseStep;
}

export async function recover(ground: Ground, stay: Stay, live: Live, accept?: Accept): Promise<AtHome | Refusal> {
	const asItIs = async (): Promise<AtHome | Refusal | null> => (accept === undefined ? null : await acceptAsItIs(ground, stay, live, accept));
	if (stay.workspace.kind === "main") return (accept?.step === undefined ? null : await asItIs()) ?? (await release(ground, stay, live));
	const left = await asItIs();
	if (left !== null) return left;
	await takeBackHalf(ground, stay);
	const missing = !(await exists(stay.workspace.path));
	const wrong = missing ? await remake(ground, stay) : await repair(ground, stay);
	if (wrong !== null) return wrong;
	const home = await bringHome(ground, stay, live, { asMade: missing, ...(accept && { accept }) });
	if (isRefusal(home)) return home;
	return missing ? { ...home, moved: true, text: `Your workspace was gone and was made again. ${home.text}` } : home;
}

/** A tree that is there: unlocked, its branch and its index mended, what is not committed kept in a snapshot, and then home. */
export async function bringHome(ground: Ground, stay: Stay, live: Live, { asMade, accept }: { asMade: boolean; accept?: Accept }): Promise<AtHome | Refusal> {
	const locked = asMade ? null : await unlock(ground, stay);
	if (locked !== null) return locked;
	await bringBranchBack(ground, stay);
	const broken = asMade ? null : await mendIndex(ground.git, stay.workspace.path);
	// that may have been all
	const mended = asMade || accept?.step === undefined ? null : await acceptAsItIs(ground, stay, live, accept);
	if (mended !== null) return mended;
	const cleaned = asMade ? { snapshot: null } : await cleanUp(ground, stay, broken);
	if (isRefusal(cleaned)) return cleaned;
	const home = await release(ground, stay, live, cleaned.snapshot);
	if (isRefusal(home)) return home;
	await linkAgain(ground, stay, live);
	return broken === null ? home : { ...home, text: `Git's index could not be read and is kept as ${broken}. ${home.text}` };
}

async function linkAgain(ground: Ground, { project, workspace }: Stay, live: Live): Promise<void> {
	const { git, layout } = ground;
	const force = await settingsOf(ground, project, live.approved);
	if (isRefusal(force)) return;
	const checkout = project.path === layout.mirror(project.slug) ? null : project.path;
	const filled = ground.given === undefined ? {} : { filled: ground.given.primary };
	await share(git, workspace.path, { primary: layout.primary(project.slug), checkout, ...filled }, force.settings);
}

/** What is no reason to take anything out of the tree. */
const harmless: readonly string[] = ["HEAD_WENT_BACK", "LINK_BROKEN", "DISK_LOW"];

/** Steps that read the agent's files and write none of them. */
const sparing: readonly LeaseStep[] = ["commit", "approve"];

/**
 * A branch that somebody moved back, or amended, is where they wanted it: the commit that it lost gets a ref, and the files stay as
 * they are. So do those that the daemon died over without touching them. Null if anything else is wrong.
 */
export async function acceptAsItIs(ground: Ground, stay: Stay, live: Live, { seen, step }: Accept): Promise<AtHome | Refusal | null> {
	const spared = step !== undefined && sparing.includes(step);
	const { issues } = await healthOf(ground, stay, { commit: seen });
	// a merge may have been open before it was to be committed
	if (issues.some(({ code }) => !harmless.includes(code) && !(spared && code === "OPERATION_OPEN"))) return null;
	const { branch, path: folder, kind } = stay.workspace;
	if (step !== undefined && !spared && (await lookAt(ground.git, folder)).changes.length > 0) return null;
	const back = seen !== null && issues.some(({ code }) => code === "HEAD_WENT_BACK") ? seen : null;
	const { snapshot, fresh } = await take(ground, stay, "before a recovery", null);
	if (back !== null) await keepTip(ground.git, stay, back);
	if (kind !== "main") await linkAgain(ground, stay, live);
	const lost = back === null ? "Nothing is wrong with your workspace any more." : lostWords(branch, (await commitOf(ground.git, folder, "HEAD")) ?? "", back);
	const kept = fresh ? ` They are in snapshot ${snapshot.id} as well.` : "";
	return await atHome(ground, stay, back !== null, `${lost} Your files were left as they are.${kept}`);
}

const lostWords = (branch: string, head: string, seen: string): string =>
	`${branch} was moved to ${head.slice(0, 10)} and does not contain ${seen.slice(0, 10)} any more; that commit is kept (git show ${seen.slice(0, 10)}).`;

/** A tree for the branch, or for base where the branch is gone as well. */
async function remake(ground: Ground, stay: Stay): Promise<Refusal | null> {
	const { git, layout } = ground;
	const { project, agent, workspace } = stay;
	const maker = await makerOf(ground, stay);
	if (maker === null) return inTheWay(workspace.path);
	const wrong = await layout.free(workspace.path);
	if (wrong !== null) return wrong;
	const kept = workspace.kind === "clone" ? `refs/brood/clones/${agent.id}` : `refs/heads/${workspace.branch}`;
	const tip = await commitOf(git, project.path, kept);
	const start = tip ?? (await commitOf(git, project.path, `refs/heads/${workspace.base}`));
	if (start === null) return refuse("NOT_FOUND", `Neither ${workspace.branch} nor ${workspace.base} has a commit.`);
	const mark: WorkspaceMark = { agent: maker, project: project.slug, ...workspace, start, ready: true };
	// until its own mark is there, this says that what is found at its place is ours
	await writeMark(intentOf(ground, stay), mark);
	if (workspace.kind === "clone") await makeClone(ground, project, agent, mark);
	else {
		await exclusively(project.path, async () => {
			await setAside(ground, stay, path.join(layout.trash, `${ground.clock.now()}-${project.slug}-${agent.handle}`));
			const branch = tip === null ? ["-b", workspace.branch, workspace.path, start] : [workspace.path, workspace.branch];
			await git(project.path, ["worktree", "add", "--quiet", "--no-checkout", ...branch]);
		});
	}
	await checkOut(ground, mark);
	await writeMark(markIn(await gitFolderOf(workspace.path)), mark);
	await dropMark(intentOf(ground, stay));
	return null;
}

const intentOf = ({ layout }: Ground, { project, workspace }: Stay): string => path.join(layout.agents(project.slug), `.${path.basename(workspace.path)}.json`);

/** What somebody was making again when they died. Nobody has worked in it. */
async function takeBackHalf(ground: Ground, stay: Stay): Promise<void> {
	const { project, workspace } = stay;
	const intent = await readMark(intentOf(ground, stay));
	if (intent === null || intent.path !== workspace.path || !isOurs(intent, stay)) return;
	const whole = isOurs(await markAt(workspace.path), stay);
	if (!whole && workspace.kind === "clone") await discard(ground, workspace.path);
	else if (!whole) await discardWorktree(ground, project.path, workspace.path);
	await dropMark(intentOf(ground, stay));
}

/** The agent that the workspace was made for: this one, or the one that it shares the place with. Null where the place is nobody's. */
async function makerOf({ git, layout }: Ground, stay: Stay): Promise<string | null> {
	const { project, agent, workspace } = stay;
	if (workspace.path === layout.agent(project.slug, agent.handle)) return agent.id;
	if (workspace.kind !== "worktree" || path.dirname(workspace.path) !== layout.agents(project.slug)) return null;
	// git still knows the tree that is gone, and its mark with it
	const gitFolder = await registeredFor(git, project.path, workspace.path);
	const mark = gitFolder === null ? null : await readMark(markIn(gitFolder));
	return mark !== null && isOurs(mark, stay) ? mark.agent : null;
}

/** Lets git find the repository of a tree that lost its `.git` file; refuses what is not ours afterwards either. */
async function repair({ git }: Ground, stay: Stay): Promise<Refusal | null> {
	const { project, workspace } = stay;
	const ours = async (): Promise<boolean> => isOurs(await markAt(workspace.path), stay);
	if (await ours()) return null;
	const looksLikeIt =
		workspace.kind === "worktree" && !(await exists(path.join(workspace.path, ".git"))) && (await hasItsFiles(git, project.path, workspace.path));
	if (looksLikeIt) await git(project.path, ["worktree", "repair", workspace.path], { answers: [1, 128] });
	return looksLikeIt && (await ours()) ? null : inTheWay(workspace.path);
}

const filesLookedAt = 200;

/** Whether at least half of the files that git knows of the tree are in the folder: another folder in its place is not it. */
async function hasItsFiles(git: Git, repository: string, folder: string): Promise<boolean> {
	const gitFolder = await registeredFor(git, repository, folder);
	if (gitFolder === null) return false;
	const environment = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
	const listed = await git(folder, ["ls-files", "-z"], { environment, answers: [128] });
	const names = namesIn(listed.bytes).slice(0, filesLookedAt);
	const found = await Promise.all(names.map(async (name) => await lstat(pathOf(folder, name)).catch(() => null)));
	return listed.code === 0 && names.length > 0 && found.filter((one) => one !== null).length * 2 >= names.length;
}

async function unlock({ clock }: Ground, { project, agent, workspace }: Stay): Promise<Refusal | null> {
	const gitFolder = await gitFolderOf(workspace.path);
	const lock = path.join(gitFolder, "index.lock");
	const found = await lstat(lock).catch(() => null);
	if (found === null) return null;
	const age = clock.now() - found.mtimeMs;
	if (age < lockAgeMsMin) {
		return refuse("CONFLICT", `Git may be at work in ${workspace.path}: its lock is ${Math.round(age / 1000)} s old.`, {
			suggestions: [`brood agent health ${project.slug}/${agent.handle}`],
		});
	}
	await rename(lock, path.join(gitFolder, `brood-left-index.lock-${clock.now()}`));
	return null;
}

/** A branch that somebody deleted under its tree: its last commit is in the log of the worktree's HEAD. */
async function bringBranchBack({ git, given }: Ground, { workspace }: Stay): Promise<void> {
	const ref = `refs/heads/${workspace.branch}`;
	if ((await commitOf(git, workspace.path, ref)) !== null) return;
	const gitFolder = await gitFolderOf(workspace.path);
	const log = await readRegularText(path.join(gitFolder, "logs", "HEAD")).catch(() => "");
	const last = log.trimEnd().split("\n").at(-1)?.split(" ")[1] ?? "";
	const commit = (await commitOf(git, workspace.path, last)) ?? (given === undefined ? (await readMark(markIn(gitFolder)))?.start : given.start) ?? null;
	if (commit !== null) await git(workspace.path, ["update-ref", ref, commit, "0".repeat(commit.length)]);
}

async function cleanUp(ground: Ground, stay: Stay, broken: string | null): Promise<{ snapshot: string | null } | Refusal> {
	const tree = await lookAt(ground.git, stay.workspace.path);
	const reason = withBroken("before a recovery", broken);
	if (tree.changes.length > 0 || tree.operation !== null) return await clean(ground, stay, reason);
	const { snapshot, fresh } = await take(ground, stay, reason, null);
	return { snapshot: fresh ? snapshot.id : null };
}
