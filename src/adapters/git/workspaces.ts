// Workspaces on git: one method for each verb of the port, each verb in a file of its own.
import type { Room } from "#adapters/system/mounts.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { ProjectSettings, SettingsInForce } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type {
	Committed,
	Diff,
	Health,
	HealthIssue,
	Merged,
	Pushed,
	SeenCommit,
	Standing,
	SyncStrategy,
	Workspace,
	WorkspaceMark,
} from "#contract/workspace.ts";
import type {
	Against,
	ApproveWish,
	AtHome,
	CommitWish,
	ForkWish,
	GcWish,
	Leftover,
	Live,
	OpenedProject,
	ProjectPlace,
	Provisioned,
	ProvisionWish,
	Removed,
	RemoveWish,
	Snapshot,
	Stay,
	Tenant,
	Workspaces,
} from "#engine/workspaces.ts";
import { Layout } from "./layout/layout.ts";
import { approveWork, fromOutside } from "./project/approve.ts";
import { enterBranch, tryOut } from "./project/branch.ts";
import { fork, startOf } from "./project/fork.ts";
import { openProject, refreshProject } from "./project/project.ts";
import { provision } from "./project/provision.ts";
import { warmProject } from "./project/warm.ts";
import { commitOf } from "./run/given.ts";
import type { OwnStay } from "./sandbox/ask.ts";
import { convert, recoverOwn, removeOwn } from "./sandbox/end.ts";
import { findOwn, inProject } from "./sandbox/make.ts";
import {
	areInsideOwn,
	broughtOwn,
	commitOwn,
	commitsOfOwn,
	diffOfOwn,
	dirtyOwn,
	enterOwn,
	healthOfOwn,
	keepOwn,
	pushOwn,
	releaseOwn,
	restoreOwn,
	standingOfOwn,
	syncOwn,
	tipOfOwn,
	treeIn,
} from "./sandbox/verbs.ts";
import { withBroken } from "./tree/mend-index.ts";
import { collect } from "./upkeep/gc.ts";
import { spaceOf } from "./upkeep/space.ts";
import { commitWork } from "./verbs/commit.ts";
import { diffAgainstTree, diffOf } from "./verbs/diff.ts";
import { healthOf } from "./verbs/health.ts";
import { release } from "./verbs/home.ts";
import { pushBranch } from "./verbs/push.ts";
import { type Accept, recover } from "./verbs/recover.ts";
import { removeWorkspace } from "./verbs/remove.ts";
import { commitsSince, standingOf, treeGone } from "./verbs/standing.ts";
import { atHome, syncWork } from "./verbs/sync.ts";
import { troubleOf } from "./verbs/trouble.ts";
import { orDamaged } from "./worker/faults.ts";
import { type Ground, identityOf, seenTip } from "./workspace/ground.ts";
import { has, list, restore, show, take, told } from "./workspace/keep.ts";
import { ownAt, roomOf, sandboxTrouble, wantsRoom } from "./workspace/room.ts";
import { settingsOf } from "./workspace/settings.ts";

export class GitWorkspaces implements Workspaces, AsyncDisposable {
	readonly #ground: Ground;
	readonly halt: () => void;

	constructor({ home, halt, ...parts }: Omit<Ground, "layout"> & { home: string; halt?: AbortController }) {
		this.halt = () => halt?.abort();
		this.#ground = { ...parts, layout: new Layout(home) };
	}

