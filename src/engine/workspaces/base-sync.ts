// Brings the agents of a project up to date after its base has moved.
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, type ProjectSlug, system } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Synced, UpdateResult } from "#contract/wire.ts";
import { doneWithin } from "../loop/time-limits.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { baseOf, checkoutOf } from "./checkout.ts";
import type { Sites } from "./sites.ts";
import type { Requester, Steps } from "./steps.ts";

/** how long an answer waits for agents that are being brought up to date */
const syncMs = 10_000;
/** agents that are brought up to date at the same time */
const syncsMax = 8;

/** Null if nothing has to be said about the agent. */
export type SyncResult = Pick<Synced, "updated" | "text"> | null;

/** The result for each agent; `late` for one that was not checked in time. */
const told = (all: readonly AgentState[], found: ReadonlyMap<AgentId, SyncResult>): Synced[] =>
	all.flatMap(({ id, handle }) => {
		const result = found.has(id) ? found.get(id) : late;
		return result ? [{ agent: id, handle, ...result }] : [];
	});

const late = { updated: false, text: "its workspace is still being checked" };

/** The verbs for one agent, and for other nodes. */
interface Verbs extends Pick<Sites, "follow" | "syncOthers"> {
	steps: Pick<Steps, "send">;
	forward(agent: AgentState, by: Requester): Promise<UpdateResult | Refusal>;
	lookAfterCrash(agent: AgentState): Promise<void>;
}

interface BaseSyncParts {
	reads: Pick<Reads, "agent" | "agents" | "project">;
	node: NodeEpoch | null;
	workspaces: Pick<Workspaces, "branchStatus" | "settings">;
}

export class BaseSync {
	readonly #parts: BaseSyncParts;
	readonly #verbs: Verbs;
	readonly #looks = new Successive<AgentId, SyncResult>();
	#stopped = false;

	constructor(parts: BaseSyncParts, verbs: Verbs) {
		this.#parts = parts;
		this.#verbs = verbs;
	}

	/** Starts with no further agent. */
	stop(): void {
		this.#stopped = true;
	}

	/**
	 * Idle, unheld and clean agents without commits of their own move to base; the others are told how far they are
	 * behind. Reading one agent's tree may take for ever: after `syncMs` the answer says so, and the work continues
	 * without it.
	 */
	async syncAll(project: ProjectSlug, by: Requester): Promise<Synced[]> {
		const all = await this.#followers(project);
		const [here, away] = [all.filter((each) => this.#isHere(each)), all.filter((each) => !this.#isHere(each))];
		const row = await this.#parts.reads.project(project);
		const found = new Map<AgentId, SyncResult>();
		const others = row === undefined ? undefined : this.#verbs.syncOthers(away, row, by, found);
		await Promise.all([this.#syncThese(here, by, found), others && doneWithin(syncMs, others)]);
		return told(all, found);
	}

	/** Only those of this node, after its base has followed the home node's. */
	async syncHere(project: ProjectState, by: Requester): Promise<Synced[]> {
		const here = (await this.#followers(project.slug)).filter((each) => this.#isHere(each));
		const found = new Map<AgentId, SyncResult>();
		const inForce = await baseOf(this.#parts.workspaces, project, this.#parts.node?.node);
		const bases = [typeof inForce === "string" ? inForce : [], ...here.map(({ workspace }) => workspace?.base ?? [])];
		for (const base of new Set(bases.flat())) {
			const followed = await this.#verbs.follow(project, base, by);
			const refused = isRefusal(followed) ? followed : followed.notFollowed;
			if (refused === null) continue;
			for (const { id, workspace } of here)
				if (workspace?.base === base) found.set(id, { updated: false, text: refused.message });
		}
		await this.#syncThese(
			here.filter(({ id }) => !found.has(id)),
			by,
			found,
		);
		return told(here, found);
	}

	async #followers(project: ProjectSlug): Promise<AgentState[]> {
		return (await this.#parts.reads.agents({ project, life: "live" })).filter(
			({ workspace }) => workspace !== null && workspace.kind !== "main",
		);
	}

	#isHere(agent: AgentState): boolean {
		return isOwn(this.#parts.node, agent);
	}

	async #syncThese(all: readonly AgentState[], by: Requester, found: Map<AgentId, SyncResult>): Promise<void> {
		const waiting = all.toReversed();
		const work = async (): Promise<void> => {
			for (let agent = waiting.pop(); agent !== undefined && !this.#stopped; agent = waiting.pop()) {
				// of two merges at once, the first may have moved the agent to an older base
				const { id } = agent;
				found.set(id, await this.#looks.run(id, () => this.#looked(id, { actor: by.actor })));
			}
		};
		await doneWithin(syncMs, Promise.all(Array.from({ length: syncsMax }, work)));
	}

	/** Never rejects: a tree that cannot be read must not stop the others. */
	async #looked(id: AgentId, by: Requester): Promise<SyncResult> {
		try {
			const agent = await this.#parts.reads.agent(id);
			return agent === undefined ? null : await this.#bringUpToDate(agent, by);
		} catch {
			return { updated: false, text: "its workspace could not be read" };
		}
	}

	/** Ends the hold of an interrupted sync if it left nothing half done. */
	async #recovered(agent: AgentState): Promise<AgentState> {
		if (!agent.holds.some(({ kind, step }) => kind === "recovery" && step === "sync")) return agent;
		await this.#verbs.lookAfterCrash(agent);
		return (await this.#parts.reads.agent(agent.id)) ?? agent;
	}

	async #bringUpToDate(found: AgentState, by: Requester): Promise<SyncResult> {
		const agent = await this.#recovered(found);
		const checkout = await checkoutOf(this.#parts.reads, agent);
		const status = checkout === null ? null : await this.#parts.workspaces.branchStatus(checkout);
		if (checkout === null || status === null || isRefusal(status))
			return { updated: false, text: "its workspace could not be read" };
		if (status.behind === 0) return null;
		const free = agent.turn === null && agent.holds.length === 0 && agent.lease === null;
		if (free && status.ahead === 0 && !status.uncommitted) {
			const moved = await this.#verbs.forward(agent, by);
			if (!isRefusal(moved)) return { updated: true, text: moved.text };
		}
		const text = `The branch is ${status.behind} ${status.behind === 1 ? "commit" : "commits"} behind ${checkout.workspace.base}.`;
		await this.#verbs.steps.send({ type: "item.append", agent: agent.id, kind: "system", text }, { actor: system });
		return { updated: false, text };
	}
}

interface Execution<R> {
	result: Promise<R>;
	next: Promise<R> | null;
}

/**
 * Runs work that has to see the latest state, one execution per key at a time. Callers during an execution share the
 * next one, which begins when the current one has ended.
 */
export class Successive<K, R> {
	readonly #running = new Map<K, Execution<R>>();

	/** `work` must not reject. */
	async run(key: K, work: () => Promise<R>): Promise<R> {
		const current = this.#running.get(key);
		if (current === undefined) return await this.#start(key, work);
		current.next ??= current.result.then(() => this.#start(key, work));
		return await current.next;
	}

	async #start(key: K, work: () => Promise<R>): Promise<R> {
		const run: Execution<R> = { result: work(), next: null };
		this.#running.set(key, run);
		const result = await run.result;
		if (run.next === null) this.#running.delete(key);
		return result;
	}
}
