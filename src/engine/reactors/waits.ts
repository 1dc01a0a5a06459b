// Ends waits when their condition holds or their deadline has passed. Nothing is polled: it looks after every event of
// an agent that is waited for, and at the next deadline.

import type { Event } from "#contract/event.ts";
import { isAbout } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";

export function waitsReactor(parts: { reads: Pick<Reads, "openWaits">; dispatch: Dispatch; clock: Clock }): Reactor {
	/** the targets of open waits, as of the last look */
	let watched: ReadonlySet<AgentId> = new Set();
	return {
		name: "waits",
		wakes: (event: Event) =>
			isAbout(event, "wait") ||
			// items do not change an agent's state; these events may
			(isAbout(event, "agent", "turn", "prompt", "mail") && event.agent !== null && watched.has(event.agent)),
		async look(signal) {
			const open = await parts.reads.openWaits();
			watched = new Set(open.flatMap((wait) => wait.targets));
			if (signal.aborted) return "done";
			// read before the commands are: a deadline that passes while they are decided needs another look
			const before = monotonicNow(parts.clock);
			// whether a wait is over is decided inside the transaction
			const result = await dispatchAll(
				parts.dispatch,
				open.map((wait) => ({ type: "wait.look", wait: wait.id })),
			);
			const deadlines = open.flatMap((wait) => wait.deadline ?? []);
			const next = Math.min(...deadlines.filter((deadline) => deadline > before));
			if (result === "again" || !Number.isFinite(next)) return result;
			return { inMs: Math.max(0, next - monotonicNow(parts.clock)) };
		},
	};
}
