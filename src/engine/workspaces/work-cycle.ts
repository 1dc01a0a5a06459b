// The verbs that people and agents use on a workspace. Each verb that changes the tree takes a lease, runs its git
// step, and records the result in the caller's name; the lease is always given back. Reads take none. Whether a verb is
// allowed is decided with the lease; whether git can do it is known only after trying.
import type { AgentState } from "#contract/agent.ts";
import { agentOf, system } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Synced, UpdateResult } from "#contract/wire.ts";
import type { BranchStatus, Committed, Diff, Health, Merged, RemoteStatus, SyncStrategy } from "#contract/workspace.ts";
import type { LeaseStep } from "#contract/workspace-step.ts";
import { acceptable, isWhole, unprovisioned, withProcesses, withProjectProblem } from "#domain/health.ts";
import type { Publisher } from "../loop/publish.ts";
import type { Clock } from "../ports/clock.ts";
import type { Driver } from "../ports/driver.ts";
import type { Checkout, DiffExtent, SnapshotState, StepControl } from "../ports/workspace-requests.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { BaseSync } from "./base-sync.ts";
import { checkoutOf, projectRepository } from "./checkout.ts";
import { Endings } from "./endings.ts";
import { type ApproveOptions, type BranchToMerge, Merges } from "./merges.ts";
import { pushAfterTurn } from "./pushing.ts";
import { type SiteParts, Sites } from "./sites.ts";
import { answeredWith, type Requester, type StepParts, Steps, startedStepOf } from "./steps.ts";

type BranchAndBase = Pick<Checkout["workspace"], "branch" | "base">;

export interface CycleParts extends StepParts, SiteParts {
	clock: Clock;
	driver: Pick<Driver, "processesLeft" | "end"> | null;
	publisher: Publisher;
}

export class WorkCycle {
	readonly sites: Sites;
	readonly #parts: CycleParts;
	readonly #steps: Steps;
	readonly #baseSync: BaseSync;
	readonly #merges: Merges;
	readonly #endings: Endings;

