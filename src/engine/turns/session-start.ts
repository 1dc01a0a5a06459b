// How a program's session begins: which one it may continue or copy, and its instructions.
import type { AgentState, Settings } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { TurnState } from "#contract/turn.ts";
import { type SessionStart, sessionStartFor } from "#domain/session.ts";
import type { Reads } from "../ports/store.ts";

/** The session that the program may continue or copy. */
export async function sessionStartOf(reads: Reads, agent: AgentState, turn: TurnState): Promise<SessionStart> {
	const above = agent.session === null && agent.lineage !== null ? reads.agent(agent.lineage.agent) : undefined;
	const [own, parent] = await Promise.all([factsOf(reads, agent.id, turn.id), above]);
	return sessionStartFor({
		agent,
		...own,
		parent: parent === undefined ? null : { agent: parent, ...(await factsOf(reads, parent.id, null)) },
	});
}

/** The system prompt; the agent's own tools read the pinned files. */
export function instructionsOf({ systemPrompt, pinned }: Settings): string | null {
	const files =
		pinned.length === 0
			? []
			: [`Before you begin with a task, read these files of your workspace: ${pinned.join(", ")}`];
	return [...(systemPrompt === null ? [] : [systemPrompt]), ...files].join("\n\n") || null;
}

/** The latest turn (before another one), and the session's cost when it was last reported. */
async function factsOf(reads: Reads, agent: AgentId, before: number | null) {
	const [turns, start] = await Promise.all([reads.latestTurns(agent, 10), newestClearOrRewind(reads, agent)]);
	const earlier = turns.filter((turn) => before === null || turn.id < before);
	const reported = earlier.findLast((turn) => turn.usage?.sessionCost !== undefined);
	return {
		lastTurn: earlier.at(-1),
		sessionCost: reported?.usage?.sessionCost?.amount ?? 0,
		newestClearOrRewind: start,
	};
}

/** The newest clear or rewind of the agent's own thread; 0 if there is none. */
async function newestClearOrRewind(reads: Reads, agent: AgentId): Promise<number> {
	const [{ ranges }, controls] = await Promise.all([reads.ranges(agent), reads.controls(agent)]);
	const clear = ranges.find((range) => range.agent === agent)?.after ?? 0;
	const rewinds = controls.filter((event) => event.kind === "rewind" && event.agent === agent);
	return Math.max(clear, rewinds.at(-1)?.id ?? 0);
}
