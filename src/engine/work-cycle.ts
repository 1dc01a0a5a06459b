// The verbs that people and agents use on a workspace. Each takes a lease on it, lets git do its step, and writes down what came
// of it in the name of whoever asked; the lease is given back whatever happened. What may be done when is decided where the
// lease is; what git can do is known only when it has tried.
import type { AgentState } from "#contract/agent.ts";
import { type LeaseStep, type Recorded, WorkspaceFact } from "#contract/cycle.ts";
import { type Actor, type AgentId, agentOf, Key, type ProjectSlug, system } from "#contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Committed, Diff, Health, Merged, MergeStrategy, SyncStrategy } from "#contract/workspace.ts";
import { withProcesses } from "#domain/health.ts";
import type { Driver } from "./driver.ts";
import { mayPass, patiently } from "./patience.ts";
import type { Clock, Dispatch, Reads } from "./ports.ts";
import { pushAfterTurn } from "./pushing.ts";
import { approvedIn, stayOf } from "./stay.ts";
import type { AtHome, Live, Snapshot, Stay, Workspaces } from "./workspaces.ts";

export interface CycleParts {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces;
	clock: Clock;
	driver: Pick<Driver, "leftovers"> | null;
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
	readonly #stop = new AbortController();
	readonly #forEver = new AbortController().signal;
	readonly #running = new Set<Promise<void>>();

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

