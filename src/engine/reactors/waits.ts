// Ends waits: when what they wait for has happened, or when their time is up. Nothing is polled: every event of an
// agent that somebody waits for makes it look, and so does the clock at the next deadline.
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";

/** Items say nothing about what an agent is up to; everything else may. */
const nouns = /^(agent|turn|prompt|mail|wait)\./;

export function waitsReactor(parts: { reads: Reads; dispatch: Dispatch; clock: Clock }): Reactor {
	/** whom the open waits are for, as of the last look */
	let watched: ReadonlySet<AgentId> = new Set();
	return {
		name: "waits",
		wakes: (event: Event) =>
			nouns.test(event.kind) && (event.kind.startsWith("wait.") || (event.agent !== null && watched.has(event.agent))),
		async look(signal) {
			const open = await parts.reads.openWaits();
			watched = new Set(open.flatMap((wait) => wait.targets));
			if (signal.aborted) return "done";
			// whether it is over is decided with the rows in hand
			const said = await dispatchAll(
				parts.dispatch,
				open.map((wait) => ({ type: "wait.look", wait: wait.id })),
			);
			const deadlines = open.flatMap((wait) => wait.deadline ?? []);
			const now = monotonicNow(parts.clock);
			const next = Math.min(...deadlines.filter((deadline) => deadline > now));
			return said === "again" || !Number.isFinite(next) ? said : { inMs: next - now };
		},
	};
}
