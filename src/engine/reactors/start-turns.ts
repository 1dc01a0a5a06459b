// Starts a turn wherever a prompt is due and its agent is idle: if nothing holds the agent, or the prompt was given by hand.
import type { Clock, Dispatch, Reads } from "../ports.ts";
import { type Reactor, sayAll } from "../reactor.ts";

const wakers = [
	"prompt.queued",
	"prompt.returned",
	"prompt.moved",
	"turn.ended",
	"agent.unheld",
	"agent.provisioned",
	"workspace.freed",
	"agent.readied",
	"agent.released",
	"run.finished",
];

export function startTurnsReactor(parts: { reads: Reads; dispatch: Dispatch; clock: Clock }): Reactor {
	return {
		name: "start turns",
		wakes: (event) => wakers.includes(event.kind),
		async look(signal) {
			const now = parts.clock.now();
			const waiting = await parts.reads.agentsWithPrompts(now);
			const ready = waiting.filter(
				({ agent, manual }) => agent.life === "live" && agent.activity === "idle" && agent.lease === null && (manual || agent.holds.length === 0),
			);
			if (signal.aborted) return "done";
			// a refusal means that somebody was quicker; the next look sees what is left
			const said = await sayAll(
				parts.dispatch,
				ready.map(({ agent }) => ({ type: "turn.start", agent: agent.id })),
			);
			const next = await parts.reads.nextPromptAt(now);
			return said === "again" || next === null ? said : { inMs: next - parts.clock.now() };
		},
	};
}