	async commit(
		agent: AgentState,
		wish: { message: string; paths?: readonly string[] | undefined },
		by: Actor,
		key: Key | null = null,
	): Promise<Committed | Refusal> {
		const before = key === null ? undefined : await this.#committedUnder(agent, key);
		if (before !== undefined) return before;
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
			await this.#record(stay, { kind: "workspace.committed", data }, by, tell, key);
			return made;
		});
	}

	/** What was committed after the turn had been pushed. */
	async push(agent: AgentState): Promise<void> {
		await pushAfterTurn(this.#parts, agent);
	}

	/** A retry under the same key is answered with the commit that was made then. */
	async #committedUnder(agent: AgentState, key: Key): Promise<Committed | undefined> {
		const events = await this.#parts.reads.events({ after: 0, limit: Number.MAX_SAFE_INTEGER, agent: agent.id, kind: "workspace.committed" });
		const event = events.find(({ command }) => command === doneKey(key));
		const fact = event === undefined ? undefined : WorkspaceFact.safeParse(event).data;
		if (fact?.kind !== "workspace.committed") return undefined;
		const { commit, branch, files } = fact.data;
		return { commit, branch, files: files.map((each) => ({ status: each.slice(0, 1), path: each.slice(2) })), left: [], trailers: {} };
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

	/** A snapshot first, then home, or only as much of it as is needed; the holds that trouble set are over with it. */
	async recover(agent: AgentState, by: Actor): Promise<AtHome | Refusal | null> {
		if (agent.workspace !== null && agent.life === "live") {
			const trouble = agent.holds.map(({ kind }) => kind);
			// nothing of ours went wrong there: somebody else changed it, and may have meant to
			const drifted = trouble.includes("dirty") && !trouble.includes("recovery") && !trouble.includes("error") ? { seen: agent.seenCommit } : undefined;
			const home = await this.#move(agent, "recover", by, async (stay, live) => await this.workspaces.recover(stay, live, drifted));
			if (isRefusal(home)) return home;
			return (await this.#say({ type: "agent.recover", agent: agent.id }, by)) ?? home;
		}
		return await this.#say({ type: "agent.recover", agent: agent.id }, by);
	}

	async health(agent: AgentState): Promise<Health | Refusal> {
		return await this.#with(agent, async (stay) => {
			const health = await this.workspaces.health(stay, { commit: agent.seenCommit });
			if (health.healthy) await this.#say({ type: "workspace.found", agent: agent.id }, system);
			return withProcesses(health, agent, this.#parts.driver?.leftovers(agent.id) ?? [], this.#parts.clock.now());
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
			if (result.push !== null) await this.#record(stay, { kind: "workspace.pushed", data: result.push }, by);
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
			// one tree that cannot be read must not keep the others from being brought up to date
			const text = await this.#upToDate(agent, by).catch(() => ({ moved: false, text: "its workspace could not be looked at" }));
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
	async remove(agent: AgentState, wish: { force: boolean; branch: boolean; reason: string }, by: Actor, key: Key | null = null): Promise<Refusal | null> {
		const shared = (await this.#parts.reads.agents()).some(
			(other) => other.id !== agent.id && other.life !== "ended" && other.workspace?.path === agent.workspace?.path,
		);
		const command = { type: "agent.delete", agent: agent.id, reason: wish.reason };
		const gone = agent.workspace === null || agent.workspaceRemovedAt !== null;
		// the repository itself is nobody's to remove, and what others work in stays for them
		if (gone || shared || agent.workspace?.kind === "main") return await this.#say({ ...command, force: wish.force }, by, key);
		const waiting = (await this.#parts.reads.prompts(agent.id)).length;
		if (waiting > 0 && !wish.force) return await this.#say({ ...command, force: false }, by);
		// while the lease is there no prompt is taken, so that none is thrown away
		const removed = await this.#leased(agent, "delete", by, async (stay, live) => {
			const result = await this.workspaces.remove(stay, { ...live, force: wish.force, branch: wish.branch });
			return isRefusal(result) ? result : ((await this.#say({ ...command, force: true }, by, key)) ?? result);
		});
		return isRefusal(removed) ? removed : null;
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
			// also when the branch stayed where it was: files that were put into a snapshot are no longer there
			const cleaned = step === "recover" && home.snapshot !== null ? ` What was not committed is in snapshot ${home.snapshot}.` : "";
			await this.#record(stay, fact, by, home.moved || cleaned !== "" ? `${home.text}${cleaned}` : undefined);
			return home;
		});
	}

	/** Does a step of git's while nobody else is at the workspace. */
	async #leased<T extends object>(agent: AgentState, step: LeaseStep, by: Actor, work: (stay: Stay, live: Live) => Promise<T | Refusal>): Promise<T | Refusal> {
		const refusal = await this.#say({ type: "workspace.lease", agent: agent.id, step }, by);
		if (refusal !== null) return refusal;
		const working = this.#work(agent, work);
		const over = working.then(
			() => {},
			() => {},
		);
		this.#running.add(over);
		void over.then(() => this.#running.delete(over));
		return await working;
	}

	async #work<T extends object>(agent: AgentState, work: (stay: Stay, live: Live) => Promise<T | Refusal>): Promise<T | Refusal> {
		try {
			const approved = await approvedIn(this.#parts.reads, agent);
			return await this.#with(agent, async (stay) => {
				await this.#refresh(agent);
				return await work(stay, { approved, signal: this.#stop.signal });
			});
		} finally {
			await this.#surely({ type: "workspace.free", agent: agent.id }, system);
		}
	}

	/** A mirror is brought up to date before anything is measured against it; a remote that is away is no reason to wait. */
	async #refresh({ project: slug }: Pick<AgentState, "project">): Promise<void> {
		const project = slug === null ? undefined : await this.#parts.reads.project(slug);
		if (project?.url != null) await this.workspaces.refresh(project, { signal: this.#stop.signal });
	}

	/** Commands of projects that are still running are ended; what git was doing is waited for. */
	async drain(): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#running);
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

	/** What git did is written down whatever stands in the way now: it has happened. */
	async #record({ agent }: Stay, fact: Recorded, by: Actor, tell?: string, key: Key | null = null): Promise<void> {
		const command = { type: "workspace.record", agent: agent.id, fact, ...(tell !== undefined && { tell: tell.slice(0, 10_000) }) };
		await this.#surely(command, by, key === null ? null : doneKey(key));
	}

	async #surely(command: object, by: Actor, key: Key | null = null): Promise<void> {
		await patiently(() => this.#parts.dispatch({ actor: by, key, command }), mayPass, this.#forEver);
	}

	async #say(command: object, by: Actor, key: Key | null = null): Promise<Refusal | null> {
		const outcome = await this.#parts.dispatch({ actor: by, key, command });
		return "refused" in outcome ? outcome.refused : null;
	}
}

/** The key of a step's own record, which follows from the key of whoever asked for the step. */
const doneKey = (key: Key): Key => Key.parse(`${key.slice(0, 190)}:done`);
