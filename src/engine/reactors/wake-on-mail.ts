// Wakes an idle agent that has mail which no turn was shown.

import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";

const wakers = ["mail.sent", "turn.ended", "agent.provisioned", "agent.unheld", "prompt.cancelled"];

export function wakeOnMailReactor(parts: {
	reads: Reads;
	dispatch: Dispatch;
	/** this node: only its own is acted on; everything is if null */
	node: NodeEpoch | null;
}): Reactor {
	return {
		name: "wake on mail",
		wakes: (event) => wakers.includes(event.kind),
		async look(signal) {
			const waiting = await parts.reads.agentsWithNewMail();
			const asleep = waiting.filter(
				(agent) => isOwn(parts.node, agent) && agent.life === "live" && agent.activity === "idle",
			);
			if (signal.aborted) return "done";
			// whether it is really idle is decided inside the transaction
			return await dispatchAll(
				parts.dispatch,
				asleep.map((agent) => ({ type: "mail.wake", agent: agent.id })),
			);
		},
	};
}
