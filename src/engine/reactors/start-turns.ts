// Starts a turn wherever a prompt waits for an idle agent that nothing holds.
import type { Dispatch, Reads } from "../ports.ts";
import { type Reactor, sayAll } from "../reactor.ts";

const wakers = ["prompt.queued", "prompt.returned", "turn.ended", "agent.unheld", "agent.provisioned"];

export function startTurnsReactor(parts: { reads: Reads; dispatch: Dispatch }): Reactor {
	return {
		name: "start turns",
		wakes: (event) => wakers.includes(event.kind),
		async look(signal) {
			const waiting = await parts.reads.agentsWithPrompts();
			const ready = waiting.filter((agent) => agent.life === "live" && agent.activity === "idle" && agent.holds.length === 0);
			if (signal.aborted) return "done";
			// a refusal means that somebody was quicker; the next look sees what is left
			return await sayAll(
				parts.dispatch,
				ready.map((agent) => ({ type: "turn.start", agent: agent.id })),
			);
		},
	};
}
