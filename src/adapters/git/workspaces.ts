// Workspaces on git: one method for each verb of the port, each verb in a file of its own.
import type { Room } from "#adapters/system/walls.ts";
import type { LeaseStep } from "#contract/cycle.ts";
import type { ProjectSlug } from "#contract/ids.ts";
import type { ProjectSettings, SettingsInForce } from "#contract/project-config.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { ProjectSpace } from "#contract/space.ts";
import type { Committed, Diff, Health, HealthIssue, Merged, Pushed, SeenCommit, Standing, SyncStrategy, WorkspaceMark } from "#contract/workspace.ts";
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
import { commitOf } from "./given.ts";
import { fork, startOf } from "./place/fork.ts";
import { collect } from "./place/gc.ts";
import { type Ground, identityOf } from "./place/ground.ts";
import { healthOf } from "./place/health.ts";
import { Layout } from "./place/layout.ts";
import { openProject, refreshProject } from "./place/project.ts";
import { provision } from "./place/provision.ts";
import { recover } from "./place/recover.ts";
import { removeWorkspace } from "./place/remove.ts";
import { roomOf } from "./place/room.ts";
import { settingsOf } from "./place/settings.ts";
import { spaceOf } from "./place/space.ts";
import { troubleOf } from "./place/trouble.ts";
import { warmProject } from "./place/warm.ts";
import { has, list, restore, show, take } from "./tree/keep.ts";
import { withBroken } from "./tree/mend-index.ts";
import { approveWork } from "./work/approve.ts";
import { enterBranch, tryOut } from "./work/branch.ts";
import { commitWork } from "./work/commit.ts";
import { diffOf } from "./work/diff.ts";
import { release } from "./work/home.ts";
import { pushBranch } from "./work/push.ts";
import { commitsSince, standingOf, treeGone } from "./work/standing.ts";
import { atHome, syncWork } from "./work/sync.ts";

export class GitWorkspaces implements Workspaces {
	readonly #ground: Ground;

	constructor({ home, ...parts }: Omit<Ground, "layout"> & { home: string }) {
		this.#ground = { ...parts, layout: new Layout(home) };
	}

	async openProject(wish: { slug: ProjectSlug; source: string; branch?: string }, live: Live = {}): Promise<OpenedProject | Refusal> {
		return await openProject(this.#ground, wish, live);
	}

	async trouble(project: ProjectPlace): Promise<HealthIssue | null> {
		return await troubleOf(this.#ground.git, project);
	}

	async settings(project: ProjectPlace, approved: readonly string[] = []): Promise<SettingsInForce | Refusal> {
		return await settingsOf(this.#ground.git, this.#ground.layout, project, approved);
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
		const build = async (mark: WorkspaceMark, settings: ProjectSettings) => await fork(this.#ground, wish, mark, settings, live.signal);
		// its work is measured against what its parent's is
		const from = wish.from ?? wish.parent.workspace.base;
		return await provision(this.#ground, { ...wish, from }, live, { ...begin, build });
	}

	/** What may be seen and changed from inside a folder, if its project wants a sandbox. */
	async room(project: ProjectPlace, folder: string, branch: string | null): Promise<Room | null | Refusal> {
		return await roomOf(this.#ground, project, folder, branch);
	}

	identity(agent: Tenant): Readonly<Record<string, string>> {
		return identityOf(agent);
	}

	async health(stay: Stay, seen: { commit: string | null } = { commit: null }): Promise<Health> {
		return await healthOf(this.#ground, stay, seen);
	}

	async recover(stay: Stay, live: Live = {}, accept?: { seen: string | null; step?: LeaseStep }): Promise<AtHome | Refusal> {
		return await recover(this.#ground, stay, live, accept);
	}

	async release(stay: Stay, live: Live = {}): Promise<AtHome | Refusal> {
		return await release(this.#ground, stay, live);
	}

	async enter(stay: Stay, live: Live = {}): Promise<AtHome | Refusal> {
		return await enterBranch(this.#ground, stay, live);
	}

	async tryOut(project: ProjectPlace, wish: { commit: string; command: string }, live: Live = {}): ReturnType<Workspaces["tryOut"]> {
		return await tryOut(this.#ground, project, wish, live);
	}

	async tipOf(project: ProjectPlace, branch: string): Promise<string | null> {
		return await commitOf(this.#ground.git, project.path, `refs/heads/${branch}`);
	}

	async sync(stay: Stay, strategy: SyncStrategy, live: Live = {}): Promise<AtHome | Refusal> {
		return await syncWork(this.#ground, stay, strategy, live);
	}

	async standing(stay: Stay): Promise<Standing | Refusal> {
		return await standingOf(this.#ground, stay);
	}

	async commitsSince(stay: Stay, seen: string | null): Promise<SeenCommit[] | Refusal> {
		return await commitsSince(this.#ground, stay, seen);
	}

	async commit(stay: Stay, wish: CommitWish, live: Live = {}): Promise<Committed | Refusal> {
		return await commitWork(this.#ground, stay, wish, live);
	}

	async diff(stay: Stay, against: Against): Promise<Diff | Refusal> {
		return await diffOf(this.#ground, stay, against);
	}

	async push(stay: Stay): Promise<Pushed | Refusal> {
		return (await treeGone(stay)) ?? (await pushBranch(this.#ground.git, stay.workspace.path, stay.workspace.branch));
	}

	async approve(stay: Stay, wish: ApproveWish): Promise<Merged | Refusal> {
		return await approveWork(this.#ground, stay, wish);
	}

	async remove(stay: Stay, wish: RemoveWish = {}): Promise<Removed | Refusal> {
		return await removeWorkspace(this.#ground, stay, wish);
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
		return await take(this.#ground, stay, reason, turn ?? null);
	}

	async hasSnapshot(stay: Stay, id: string): Promise<boolean> {
		return await has(this.#ground, stay, id);
	}

	async snapshots(stay: Stay): Promise<Snapshot[]> {
		return await list(this.#ground, stay);
	}

	async showSnapshot(stay: Stay, id: string): Promise<Diff | Refusal> {
		return await show(this.#ground, stay, id);
	}

	async restoreSnapshot(stay: Stay, id: string): Promise<AtHome | Refusal> {
		const restored = await restore(this.#ground, stay, id);
		if (isRefusal(restored)) return restored;
		return await atHome(this.#ground, stay, true, `${withBroken("Your files were put back as a snapshot has them", restored.broken)}.`, restored.snapshot);
	}
}
