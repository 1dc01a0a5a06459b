// Checks all workspaces once, when the daemon starts: an agent whose workspace was moved, changed or lost is held before
// it works there. Nothing is repaired. After that every turn checks its own.
import type { AgentState } from "#contract/agent.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { Reactor } from "../loop/reactor.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { drift } from "../workspaces/around-turn.ts";
import type { ProjectProblems } from "../workspaces/project-problems.ts";

export function driftReactor(parts: {
	reads: Reads;
	dispatch: Dispatch;
	workspaces: Workspaces | null;
	log: Log;
	problems: ProjectProblems;
	/** this node: only its own is acted on; everything is if null */
	node: NodeEpoch | null;
}): Reactor {
	return {
		name: "drift",
		wakes: () => false,
		async look(signal) {
			const settled = (agent: AgentState): boolean =>
				isOwn(parts.node, agent) && agent.workspace !== null && agent.turn === null;
			// a disk may be mounted after the daemon starts; a turn before that holds its agent
			const away = (agent: AgentState): boolean => parts.problems.of(agent.project)?.code === "PROJECT_GONE";
			for (const agent of (await parts.reads.agents({ life: "live" })).filter((each) => settled(each) && !away(each))) {
				if (signal.aborted) break;
				// a repository that cannot be read is reported by the next turn there
				await drift(parts, agent).catch(
					caught(parts.log, "drift", "A workspace could not be looked at", { agent: agent.id }),
				);
			}
			return "done";
		},
	};
}
