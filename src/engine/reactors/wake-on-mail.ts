// Wakes an idle agent that has mail which no turn was shown.

import { kindsOf } from "#contract/event-data.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import { dispatchAll, type Reactor } from "../loop/reactor.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { Reads } from "../ports/store.ts";

const wakers = kindsOf({
	mail: ["sent"],
	turn: ["ended"],
	agent: ["provisioned", "unheld"],
	prompt: ["cancelled"],
});

export function wakeOnMailReactor(parts: {
	reads: Reads;
	dispatch: Dispatch;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}): Reactor {
	return {
		name: "wake on mail",
		wakes: (event) => wakers.has(event.kind),
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
