// The scheduler: one pure function from what waits and what there is to who goes on, who starts, and why the others do
// not.
//
//   turns that waited and may go on ─▶ heads that continue a wait ─▶ heads started by hand ─▶ all other heads
//
// Inside an agent the queue's own order holds: only its head is seen here. Inside a project the higher priority comes
// first, and every minute of waiting counts as one more; between projects the same, but what counts is how long the
// project has not been served, so that a long queue gets no more than a short one. So nothing waits for ever, and
// nothing ever starts over a limit.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { turnSources } from "#contract/turn.ts";
import { type Capacity, type Claim, claim, claimAgain, type Shortage, shortageText } from "./slots.ts";

type Who = Pick<AgentState, "id" | "project" | "type" | "subscription" | "limitWaivedUntil">;

/** The prompt that is next in its agent's queue. */
export interface Head {
	agent: Who;
	prompt: number;
	priority: number;
	manual: boolean;
	source: (typeof turnSources)[number];
	/** when it became due */
	since: number;
}

/** A turn that is open, has waited long enough, and needs its place and its slot again. */
export interface Waiter {
	agent: Who;
	wait: number;
	subscription: SubscriptionName | null;
}

export interface ScheduleFacts extends Capacity {
	heads: readonly Head[];
	waiters: readonly Waiter[];
	/** when a turn of a project was last started */
	served: ReadonlyMap<ProjectSlug | null, number>;
}

export interface Waiting {
	/** in words for a person */
	why: string;
	/** how many others wait for the same and come first */
	ahead: number;
}

export interface Schedule {
	continues: Waiter[];
	starts: Head[];
	waits: Map<AgentId, Waiting>;
	/** when somebody may start for no other reason than that time has passed */
	nextAt: number | null;
}

const agingMs = 60_000;

export function schedule(facts: ScheduleFacts): Schedule {
	const plan: Schedule = { continues: [], starts: [], waits: new Map(), nextAt: null };
	const remaining = new RemainingCapacity(facts, plan);
	for (const waiter of facts.waiters.toSorted((a, b) => a.wait - b.wait)) {
		if (remaining.take(waiter.agent, (capacity) => claimAgain(waiter.agent, waiter.subscription, capacity)))
			plan.continues.push(waiter);
	}
	const served = new Map(facts.served);
	for (const head of inOrder(facts, served)) {
		if (!remaining.take(head.agent, (capacity) => claim(head.agent, capacity, head.manual))) continue;
		plan.starts.push(head);
		// a little later for each, so that one look at the rows goes round as well
		served.set(head.agent.project, facts.now + plan.starts.length / 1000);
	}
	return plan;
}

/** The heads, one after the other; whom it offers next depends on who was served in between. */
function* inOrder({ heads, now }: ScheduleFacts, served: ReadonlyMap<ProjectSlug | null, number>): Generator<Head> {
	const queues = [...Map.groupBy(heads, (head) => head.agent.project)].map(([project, own]) => ({
		project,
		oldest: Math.min(...own.map((head) => head.since)),
		// the next one last, where it is cheap to take
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

/** What continues a wait had begun before everything else; what a person wants now comes next. */
const rank = ({ source, manual }: Head): number => (source === "wait" ? 0 : manual ? 1 : 2);

const comesFirst = (a: Head, b: Head, now: number): number =>
	rank(a) - rank(b) || b.priority + aged(now, b.since) - (a.priority + aged(now, a.since)) || a.prompt - b.prompt;

const aged = (now: number, since: number): number => Math.max(0, Math.floor((now - since) / agingMs));

/** Capacity that is left while the schedule is computed. */
class RemainingCapacity {
	readonly #facts: ScheduleFacts;
	readonly #schedule: Schedule;
	readonly #leases: { subscription: SubscriptionName | null }[];
	/** how many wait for the same */
	readonly #ahead = new Map<string, number>();

	constructor(facts: ScheduleFacts, plan: Schedule) {
		this.#facts = facts;
		this.#schedule = plan;
		this.#leases = [...facts.leases];
	}

	/** Takes what is needed, or writes down what is missing. */
	take(agent: Who, ask: (capacity: Capacity) => Claim): boolean {
		const got = ask({ ...this.#facts, leases: this.#leases });
		if ("short" in got) return this.#wait(agent, got.short);
		if (agent.type !== "human") this.#leases.push(got);
		return true;
	}

	#wait(agent: Who, short: Shortage): false {
		const [key, words] = [keyOf(short), shortageText(short)];
		const ahead = this.#ahead.get(key) ?? 0;
		this.#ahead.set(key, ahead + 1);
		if (short.of === "time") {
			this.#schedule.nextAt = Math.min(this.#schedule.nextAt ?? short.until, short.until);
			this.#schedule.waits.set(agent.id, { why: words, ahead: 0 });
		} else this.#schedule.waits.set(agent.id, { why: ahead === 0 ? words : `${words}, ${ahead} ahead`, ahead });
		return false;
	}
}

const keyOf = (short: Shortage): string =>
	short.of === "machine" ? "machine" : (short.subscription ?? "the project's hours");
