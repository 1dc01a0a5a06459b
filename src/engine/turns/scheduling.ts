// Plans turns from the rows as they are, and from when each project last had a turn.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { expected } from "#contract/log.ts";
import { isActive, type NodeEpoch } from "#contract/node.ts";
import { mayStart, whyNotFree } from "#domain/availability.ts";
import { type Continuation, type Schedule, schedule } from "#domain/schedule.ts";
import type { Capacity } from "#domain/slots.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import { bySystem, type CommandRequest, type Dispatch, type Outcome } from "../ports/dispatch.ts";
import type { QueueHead, Reads } from "../ports/store.ts";

interface Parts {
	reads: Reads;
	clock: Clock;
	limits: Limits;
	/** this node; null where nodes do not matter */
	node: NodeEpoch | null;
}

export class Scheduler {
	readonly #parts: Parts;
	/** read from the rows once, then kept up to date here */
	#served: Map<ProjectSlug | null, number> | null = null;
	/** of these agents turns were started since the last schedule, and when */
	readonly #newStarts = new Map<AgentId, number>();
	/** as of the last schedule; false before the first */
	#nothingWaits = false;
	#closed = false;
	/** other nodes are active: only the agent's own node starts its turns, and it sees the prompt in the journal */
	#hasPeers = false;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async schedule(): Promise<Schedule> {
		const schedule = await this.#scheduleFor(this.#parts.reads.queueHeads(this.#parts.clock.now()));
		this.#nothingWaits = !this.#closed && schedule.notStarted.size === 0 && !this.#hasPeers;
		return schedule;
	}

	/** Who waits for what now, for those who want to see it. */
	async outlook(): Promise<Pick<Schedule, "notStarted">> {
		return await this.#scheduleFor(this.#parts.reads.queueHeads(this.#parts.clock.now()));
	}

	/**
	 * A prompt that is queued while nothing waits starts its turn at once: there is no order to keep. Dispatched right
	 * after the prompt, so that both are in one commit; whether there is a slot is decided there, as for any start.
	 */
	startAtOnce({ command }: CommandRequest, dispatch: Dispatch): void {
		if (command.type !== "prompt.queue" || !this.#nothingWaits) return;
		const started = (outcome: Outcome): void => {
			if ("refused" in outcome) this.#nothingWaits = false;
			else this.#served = null;
		};
		void dispatch(bySystem({ type: "turn.start", agent: command.agent })).then(
			started,
			expected("the prompt failed too, or the next look starts its turn"),
		);
	}

	/** No further turns are started. */
	close(): void {
		this.#closed = true;
		this.#nothingWaits = false;
	}

	/** A turn was started, at whichever node. Nodes that differed about it might each leave a slot to another one. */
	noteStart(agent: AgentId, at: number): void {
		if (this.#hasPeers) this.#newStarts.set(agent, at);
	}

	/** What was served is read from the rows again. */
	forget(): void {
		this.#served = null;
	}

	/** Remembers which projects were served; where there are other nodes, only what was really started counts. */
	async rememberServed(schedule: Schedule): Promise<void> {
		if (this.#hasPeers) return;
		const served = await this.#lastServed();
		for (const [at, { agent }] of schedule.starts.entries())
			served.set(agent.project, this.#parts.clock.now() + at / 1000);
	}

	/** For each living agent but agent 0: why it could not start new work at once; null if it could. */
	async whyNotFree(
		agents: readonly AgentState[],
		capacity: Capacity,
	): Promise<Map<AgentState, ReturnType<typeof whyNotFree>>> {
		const living = agents.filter(({ supervisor, life }) => supervisor !== null && life !== "ended");
		const ids = living.map(({ id }) => id);
		const pending = await this.#parts.reads.pendingWork(ids, this.#parts.clock.now());
		return new Map(
			living.map((agent) => [agent, whyNotFree(agent, pending.get(agent.id)?.queueLength ?? 0, capacity)]),
		);
	}

	/** The time that cool-downs are measured in. */
	monotonic(): number {
		return monotonicNow(this.#parts.clock);
	}

	async #scheduleFor(queueHeads: Promise<readonly { agent: AgentState; head: QueueHead }[]>): Promise<Schedule> {
		// each read is a round trip to the store, so they are sent together
		const [heads, capacity, waiters, served] = await Promise.all([
			queueHeads,
			this.capacity(),
			this.#waiters(),
			this.#lastServed(),
		]);
		const ready = heads.filter(({ agent, head }) => mayStart(agent, head));
		return schedule({ ...capacity, heads: ready.map(({ agent, head }) => ({ agent, ...head })), waiters, served });
	}

	async #lastServed(): Promise<Map<ProjectSlug | null, number>> {
		const { reads } = this.#parts;
		const starts = [...this.#newStarts];
		this.#newStarts.clear();
		if (this.#served === null) {
			const found = await reads.lastServed();
			this.#served ??= found;
		}
		const served = this.#served;
		const agents = await Promise.all(starts.map(([id]) => reads.agent(id)));
		for (const [at, agent] of agents.entries())
			if (agent !== undefined)
				served.set(agent.project, Math.max(served.get(agent.project) ?? 0, starts[at]?.[1] ?? 0));
		return served;
	}

	async #waiters(): Promise<Continuation[]> {
		const { reads } = this.#parts;
		const waiters: Continuation[] = [];
		for (const wait of await reads.openWaits()) {
			if (wait.ready === null || wait.agent === null || wait.turn === null) continue;
			const [agent, turn] = await Promise.all([reads.agent(wait.agent), reads.turn(wait.turn)]);
			if (agent !== undefined && turn?.state === "open")
				waiters.push({ agent, wait: wait.id, subscription: turn.subscription });
		}
		return waiters;
	}

	/** The places on the machine, the slots of subscriptions, and who has them now. */
	async capacity(): Promise<Capacity> {
		const { reads, limits, clock } = this.#parts;
		const [subscriptions, projects, leases, nodes] = await Promise.all([
			reads.subscriptions(),
			reads.projects(),
			reads.turnLeases(),
			reads.nodes(),
		]);
		this.#hasPeers = nodes.filter(isActive).length > 1;
		const [{ turnsMax }, node] = [limits, this.#parts.node?.node ?? null];
		return { subscriptions, projects, leases, nodes, node, turnsMax, now: clock.now(), monotonic: monotonicNow(clock) };
	}
}
