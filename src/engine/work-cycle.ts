// The verbs that people and agents use on a workspace. Each takes a lease on it, lets git do its step, and writes down what came
// of it in the name of whoever asked; the lease is given back whatever happened. What may be done when is decided where the
// lease is; what git can do is known only when it has tried.
import type { AgentState } from "#contract/agent.ts";
import type { LeaseStep, Recorded } from "#contract/cycle.ts";
import { type Actor, type AgentId, agentOf, type ProjectSlug, system } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Committed, Diff, Health, Merged, MergeStrategy, SyncStrategy } from "#contract/workspace.ts";
import type { Dispatch, Reads } from "./ports.ts";
import { snapshot } from "./reactors/tree.ts";
import { approvedIn, stayOf } from "./stay.ts";
import type { AtHome, Live, Snapshot, Stay, Workspaces } from "./workspaces.ts";

export interface CycleParts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces;
}

/** What became of another agent after a merge. */
export interface Synced {
	agent: AgentId;
	handle: string;
	moved: boolean;
	text: string;
}

export class WorkCycle {
	readonly #parts: CycleParts;

	constructor(parts: CycleParts) {
		this.#parts = parts;
	}

	get workspaces(): Workspaces {
		return this.#parts.workspaces;
	}

	async diff(agent: AgentState, against: "base" | "index" | AgentState): Promise<Diff | Refusal> {
		return await this.#with(agent, async (stay) => {
			if (typeof against === "string") return await this.workspaces.diff(stay, { kind: against });
			return await this.#with(against, (other) => this.workspaces.diff(stay, { kind: "agent", stay: other }));
		});
	}

	async commit(agent: AgentState, wish: { message: string; paths?: readonly string[] | undefined }, by: Actor): Promise<Committed | Refusal> {
		return await this.#leased(agent, "commit", by, async (stay) => {
			const turn = agent.turn?.id;
			const { message, paths } = wish;
			const made = await this.workspaces.commit(stay, {
				message,
				...(paths && { paths }),
				...(turn !== undefined && { turn }),
				...(agent.issue !== null && { stage: agent.issue.stage }),
			});
			if (isRefusal(made)) return made;
			const files = made.files.map(({ status, path }) => `${status} ${path}`);
			const data = { commit: made.commit, branch: made.branch, files: files.slice(0, 100), filesTotal: files.length, turn: turn ?? null };
			// the agent knows what it did itself; anybody else's commit it has to be told of
			const tell = agentOf(by) === agent.id ? undefined : `Your work was committed as ${made.commit.slice(0, 10)}: ${message.split("\n", 1)[0]}`;
			await this.#record(stay, { kind: "workspace.committed", data }, by, tell);
			return made;
		});
	}

	async sync(agent: AgentState, strategy: SyncStrategy, by: Actor): Promise<AtHome | Refusal> {
		return await this.#move(agent, "sync", by, async (stay, live) => await this.workspaces.sync(stay, strategy, live));
	}

	async release(agent: AgentState, by: Actor): Promise<AtHome | Refusal> {
		return await this.#move(agent, "release", by, async (stay, live) => await this.workspaces.release(stay, live));
	}

	/** To the branch of an issue, or home from it: from then on that branch is the workspace's own. */
	async enter(agent: AgentState, branch: string, by: Actor): Promise<AtHome | Refusal> {
		return await this.#move(
			agent,
			"release",
			by,
			async (stay, live) => await this.workspaces.enter({ ...stay, workspace: { ...stay.workspace, branch } }, live),
		);
	}

	/** A snapshot first, then home; the holds that trouble set are over with it. */
	async recover(agent: AgentState, by: Actor): Promise<AtHome | Refusal | null> {
		if (agent.workspace !== null && agent.life === "live") {
			const home = await this.#move(agent, "recover", by, async (stay, live) => await this.workspaces.recover(stay, live));
			if (isRefusal(home)) return home;
			return (await this.#say({ type: "agent.recover", agent: agent.id }, by)) ?? home;
		}
		return await this.#say({ type: "agent.recover", agent: agent.id }, by);
	}

	async health(agent: AgentState): Promise<Health | Refusal> {
		return await this.#with(agent, async (stay) => {
			const health = await this.workspaces.health(stay, { commit: agent.seenCommit });
			if (health.healthy) await this.#say({ type: "workspace.found", agent: agent.id }, system);
			return health;
		});
	}

	async snapshots(agent: AgentState): Promise<Snapshot[] | Refusal> {
		return await this.#with(agent, (stay) => this.workspaces.snapshots(stay));
	}

	async showSnapshot(agent: AgentState, id: string): Promise<Diff | Refusal> {
		return await this.#with(agent, (stay) => this.workspaces.showSnapshot(stay, id));
	}

	async restore(agent: AgentState, id: string, by: Actor): Promise<AtHome | Refusal> {
		return await this.#move(agent, "restore", by, (stay) => this.workspaces.restoreSnapshot(stay, id));
	}

	/** Merged first; then the other agents of the project are brought up to date, one by one. */
	async approve(
		agent: AgentState,
		wish: { commit?: string | undefined; strategy?: MergeStrategy | undefined; message?: string | undefined },
		by: Actor,
	): Promise<{ merged: Merged; synced: Synced[] } | Refusal> {
		const merged = await this.#leased(agent, "approve", by, async (stay, live) => {
			const pinned = wish.commit === undefined ? await this.#tip(stay) : { commit: wish.commit };
			if (isRefusal(pinned)) return pinned;
			const { strategy, message } = wish;
			const result = await this.workspaces.approve(stay, { ...live, commit: pinned.commit, ...(strategy && { strategy }), ...(message && { message }) });
			if (isRefusal(result)) return result;
			const { reviewed, commit, base } = result;
			const fact = { kind: "workspace.merged", data: { reviewed, commit, strategy: result.strategy, into: base.branch, before: base.before } } as const;
			await this.#record(stay, fact, by, `Your commit ${reviewed.slice(0, 10)} was merged into ${base.branch} as ${commit.slice(0, 10)}.`);
			return result;
		});
		if (isRefusal(merged)) return merged;
		return { merged, synced: agent.project === null ? [] : await this.syncProject(agent.project, by) };
	}

	/** Idle, unheld and clean agents with nothing of their own go to base; the others are told how far they are behind. */
	async syncProject(project: ProjectSlug, by: Actor): Promise<Synced[]> {
		const synced: Synced[] = [];
		for (const agent of await this.#parts.reads.agents({ project })) {
			if (agent.life !== "live" || agent.workspace === null || agent.workspace.kind === "main") continue;
			const { id, handle } = agent;
			const text = await this.#upToDate(agent, by);
			if (text !== null) synced.push({ agent: id, handle, ...text });
		}
		return synced;
	}

	async #upToDate(agent: AgentState, by: Actor): Promise<{ moved: boolean; text: string } | null> {
		const stay = await stayOf(this.#parts.reads, agent);
		const standing = stay === null ? null : await this.workspaces.standing(stay);
		if (stay === null || standing === null || isRefusal(standing)) return { moved: false, text: "its workspace could not be looked at" };
		if (standing.behind === 0) return null;
		const free = agent.turn === null && agent.holds.length === 0 && agent.lease === null;
		if (free && standing.ahead === 0 && !standing.dirty) {
			const moved = await this.sync(agent, "ff", by);
			if (!isRefusal(moved)) return { moved: true, text: moved.text };
		}
		const text = `Your branch is ${standing.behind} ${standing.behind === 1 ? "commit" : "commits"} behind ${stay.workspace.base}.`;
		await this.#say({ type: "item.append", agent: agent.id, kind: "system", text }, system);
		return { moved: false, text };
	}

	/** The workspace goes to the trash, with a snapshot; then the agent is deleted. */
	async remove(agent: AgentState, wish: { force: boolean; branch: boolean; reason: string }, by: Actor): Promise<Refusal | null> {
		const shared = (await this.#parts.reads.agents()).some(
			(other) => other.id !== agent.id && other.life !== "ended" && other.workspace?.path === agent.workspace?.path,
		);
		const command = { type: "agent.delete", agent: agent.id, reason: wish.reason };
		if (agent.workspace === null || agent.workspaceRemovedAt !== null || shared) return await this.#say({ ...command, force: wish.force }, by);
		const waiting = (await this.#parts.reads.prompts(agent.id)).length;
		if (waiting > 0 && !wish.force) return await this.#say({ ...command, force: false }, by);
		const gone = await this.#leased(
			agent,
			"delete",
			by,
			async (stay, live) => await this.workspaces.remove(stay, { ...live, force: wish.force, branch: wish.branch }),
		);
		if (isRefusal(gone)) return gone;
		return await this.#say({ ...command, force: true }, by);
	}

	/** The tree as it is at this moment, for a fork: the id of its snapshot. */
	async snapshotNow(agent: AgentState): Promise<string | null> {
		const stay = await stayOf(this.#parts.reads, agent);
		return stay === null ? null : ((await snapshot(this.#parts, stay, { reason: "fork" }))?.id ?? null);
	}

	/** The snapshot that was taken at the end of a turn; the refusal names the nearest that is still there. */
	async snapshotOfTurn(agent: AgentState, turn: number): Promise<{ id: string } | Refusal> {
		const all = await this.snapshots(agent);
		if (isRefusal(all)) return all;
		const exact = all.find((each) => each.turn === turn);
		if (exact !== undefined) return { id: exact.id };
		const earlier = all.find((each) => each.turn !== null && each.turn <= turn) ?? all.at(-1);
		return refuse("SNAPSHOT_GONE", `There is no snapshot of the files at the end of turn ${turn} of ${agent.handle}.`, {
			details: { agent: agent.id, turn, nearest: earlier?.id ?? null, nearestTurn: earlier?.turn ?? null },
			suggestions: [`brood snapshot list ${agent.handle}`],
		});
	}

	async #tip(stay: Stay): Promise<{ commit: string } | Refusal> {
		const standing = await this.workspaces.standing(stay);
		if (isRefusal(standing)) return standing;
		if (standing.head !== null) return { commit: standing.head };
		return refuse("AGENT_NO_COMMIT", `${stay.agent.handle} has no commit yet.`, { suggestions: [`brood agent diff ${stay.agent.handle}`] });
	}

	async #move(agent: AgentState, step: LeaseStep, by: Actor, work: (stay: Stay, live: Live) => Promise<AtHome | Refusal>): Promise<AtHome | Refusal> {
		return await this.#leased(agent, step, by, async (stay, live) => {
			const home = await work(stay, live);
			if (isRefusal(home)) return home;
			const fact = { kind: "workspace.moved", data: { head: home.standing.head, step } } as const;
			await this.#record(stay, fact, by, home.moved ? home.text : undefined);
			return home;
		});
	}

	/** Does a step of git's while nobody else is at the workspace. */
	async #leased<T extends object>(agent: AgentState, step: LeaseStep, by: Actor, work: (stay: Stay, live: Live) => Promise<T | Refusal>): Promise<T | Refusal> {
		const refusal = await this.#say({ type: "workspace.lease", agent: agent.id, step }, by);
		if (refusal !== null) return refusal;
		try {
			const approved = await approvedIn(this.#parts.reads, agent);
			return await this.#with(agent, (stay) => work(stay, { approved }));
		} finally {
			await this.#say({ type: "workspace.free", agent: agent.id }, system);
		}
	}

	async #with<T extends object>(agent: AgentState, work: (stay: Stay) => Promise<T | Refusal>): Promise<T | Refusal> {
		const stay = await stayOf(this.#parts.reads, agent);
		if (stay === null)
			return refuse("VALIDATION_ERROR", `${agent.handle} has no workspace.`, {
				details: { agent: agent.id },
				suggestions: [`brood agent status ${agent.handle}`],
			});
		return await work(stay);
	}

	async #record({ agent }: Stay, fact: Recorded, by: Actor, tell?: string): Promise<void> {
		await this.#say({ type: "workspace.record", agent: agent.id, fact, ...(tell !== undefined && { tell: tell.slice(0, 10_000) }) }, by);
	}

	async #say(command: object, by: Actor): Promise<Refusal | null> {
		const outcome = await this.#parts.dispatch({ actor: by, key: null, command });
		return "refused" in outcome ? outcome.refused : null;
	}
}
