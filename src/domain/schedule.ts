// The scheduler: a pure function from waiting turns, queue heads and capacity to who continues, who starts, and why the
// others do not.
//
//   turns that waited and may go on ─▶ heads that continue a wait ─▶ heads started by hand ─▶ all other heads
//
// Within an agent the queue's order holds: only its head is considered here. Within a project the higher priority comes
// first, and each minute of waiting counts as one more. Between projects the same rule applies to the time since the
// project last started a turn, so a long queue gets no more than a short one. So nothing waits for ever, and nothing
// starts over a limit.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { turnSources } from "#contract/turn.ts";
import {
	type Capacity,
	type Claim,
	type Claimant,
	claim,
	claimAgain,
	countsAgainstTurnsMax,
	type Shortage,
	shortageText,
} from "./slots.ts";

type WaitingAgent = Claimant & Pick<AgentState, "id">;

/** The head of an agent's queue, with what capacity depends on. */
export interface ScheduledHead {
	agent: WaitingAgent;
	prompt: number;
	priority: number;
	manual: boolean;
	source: (typeof turnSources)[number];
	/** when it became due */
	since: number;
}

/** An open turn whose wait is over and that has to claim its capacity again. */
export interface Continuation {
	agent: WaitingAgent;
	wait: number;
	subscription: SubscriptionName | null;
}

export interface ScheduleFacts extends Capacity {
	heads: readonly ScheduledHead[];
	waiters: readonly Continuation[];
	/** when a turn of a project was last started */
	served: ReadonlyMap<ProjectSlug | null, number>;
}

export interface NotStarted {
	/** a phrase for people */
	why: string;
	/** how many come first among those that wait for the same capacity */
	ahead: number;
}

export interface Schedule {
	continues: Continuation[];
	starts: ScheduledHead[];
	/** those that do not start, and why */
	notStarted: Map<AgentId, NotStarted>;
	/** the next time at which an agent may start because time has passed */
	nextAt: number | null;
}

const agingMs = 60_000;

export function schedule(facts: ScheduleFacts): Schedule {
	const made: Schedule = { continues: [], starts: [], notStarted: new Map(), nextAt: null };
	const remaining = new RemainingCapacity(facts, made);
	for (const waiter of facts.waiters.toSorted((a, b) => a.wait - b.wait)) {
		if (remaining.take(waiter.agent, (capacity) => claimAgain(waiter.agent, waiter.subscription, capacity)))
			made.continues.push(waiter);
	}
	const served = new Map(facts.served);
	for (const head of inOrder(facts, served)) {
		if (!remaining.take(head.agent, (capacity) => claim(head.agent, capacity, head.manual))) continue;
		made.starts.push(head);
		// a little later each time, so that one call alternates between projects too
		served.set(head.agent.project, facts.now + made.starts.length / 1000);
	}
	return made;
}

/** Yields the heads in order. The order depends on which of them were started in between (`served`). */
function* inOrder(
	{ heads, now }: ScheduleFacts,
	served: ReadonlyMap<ProjectSlug | null, number>,
): Generator<ScheduledHead> {
	const queues = [...Map.groupBy(heads, (head) => head.agent.project)].map(([project, own]) => ({
		project,
		oldest: Math.min(...own.map((head) => head.since)),
		// the next one last, where `pop` is cheap
		own: own.toSorted((a, b) => comesFirst(b, a, now)),
	}));
	const last = (project: ProjectSlug | null): number => served.get(project) ?? Number.NEGATIVE_INFINITY;
	for (;;) {
		const offers = queues.flatMap(({ project, oldest, own }) => {
			const head = own.at(-1);
			return head === undefined
				? []
				: [{ own, head, last: last(project), weight: head.priority + aged(now, Math.max(last(project), oldest)) }];
		});
		const [best] = offers.toSorted(
			(a, b) =>
				rank(a.head) - rank(b.head) ||
				b.weight - a.weight ||
				(a.last < b.last ? -1 : a.last > b.last ? 1 : a.head.prompt - b.head.prompt),
		);
		const head = best?.own.pop();
		if (head === undefined) return;
		yield head;
	}
}

/** A prompt that continues a wait comes before everything else, a manual one next. */
const rank = ({ source, manual }: ScheduledHead): number => (source === "wait" ? 0 : manual ? 1 : 2);

const comesFirst = (a: ScheduledHead, b: ScheduledHead, now: number): number =>
	rank(a) - rank(b) || b.priority + aged(now, b.since) - (a.priority + aged(now, a.since)) || a.prompt - b.prompt;

const aged = (now: number, since: number): number => Math.max(0, Math.floor((now - since) / agingMs));

/** The capacity left while the schedule is computed. */
class RemainingCapacity {
	readonly #facts: ScheduleFacts;
	readonly #schedule: Schedule;
	readonly #leases: Capacity["leases"][number][];
	/** how many agents wait, by the shortage that stops them */
	readonly #ahead = new Map<string, number>();

	constructor(facts: ScheduleFacts, made: Schedule) {
		this.#facts = facts;
		this.#schedule = made;
		this.#leases = [...facts.leases];
	}

	/** Claims capacity, or records what is missing. */
	take(agent: WaitingAgent, attempt: (capacity: Capacity) => Claim): boolean {
		const claimed = attempt({ ...this.#facts, leases: this.#leases });
		if ("short" in claimed) return this.#wait(agent, claimed.short);
		if (countsAgainstTurnsMax(agent)) this.#leases.push({ ...claimed, node: claimed.node ?? null });
		return true;
	}

	#wait(agent: WaitingAgent, short: Shortage): false {
		const [key, text] = [keyOf(short), shortageText(short)];
		const ahead = this.#ahead.get(key) ?? 0;
		this.#ahead.set(key, ahead + 1);
		if ("until" in short && short.until !== undefined)
			this.#schedule.nextAt = Math.min(this.#schedule.nextAt ?? short.until, short.until);
		if (short.of === "time" || short.of === "credential")
			this.#schedule.notStarted.set(agent.id, { why: text, ahead: 0 });
		else this.#schedule.notStarted.set(agent.id, { why: ahead === 0 ? text : `${text}, ${ahead} ahead`, ahead });
		return false;
	}
}

const keyOf = (short: Shortage): string =>
	short.of === "machine" || short.of === "node"
		? `machine ${short.node ?? ""}`
		: (short.subscription ?? "the project's hours");
