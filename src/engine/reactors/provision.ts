// Gives a new agent what it needs before its first turn. An agent without a workspace needs nothing and is live from the
// start; one whose preparation failed waits, held, until somebody says `recover`, and is then taken up again here.

import type { Dispatch, Reads } from "../ports.ts";
import { type Reactor, sayAll } from "../reactor.ts";

export function provisionReactor(parts: { reads: Reads; dispatch: Dispatch }): Reactor {
	return {
		name: "provision",
		wakes: (event) => event.kind === "agent.spawned" || event.kind === "agent.unheld",
		async look(signal) {
			const waiting = await parts.reads.agents({ life: "provisioning" });
			const due = waiting.filter((agent) => !agent.holds.some((hold) => hold.kind === "error"));
			if (signal.aborted) return "done";
			return await sayAll(
				parts.dispatch,
				due.map((agent) => ({ type: "agent.provisioned", agent: agent.id })),
			);
		},
	};
}
