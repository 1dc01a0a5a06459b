// Starts turns, and lets those go on that have waited: whom, and in which order, the scheduler says. Whether there is
// really room is decided with the rows in hand.
import type { Event } from "#contract/event.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import type { Clock } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Scheduler } from "./scheduling.ts";

const wakers = [
	...[
		"prompt.queued",
		"prompt.returned",
		"prompt.moved",
		"turn.ended",
		"agent.unheld",
		"agent.provisioned",
		"agent.configured",
		"workspace.freed",
	],
	// a turn that waits has given its place back, and one that is to go on wants it again
	...["wait.opened", "wait.ready"],
	...["subscription.added", "subscription.configured", "subscription.cooled", "subscription.removed"],
	...["agent.readied", "agent.released", "run.finished"],
];

export function startTurnsReactor(parts: {
	reads: Reads;
	dispatch: Dispatch;
	clock: Clock;
	scheduler: Scheduler;
}): Reactor {
	const { reads, dispatch, clock, scheduler } = parts;
	return {
		name: "start turns",
		wakes: (event, together) => wakers.includes(event.kind) && !together.some((other) => began(other, event)),
		async look(signal) {
			// whoever is done waiting goes on before anybody starts
			const [waits, first] = await Promise.all([reads.openWaits(), scheduler.plan()]);
			const waiting = waits.filter((wait) => wait.agent !== null && wait.blocking && wait.ready === null);
			await dispatchAll(
				dispatch,
				waiting.map((wait) => ({ type: "wait.look", wait: wait.id })),
			);
			const plan = waiting.length === 0 ? first : await scheduler.plan();
			if (signal.aborted) return "done";
			// a refusal means that somebody was quicker; the next look sees what is left
			const said = await dispatchAll(dispatch, [
				...plan.continues.map(({ wait }) => ({ type: "wait.look" as const, wait })),
				...plan.starts.map(({ agent }) => ({ type: "turn.start" as const, agent: agent.id })),
			]);
			await scheduler.started(plan);
			const now = clock.now();
			const next = Math.min(
				plan.nextAt ?? Number.POSITIVE_INFINITY,
				(await reads.nextPromptAt(now)) ?? Number.POSITIVE_INFINITY,
			);
			return said === "again" || !Number.isFinite(next) ? said : { inMs: next - now };
		},
	};
}

/** Whether a prompt has its turn already: then it waits for nobody. */
const began = ({ kind, data }: Event, queued: Event): boolean =>
	queued.kind === "prompt.queued" && kind === "turn.started" && Object(data).prompt === queued.id;
