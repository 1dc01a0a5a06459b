// Brings the agents of a project up to date after its base has moved.
import type { AgentState } from "#contract/agent.ts";
import { type AgentId, type ProjectSlug, system } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { MoveResult, Synced } from "#contract/wire.ts";
import { doneWithin } from "../loop/time-limits.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { checkoutOf } from "./checkout.ts";
import type { Requester, Steps } from "./steps.ts";

/** how long an answer waits for agents that are being brought up to date */
const syncMs = 10_000;
/** agents that are brought up to date at the same time */
const syncsMax = 8;

/** Null if nothing has to be said about the agent. */
type Result = Pick<Synced, "moved" | "text"> | null;

/** The verbs for one agent. */
interface Verbs {
	steps: Pick<Steps, "send">;
	forward(agent: AgentState, by: Requester): Promise<MoveResult | Refusal>;
	lookAfterCrash(agent: AgentState): Promise<void>;
}

interface BaseSyncParts {
	reads: Pick<Reads, "agent" | "agents" | "project">;
	workspaces: Pick<Workspaces, "branchStatus">;
}

export class BaseSync {
	readonly #parts: BaseSyncParts;
	readonly #verbs: Verbs;
	readonly #looks = new Successive<AgentId, Result>();
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
	 * Idle, unheld and clean agents without commits of their own move to base; the others are told how far they are behind.
	 * Reading one agent's tree may take for ever: after `syncMs` the answer says so, and the work continues without it.
	 */
	async syncAll(project: ProjectSlug, by: Requester): Promise<Synced[]> {
		const all = (await this.#parts.reads.agents({ project, life: "live" })).filter(
			({ workspace }) => workspace !== null && workspace.kind !== "main",
		);
		const waiting = all.toReversed();
		const found = new Map<AgentId, Result>();
		const work = async (): Promise<void> => {
			for (let agent = waiting.pop(); agent !== undefined && !this.#stopped; agent = waiting.pop()) {
				// of two merges at once, the first may have moved the agent to an older base
				const { id } = agent;
				found.set(id, await this.#looks.run(id, () => this.#looked(id, { actor: by.actor })));
			}
		};
		await doneWithin(syncMs, Promise.all(Array.from({ length: syncsMax }, work)));
		return all.flatMap(({ id, handle }) => {
			const result = found.has(id) ? found.get(id) : { moved: false, text: "its workspace is still being checked" };
			return result ? [{ agent: id, handle, ...result }] : [];
		});
	}

	/** Never rejects: a tree that cannot be read must not stop the others. */
	async #looked(id: AgentId, by: Requester): Promise<Result> {
		try {
			const agent = await this.#parts.reads.agent(id);
			return agent === undefined ? null : await this.#bringUpToDate(agent, by);
		} catch {
			return { moved: false, text: "its workspace could not be read" };
		}
	}

	/** Ends the hold of an interrupted sync if it left nothing half done. */
	async #recovered(agent: AgentState): Promise<AgentState> {
		if (!agent.holds.some(({ kind, step }) => kind === "recovery" && step === "sync")) return agent;
		await this.#verbs.lookAfterCrash(agent);
		return (await this.#parts.reads.agent(agent.id)) ?? agent;
	}

	async #bringUpToDate(found: AgentState, by: Requester): Promise<Result> {
		const agent = await this.#recovered(found);
		const checkout = await checkoutOf(this.#parts.reads, agent);
		const status = checkout === null ? null : await this.#parts.workspaces.branchStatus(checkout);
		if (checkout === null || status === null || isRefusal(status))
			return { moved: false, text: "its workspace could not be read" };
		if (status.behind === 0) return null;
		const free = agent.turn === null && agent.holds.length === 0 && agent.lease === null;
		if (free && status.ahead === 0 && !status.uncommitted) {
			const moved = await this.#verbs.forward(agent, by);
			if (!isRefusal(moved)) return { moved: true, text: moved.text };
		}
		const text = `The branch is ${status.behind} ${status.behind === 1 ? "commit" : "commits"} behind ${checkout.workspace.base}.`;
		await this.#verbs.steps.send({ type: "item.append", agent: agent.id, kind: "system", text }, { actor: system });
		return { moved: false, text };
	}
}

interface Execution<R> {
	result: Promise<R>;
	next: Promise<R> | null;
}

/**
 * Runs work that has to see the latest state, one execution per key at a time. Callers during an execution share the next
 * one, which begins when the current one has ended.
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
