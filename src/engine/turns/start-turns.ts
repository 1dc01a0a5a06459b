// Starts turns and continues blocked ones, in the scheduler's order. Whether there is really a slot is decided inside
// the transaction.

import type { Event } from "#contract/event.ts";
import { dataOf, kindsOf } from "#contract/event-data.ts";
import { isOwn, type NodeEpoch, type NodeId } from "#contract/node.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import type { Clock } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";
import type { Scheduler } from "./scheduling.ts";

/** A turn that waits gives its slot back (`wait.opened`), and needs one again when it goes on (`wait.ready`). */
const wakers = kindsOf({
	prompt: ["queued", "returned", "moved"],
	turn: ["ended"],
	run: ["finished"],
	workspace: ["freed"],
	agent: ["unheld", "provisioned", "configured", "prepared", "returned", "moved"],
	wait: ["opened", "ready"],
	node: ["joined", "resumed", "fell"],
	subscription: ["added", "configured", "removed", "coolDownChanged"],
});

/** What was left to other nodes is looked at again after this. */
const leftMs = 1000;

export function startTurnsReactor(parts: {
	reads: Pick<Reads, "openWaits" | "nextPromptAt">;
	dispatch: Dispatch;
	clock: Clock;
	scheduler: Pick<Scheduler, "schedule" | "rememberServed" | "forget" | "noteStart">;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}): Reactor {
	const { reads, dispatch, clock, scheduler, node } = parts;
	const isOwnAgent = (agent: { node?: NodeId | null }): boolean => isOwn(node, { node: agent.node ?? null });
	/** since when something is left to other nodes */
	let leftSince: number | null = null;
	return {
		name: "start turns",
		wakes(event, together) {
			if (event.kind === "turn.started" && event.agent !== null) scheduler.noteStart(event.agent, event.at);
			return wakers.has(event.kind) && !together.some((other) => started(other, event));
		},
		async look(signal) {
			// what becomes due during this look is not in its schedule: it has to be found below
			const begunAt = clock.now();
			// turns whose wait is over continue before new ones start
			const [waits, first] = await Promise.all([reads.openWaits(), scheduler.schedule()]);
			const waiting = waits.filter((wait) => wait.agent !== null && wait.blocking && wait.ready === null);
			await dispatchAll(
				dispatch,
				waiting.map((wait) => ({ type: "wait.look", wait: wait.id })),
			);
			const schedule = waiting.length === 0 ? first : await scheduler.schedule();
			if (signal.aborted) return "done";
			// a refusal means that another start was quicker; the next look plans again
			const result = await dispatchAll(dispatch, [
				// every node plans for all, so that projects are served alike everywhere, and starts only its own
				...schedule.continues
					.filter(({ agent }) => isOwnAgent(agent))
					.map(({ wait }) => ({ type: "wait.look" as const, wait })),
				...schedule.starts
					.filter(({ agent }) => isOwnAgent(agent))
					.map(({ agent }) => ({ type: "turn.start" as const, agent: agent.id })),
			]);
			await scheduler.rememberServed(schedule);
			const now = clock.now();
			// two nodes that planned at different moments may each have left a slot to the other
			const isLeft = [...schedule.continues, ...schedule.starts].some(({ agent }) => !isOwnAgent(agent));
			leftSince = isLeft ? (leftSince ?? now) : null;
			if (leftSince !== null && now - leftSince >= leftMs) {
				scheduler.forget();
				leftSince = now;
			}
			const next = Math.min(
				...[schedule.nextAt ?? Infinity, (await reads.nextPromptAt(begunAt)) ?? Infinity],
				isLeft ? now + leftMs : Infinity,
			);
			return result === "again" || !Number.isFinite(next) ? result : { inMs: next - now };
		},
	};
}

/** Whether a queued prompt's turn was started with it: then nothing is left to start. */
const started = (event: Event, queued: Event): boolean =>
	queued.kind === "prompt.queued" && dataOf(event, "turn.started")?.prompt === queued.id;
