// Ends the processes of this node's agents that another node was asked to end, and says when they are gone.
import { dataOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { Reactor } from "../loop/reactor.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Driver } from "../ports/driver.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";

export function endProcessesReactor(parts: {
	reads: Reads;
	dispatch: Dispatch;
	driver: Pick<Driver, "end">;
	log: Log;
	node: NodeEpoch | null;
}): Reactor {
	const { reads, dispatch, driver, log, node } = parts;
	/** nothing of before the start: no process outlives its daemon */
	const ended = new Set<AgentId>();
	return {
		name: "end processes",
		wakes(event) {
			const [{ agent }, askedNode] = [event, dataOf(event, "agent.ended")?.askedNode];
			if (agent === null || askedNode === undefined || askedNode === node?.node) return false;
			ended.add(agent);
			return true;
		},
		async look() {
			for (const id of ended) {
				ended.delete(id);
				const agent = await reads.agent(id);
				if (agent === undefined || !isOwn(node, agent)) continue;
				const stopped = driver
					.end(id)
					.then(() => dispatch(bySystem({ type: "agent.reportProcessesEnded", agent: id })));
				stopped.catch(caught(log, "processes", "The processes of an agent could not be ended", { agent: id }));
			}
			return "done";
		},
	};
}