	constructor(parts: CycleParts) {
		this.#parts = parts;
		this.#steps = new Steps(parts);
		this.sites = new Sites(parts);
		this.#merges = new Merges(parts.workspaces, this.#steps, this.sites);
		this.#endings = new Endings(parts, this.#steps);
		this.#baseSync = new BaseSync(parts, {
			steps: this.#steps,
			forward: async (agent, by) => await this.sync(agent, "ff", by, { fetched: true }),
			lookAfterCrash: async (agent) => await this.lookAfterCrash(agent),
			follow: async (...of) => await this.sites.follow(...of),
			syncOthers: async (...of) => await this.sites.syncOthers(...of),
		});
	}

	get workspaces(): Workspaces {
		return this.#parts.workspaces;
	}

	async diff(
		agent: AgentState,
		against: "base" | "index" | AgentState,
		what: DiffExtent = "patch",
	): Promise<Diff | Refusal> {
		return await this.#steps.with(agent, async (checkout) => {
			if (typeof against === "string") return await this.workspaces.diff(checkout, { kind: against, what });
			return await this.#steps.with(against, (other) =>
				this.workspaces.diff(checkout, { kind: "agent", checkout: other, what }),
			);
		});
	}

	async branchStatus(agent: AgentState): Promise<BranchStatus | Refusal> {
		return await this.#steps.with(agent, (checkout) => this.workspaces.branchStatus(checkout));
	}

	async commit(
		agent: AgentState,
		request: { message: string; paths?: readonly string[] | undefined },
		by: Requester,
	): Promise<Committed | Refusal> {
		const begun = startedStepOf(by, "commit");
		return await this.#steps.leased(agent, "commit", by, async (checkout, control) => {
			// a retry uses the turn and stage of the first attempt for the commit's trailers
			const { turn, stage } = begun ?? { turn: agent.turn?.id, stage: agent.issue?.stage };
			const { message, paths } = request;
			const details = {
				message,
				...(paths && { paths }),
				...(turn !== undefined && { turn }),
				...(stage !== undefined && { stage }),
			};
			const made = await this.workspaces.commit(checkout, details, control);
			if (isRefusal(made)) return made;
			const files = made.files.map(({ status, path }) => `${status} ${path}`);
			const data = {
				commit: made.commit,
				branch: made.branch,
				files: files.slice(0, 100),
				filesTotal: files.length,
				turn: turn ?? null,
			};
			// the agent knows its own commits; it is told of all others
			const text = `Your work was committed as ${made.commit.slice(0, 10)}: ${message.split("\n", 1)[0]}`;
			const tell = agentOf(by.actor) === agent.id ? undefined : text;
			await this.#steps.record(checkout, { kind: "workspace.committed", data }, by, {
				tell,
				receipt: answeredWith(made),
				frees: true,
			});
			return made;
		});
	}

	/** Pushes commits that were made after the turn's push. */
	async push(agent: AgentState): Promise<void> {
		await pushAfterTurn(this.#parts, agent);
	}

	async sync(
		agent: AgentState,
		strategy: SyncStrategy,
		by: Requester,
		how: { fetched?: boolean } = {},
	): Promise<UpdateResult | Refusal> {
		const work = async (checkout: Checkout, control: StepControl): Promise<UpdateResult | Refusal> =>
			(how.fetched === true ? null : await this.sites.behindHomeNode(checkout, by)) ??
			(await this.workspaces.sync(checkout, strategy, control));
		return await this.#update(agent, "sync", by, work, how);
	}

	/**
	 * Drops the issue, moves to the home branch, clears the context unless the project keeps it, and ends error holds if
	 * the workspace is then healthy. Refused as a whole if the tree is dirty.
	 */
	async release(agent: AgentState, by: Requester): Promise<UpdateResult | Refusal> {
		const dropped = await this.#endings.dropIssue(agent, by);
		if (dropped !== null) return dropped;
		const now = (await this.#parts.reads.agent(agent.id)) ?? agent;
		const moved = await this.#update(now, "release", by, (checkout, control) =>
			this.workspaces.release(checkout, control),
		);
		if (isRefusal(moved)) return moved;
		const project = await this.#projectOf(agent);
		// dropping an issue has cleared it
		if (agent.issue === null && project?.context !== "keep")
			await this.#steps.send({ type: "context.clear", agent: agent.id }, { actor: by.actor });
		return (await this.#endings.endErrors(now, by)) ?? moved;
	}

	/** Moves to the branch of an issue, or back to the home branch: from then on the agent works on that branch. */
	async switchBranch(agent: AgentState, to: BranchAndBase, by: Requester): Promise<UpdateResult | Refusal> {
		return await this.#update(agent, "switch", by, (checkout, control) =>
			this.workspaces.switchBranch({ ...checkout, workspace: { ...checkout.workspace, ...to } }, control),
		);
	}

	/** Takes a snapshot, then moves to the workspace's branch as far as needed, and clears error holds. */
	async recover(agent: AgentState, by: Requester): Promise<UpdateResult | Refusal | null> {
		const over = { type: "agent.recover" as const, agent: agent.id };
		if (agent.workspace === null || agent.life !== "live") return await this.#steps.send(over, by);
		// only the last command gets a receipt: until then the step may be repeated
		const moved = await this.#update(agent, "recover", { actor: by.actor }, async (checkout, control) => {
			await this.#endings.endProcesses(checkout);
			return await this.workspaces.recover(checkout, control, acceptable(agent));
		});
		if (isRefusal(moved)) return moved;
		return (await this.#steps.send(over, by)) ?? moved;
	}

	/** Ends the recovery hold of an interrupted step that left nothing half done. */
	async lookAfterCrash(agent: AgentState): Promise<void> {
		const hold = agent.holds.find(({ kind }) => kind === "recovery");
		const checkout = hold === undefined ? null : await checkoutOf(this.#parts.reads, agent);
		if (hold === undefined || checkout === null || agent.lease !== null) return;
		const [{ issues: problems }, branchStatus] = [
			await this.workspaces.health(checkout),
			await this.workspaces.branchStatus(checkout),
		];
		if (isRefusal(branchStatus) || !isWhole(problems, { step: hold.step, uncommitted: branchStatus.uncommitted }))
			return;
		await this.#steps.send({ type: "workspace.confirm", agent: agent.id, whole: true }, { actor: system });
	}

	async health(agent: AgentState): Promise<Health | Refusal> {
		const unfinished = unprovisioned(agent);
		const project =
			unfinished === null || agent.project === null ? null : await this.#parts.reads.project(agent.project);
		if (unfinished !== null && project != null)
			return withProjectProblem(unfinished, await this.workspaces.problem(projectRepository(project, agent.node)));
		if (agent.workspace === null && agent.life === "live") return { healthy: true, issues: [] };
		return await this.#steps.with(agent, async (checkout) => {
			const health = withProjectProblem(
				await this.workspaces.health(checkout, { commit: agent.seenCommit }),
				await this.workspaces.problem(checkout.project),
			);
			if (health.healthy) await this.#steps.send({ type: "workspace.confirm", agent: agent.id }, { actor: system });
			return withProcesses(health, agent, this.#parts.driver?.processesLeft(agent.id) ?? [], this.#parts.clock.now());
		});
	}

	async snapshots(agent: AgentState): Promise<SnapshotState[] | Refusal> {
		return await this.#steps.with(agent, (checkout) => this.workspaces.snapshots(checkout));
	}

	async showSnapshot(agent: AgentState, id: string, against?: string, what?: DiffExtent): Promise<Diff | Refusal> {
		return await this.#steps.with(agent, (checkout) => this.workspaces.showSnapshot(checkout, id, against, what));
	}

	async restore(agent: AgentState, id: string, by: Requester): Promise<UpdateResult | Refusal> {
		return await this.#update(agent, "restore", by, async (checkout) => {
			const before = "key" in by ? await this.workspaces.snapshots(checkout) : [];
			const earlier = startedStepOf(by, "restore")?.newest;
			const newest = earlier === undefined ? (before[0]?.id ?? null) : earlier;
			await this.#steps.begin(by, { step: "restore", newest });
			const moved = await this.workspaces.restoreSnapshot(checkout, id);
			// the first attempt took the snapshot of the earlier tree
			const first = before.findLast((each) => Number(each.id) > Number(newest ?? 0));
			return isRefusal(moved) || first === undefined ? moved : { ...moved, snapshot: first.id };
		});
	}

	/** Merged first; then the other agents of the project are brought up to date. */
	async approve(
		agent: AgentState,
		request: ApproveOptions,
		by: Requester,
	): Promise<{ merged: Merged; synced: Synced[] } | Refusal> {
		const begun = startedStepOf(by, "approve");
		const project = await this.#projectOf(agent);
		const merged = isMerged(begun?.merged) ? begun.merged : await this.#merges.ofAgent(agent, project, request, by);
		if (isRefusal(merged)) return merged;
		if (project === null) return { merged, synced: [] };
		const isHomeNode = this.sites.isHomeNode(project);
		const synced = isHomeNode ? this.#baseSync.syncAll(project.slug, by) : this.sites.syncFromHomeNode(project, by);
		return { merged, synced: await synced };
	}

	async approveBranch(agent: AgentState, branch: BranchToMerge, by: Requester): Promise<Merged | Refusal> {
		const merged = await this.#merges.ofBranch(agent, branch, by);
		if (!isRefusal(merged)) await this.#baseSync.syncAll(branch.project.slug, by);
		return merged;
	}

	/** Fetches the project's remote; then its agents follow its base. */
	async syncProject(project: ProjectState, by: Requester): Promise<{ origin: RemoteStatus | null; synced: Synced[] }> {
		const origin = await this.workspaces.refresh(projectRepository(project));
		return { origin, synced: await this.#baseSync.syncAll(project.slug, by) };
	}

	/** Its agents of this node follow the base at the project's home node. */
	async syncSite(project: ProjectState, by: Requester): Promise<Synced[]> {
		return await this.#baseSync.syncHere(project, by);
	}

	/** The workspace goes to the trash, with a snapshot; then the agent is deleted. */
	async deleteAgent(
		agent: AgentState,
		request: { force: boolean; deleteBranch: boolean; reason: string },
		by: Requester,
	): Promise<Refusal | null> {
		return await this.#endings.deleteAgent(agent, request, by);
	}

	async #projectOf({ project }: Pick<AgentState, "project">): Promise<ProjectState | null> {
		return project === null ? null : ((await this.#parts.reads.project(project)) ?? null);
	}

	async #update(
		agent: AgentState,
		step: LeaseStep,
		by: Requester,
		work: (checkout: Checkout, control: StepControl) => Promise<UpdateResult | Refusal>,
		how: { fetched?: boolean } = {},
	): Promise<UpdateResult | Refusal> {
		const update = async (checkout: Checkout, control: StepControl, origin: RemoteStatus | null) => {
			const result = await work(checkout, control);
			if (isRefusal(result)) return result;
			const updated = { ...result, origin };
			const event = { kind: "workspace.updated", data: { head: updated.branchStatus.head, step } } as const;
			// even if the branch did not move: files that went into a snapshot are gone from the tree
			const cleaned =
				step === "recover" && updated.snapshot !== null
					? ` What was not committed is in snapshot ${updated.snapshot}.`
					: "";
			const tell = updated.updated || cleaned !== "" ? `${updated.text}${cleaned}` : undefined;
			await this.#steps.record(checkout, event, by, { tell, receipt: answeredWith(updated), frees: true });
			return updated;
		};
		return await this.#steps.leased(agent, step, by, update, how);
	}

	async drain(): Promise<void> {
		this.#baseSync.stop();
		await this.#steps.drain();
	}
}

const isMerged = (value: unknown): value is Merged => typeof value === "object" && value !== null;
