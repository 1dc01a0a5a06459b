// Plans turns from the rows as they are, and from when each project last had a turn.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Limits } from "#contract/limits.ts";
import { expected } from "#contract/log.ts";
import { availableAt, isIdle, waitsElsewhere } from "#domain/availability.ts";
import { type Schedule, schedule, type Waiter, type Waiting } from "#domain/schedule.ts";
import { type Capacity, claim } from "#domain/slots.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import { bySystem, type CommandRequest, type Dispatch, type Outcome } from "../ports/dispatch.ts";
import type { Counts, QueueHead, Reads } from "../ports/store.ts";

interface Parts {
	reads: Reads;
	clock: Clock;
	limits: Limits;
}

/** What an agent waits for and when it may be free. */
export interface Availability {
	waitingFor: string | null;
	ahead: number;
	availableAt: number | null;
}

export class Scheduler {
	readonly #parts: Parts;
	/** read from the rows once, then kept up to date here */
	#served: Map<ProjectSlug | null, number> | null = null;
	/** as of the last plan; false before the first */
	#nothingWaits = false;
	#closed = false;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async plan(): Promise<Schedule> {
		const plan = await this.#planFor(this.#parts.reads.queueHeads(this.#parts.clock.now()));
		this.#nothingWaits = !this.#closed && plan.waits.size === 0;
		return plan;
	}

	/**
	 * A prompt that is queued while nothing waits starts its turn at once: there is no order to keep. Dispatched right after
	 * the prompt, so that both are in one commit; whether there is a slot is decided there, as for any start.
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

	/** Remembers which projects were served. */
	async started(plan: Schedule): Promise<void> {
		const served = await this.#lastServed();
		for (const [at, { agent }] of plan.starts.entries()) served.set(agent.project, this.#parts.clock.now() + at / 1000);
	}

	/** The agents that are free and could start a turn at once. */
	async available(agents: readonly AgentState[]): Promise<AgentState[]> {
		const [capacity, counts] = [await this.#capacity(), await this.#parts.reads.counts()];
		return agents.filter(
			(agent) =>
				agent.supervisor !== null &&
				agent.issue === null &&
				isReady(agent) &&
				(counts.get(agent.id)?.queueLength ?? 0) === 0 &&
				"subscription" in claim(agent, capacity),
		);
	}

	/** The time that cool-downs are measured in. */
	monotonic(): number {
		return monotonicNow(this.#parts.clock);
	}

	/** Agents without a turn or prompts are left out. */
	async availability(
		agents: readonly AgentState[],
		counts: ReadonlyMap<AgentId, Counts>,
	): Promise<Map<AgentId, Availability>> {
		const { reads, clock } = this.#parts;
		const now = clock.now();
		const length = ({ id }: AgentState): number => counts.get(id)?.queueLength ?? 0;
		const busy = agents.filter((agent) => agent.turn !== null || length(agent) > 0);
		if (busy.length === 0) return new Map();
		const heads = await reads.queueHeads(now);
		const { waits } = await this.#planFor(Promise.resolve(heads));
		const availability = new Map<AgentId, Availability>();
		for (const agent of busy) {
			const head = heads.find((each) => each.agent.id === agent.id)?.head;
			const waiting = waits.get(agent.id) ?? (length(agent) === 0 ? null : await this.#elsewhere(agent, head));
			const free = availableAt(agent, length(agent), now);
			availability.set(agent.id, { waitingFor: waiting?.why ?? null, ahead: waiting?.ahead ?? 0, availableAt: free });
		}
		return availability;
	}

	async #planFor(queueHeads: Promise<readonly { agent: AgentState; head: QueueHead }[]>): Promise<Schedule> {
		// each read is a round trip to the store, so they are sent together
		const [heads, capacity, waiters, served] = await Promise.all([
			queueHeads,
			this.#capacity(),
			this.#waiters(),
			this.#lastServed(),
		]);
		const ready = heads.filter(({ agent, head }) => isIdle(agent) && (head.manual || agent.holds.length === 0));
		return schedule({ ...capacity, heads: ready.map(({ agent, head }) => ({ agent, ...head })), waiters, served });
	}

	async #lastServed(): Promise<Map<ProjectSlug | null, number>> {
		if (this.#served === null) {
			const found = await this.#parts.reads.lastServed();
			this.#served ??= found;
		}
		return this.#served;
	}

	async #waiters(): Promise<Waiter[]> {
		const { reads } = this.#parts;
		const waiters: Waiter[] = [];
		for (const wait of await reads.openWaits()) {
			if (wait.ready === null || wait.agent === null || wait.turn === null) continue;
			const [agent, turn] = await Promise.all([reads.agent(wait.agent), reads.turn(wait.turn)]);
			if (agent !== undefined && turn?.state === "open")
				waiters.push({ agent, wait: wait.id, subscription: turn.subscription });
		}
		return waiters;
	}

	async #capacity(): Promise<Capacity> {
		const { reads, limits, clock } = this.#parts;
		const [subscriptions, projects, leases] = await Promise.all([
			reads.subscriptions(),
			reads.projects(),
			reads.leases(),
		]);
		const { turnsMax } = limits;
		return { subscriptions, projects, leases, turnsMax, now: clock.now(), monotonic: monotonicNow(clock) };
	}

	/** Why an agent's next prompt does not start, if not for want of a slot. */
	async #elsewhere(agent: AgentState, head: QueueHead | undefined): Promise<Waiting | null> {
		const known = waitsElsewhere(agent, true, []);
		if (known !== null || head !== undefined) return known;
		const prompts = await this.#parts.reads.prompts(agent.id);
		return waitsElsewhere(
			agent,
			false,
			prompts.flatMap(({ notBefore }) => notBefore ?? []),
		);
	}
}

const isReady = (agent: AgentState): boolean => isIdle(agent) && agent.holds.length === 0;