	async openProject(wish: { slug: ProjectSlug; source: string; branch?: string }, live: Live = {}): Promise<OpenedProject | Refusal> {
		return await openProject(this.#ground, wish, live);
	}

	async trouble(project: ProjectPlace): Promise<HealthIssue | null> {
		return (await troubleOf(this.#ground.git, project)) ?? (await this.#sandboxTrouble(project));
	}

	async settings(project: ProjectPlace, approved: readonly string[] = []): Promise<SettingsInForce | Refusal> {
		return await settingsOf(this.#ground, project, approved);
	}

	async refresh(project: ProjectPlace, live: Live = {}): Promise<{ moved: boolean; error: string | null }> {
		const force = await this.settings(project);
		return isRefusal(force) ? { moved: false, error: force.message } : await refreshProject(this.#ground, project, force.settings.base, live);
	}

	async provision(wish: ProvisionWish, live: Live = {}): Promise<Provisioned | Refusal> {
		return await provision(this.#ground, wish, live);
	}

	async provisionFrom(wish: ForkWish, live: Live = {}): Promise<Provisioned | Refusal> {
		const gone = wish.snapshot === undefined ? await treeGone(wish.parent) : null;
		if (gone !== null) return gone;
		const begin = await startOf(this.#ground, wish);
		if (isRefusal(begin)) return begin;
		const build = async (mark: WorkspaceMark, settings: ProjectSettings) => await fork(this.#ground, wish, mark, settings, begin, live.signal);
		// its work is measured against what its parent's is
		const from = wish.from ?? wish.parent.workspace.base;
		return await provision(this.#ground, { ...wish, from }, live, { ...begin, build });
	}

	/** What may be seen and changed from inside a folder, if its project wants a sandbox. */
	async room(project: ProjectPlace, folder: string, workspace: Workspace | null): Promise<Room | null | Refusal> {
		return await roomOf(this.#ground, project, folder, workspace);
	}

	/** What a workspace in a sandbox brings that a program of this type would run by itself; any other can be looked at from outside. */
	async brings(stay: Stay, type: string): Promise<{ files: string[]; fingerprint: string } | null | "not in a sandbox"> {
		const own = await this.#own(stay);
		return own === null ? "not in a sandbox" : await broughtOwn(this.#ground, own, type);
	}

	/** Whether all of these files are its own to change, for a workspace in a sandbox. */
	async areInside(stay: Stay, places: readonly string[]): Promise<boolean | "not in a sandbox"> {
		const own = await this.#own(stay);
		return own === null ? "not in a sandbox" : await areInsideOwn(this.#ground, own, places);
	}

	identity(agent: Tenant): Readonly<Record<string, string>> {
		return identityOf(agent);
	}

	async health(stay: Stay, seen: { commit: string | null } = { commit: null }): Promise<Health> {
		const own = await this.#own(stay);
		return own === null ? await healthOf(this.#ground, stay, seen) : await healthOfOwn(this.#ground, own, seen);
	}

	async recover(stay: Stay, live: Live = {}, accept?: Accept): Promise<AtHome | Refusal> {
		const own = await this.#own(stay);
		if (own !== null) return await orDamaged(own, recoverOwn(this.#ground, own, live, accept));
		const locked = stay.workspace.kind === "main" ? false : await wantsRoom(this.#ground, stay.project);
		if (typeof locked !== "boolean") return locked;
		return locked ? await convert(this.#ground, stay) : await recover(this.#ground, stay, live, accept);
	}

	async release(stay: Stay, live: Live = {}): Promise<AtHome | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await release(this.#ground, stay, live) : await orDamaged(own, releaseOwn(this.#ground, own, live));
	}

	async enter(stay: Stay, live: Live = {}): Promise<AtHome | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await enterBranch(this.#ground, stay, live) : await orDamaged(own, enterOwn(this.#ground, own, live));
	}

	async tryOut(project: ProjectPlace, wish: { commit: string; command: string }, live: Live = {}): ReturnType<Workspaces["tryOut"]> {
		return await tryOut(this.#ground, project, wish, live);
	}

	async tipOf(project: ProjectPlace, branch: string): Promise<string | null> {
		return await commitOf(this.#ground.git, project.path, `refs/heads/${branch}`);
	}

	async workTip(stay: Stay): Promise<string | null | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await seenTip(this.#ground, stay) : await orDamaged(own, tipOfOwn(this.#ground, own));
	}

	async sync(stay: Stay, strategy: SyncStrategy, live: Live = {}): Promise<AtHome | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await syncWork(this.#ground, stay, strategy, live) : await orDamaged(own, syncOwn(this.#ground, own, strategy, live));
	}

	async standing(stay: Stay): Promise<Standing | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await standingOf(this.#ground, stay) : await orDamaged(own, standingOfOwn(this.#ground, own));
	}

	async commitsSince(stay: Stay, seen: string | null): Promise<SeenCommit[] | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await commitsSince(this.#ground, stay, seen) : await orDamaged(own, commitsOfOwn(this.#ground, own, seen));
	}

	async commit(stay: Stay, wish: CommitWish, live: Live = {}): Promise<Committed | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await commitWork(this.#ground, stay, wish, live) : await orDamaged(own, commitOwn(this.#ground, own, wish, live));
	}

	async diff(stay: Stay, against: Against): Promise<Diff | Refusal> {
		const own = await this.#own(stay);
		if (against.kind !== "agent")
			return own === null ? await diffOf(this.#ground, stay, against) : await orDamaged(own, diffOfOwn(this.#ground, own, against.kind));
		const other = await this.#own(against.stay);
		if (own !== null) return await orDamaged(own, diffOfOwn(this.#ground, own, { other: against.stay, own: other }));
		if (other === null) return await diffOf(this.#ground, stay, against);
		const tree = await orDamaged(other, treeIn(this.#ground, against.stay, other));
		return isRefusal(tree) ? tree : await diffAgainstTree(this.#ground, stay, against.stay, tree);
	}

	async push(stay: Stay): Promise<Pushed | Refusal> {
		const own = await this.#own(stay);
		if (own !== null) return await orDamaged(own, pushOwn(this.#ground, own));
		return (await treeGone(stay)) ?? (await pushBranch(this.#ground.git, stay.workspace.path, stay.workspace.branch));
	}

	async approve(stay: Stay, wish: ApproveWish): Promise<Merged | Refusal> {
		const own = await this.#own(stay);
		const look =
			own === null
				? fromOutside(this.#ground, stay)
				: { dirty: (commit: string) => dirtyOwn(this.#ground, own, commit), tip: () => tipOfOwn(this.#ground, own) };
		return await orDamaged(stay, approveWork(this.#ground, stay, wish, look));
	}

	async remove(stay: Stay, wish: RemoveWish = {}): Promise<Removed | Refusal> {
		const own = await this.#own(stay);
		return own === null ? await removeWorkspace(this.#ground, stay, wish) : await orDamaged(own, removeOwn(this.#ground, own, wish));
	}

	async gc(project: ProjectPlace, wish: GcWish): Promise<Leftover[]> {
		return await collect(this.#ground, project, wish);
	}

	async space(project: ProjectPlace): Promise<ProjectSpace> {
		return await spaceOf(this.#ground, project);
	}

	async warm(project: ProjectPlace, live: Live = {}): ReturnType<Workspaces["warm"]> {
		return await warmProject(this.#ground, project, live);
	}

	async takeSnapshot(stay: Stay, { reason, turn }: { reason: string; turn?: number }): Promise<{ snapshot: Snapshot; fresh: boolean }> {
		const own = await this.#own(stay);
		if (own === null) return await take(this.#ground, stay, reason, turn ?? null);
		const taken = await keepOwn(this.#ground, own, { reason, turn: turn ?? null });
		if (isRefusal(taken)) throw new Error(taken.message);
		return { ...taken, snapshot: told(taken.snapshot) };
	}

	async hasSnapshot(stay: Stay, id: string): Promise<boolean> {
		return await has(this.#ground, await this.#kept(stay), id);
	}

	async snapshots(stay: Stay): Promise<Snapshot[]> {
		return await list(this.#ground, await this.#kept(stay));
	}

	async showSnapshot(stay: Stay, id: string): Promise<Diff | Refusal> {
		return await show(this.#ground, await this.#kept(stay), id);
	}

	async restoreSnapshot(stay: Stay, id: string): Promise<AtHome | Refusal> {
		const own = await this.#own(stay);
		if (own !== null) {
			const snapshot = await findOwn(this.#ground, stay, id);
			return isRefusal(snapshot) ? snapshot : await orDamaged(own, restoreOwn(this.#ground, own, snapshot));
		}
		const restored = await restore(this.#ground, stay, id);
		if (isRefusal(restored)) return restored;
		return await atHome(this.#ground, stay, true, `${withBroken("Your files were put back as a snapshot has them", restored.broken)}.`, restored.snapshot);
	}

	async #sandboxTrouble(project: ProjectPlace): Promise<HealthIssue | null> {
		const text = await sandboxTrouble(this.#ground, project);
		return text === null ? null : { code: "PROJECT_GONE", text, fix: `cat ${project.path}/.git/objects/info/alternates` };
	}

	/** With the mark that says that its git folder is its own; null for any other, which is looked at from outside. */
	async #own(stay: Stay): Promise<OwnStay | null> {
		const mark = await ownAt(this.#ground, stay.project, stay.workspace.path);
		return mark === null ? null : { ...stay, mark };
	}

	/** As whoever looks for its snapshots has to know it. */
	async #kept(stay: Stay): Promise<Stay> {
		return (await this.#own(stay)) === null ? stay : inProject(stay);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#ground.rooms?.[Symbol.asyncDispose]();
	}
}
