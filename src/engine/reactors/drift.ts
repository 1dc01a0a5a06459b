// Checks all workspaces once, when the daemon starts: an agent whose workspace was moved, changed or lost is held
// before it works there. Nothing is repaired. After that every turn checks its own. With many agents this takes
// a while: each row is read again right before its check, and what a git step or a turn changed meanwhile is not drift.
import type { AgentState } from "#contract/agent.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { Reactor } from "../loop/reactor.ts";
import { caught, type Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";
import { type DriftParts, drift } from "../workspaces/around-turn.ts";
import type { ProjectProblems } from "../workspaces/project-problems.ts";

interface Parts extends DriftParts {
	reads: Pick<Reads, "agent" | "agents" | "project">;
	log: Log;
	problems: Pick<ProjectProblems, "of">;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

export function driftReactor(parts: Parts): Reactor {
	return {
		name: "drift",
		wakes: () => false,
		async look(signal) {
			const hasIdleWorkspace = (agent: AgentState): boolean =>
				isOwn(parts.node, agent) && agent.workspace !== null && agent.turn === null && agent.lease === null;
			// a disk may be mounted after the daemon starts; a turn before that holds its agent
			const away = (agent: AgentState): boolean =>
				["REPOSITORY_UNUSABLE", "SANDBOX_IMPOSSIBLE"].includes(parts.problems.of(agent.project)?.code ?? "");
			for (const { id } of (await parts.reads.agents({ life: "live" })).filter(hasIdleWorkspace)) {
				if (signal.aborted) break;
				const agent = await parts.reads.agent(id);
				if (agent === undefined || !hasIdleWorkspace(agent) || away(agent)) continue;
				// a repository that cannot be read is reported by the next turn there
				await drift(parts, agent).catch(
					caught(parts.log, "drift", "A workspace could not be looked at", { agent: agent.id }),
				);
			}
			return "done";
		},
	};
}
