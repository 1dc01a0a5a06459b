// Which agents cannot take an issue because of their files. Only git can tell: a file may have changed a moment ago.

import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import { caught, type Log } from "../ports/log.ts";

/** workspaces that are checked at the same time */
const atOnce = 8;

/** Those of the agents that cannot, and why. */
export async function filesProblems(
	issueWork: Pick<IssueWork, "inspect">,
	agents: readonly AgentState[],
	log: Log,
): Promise<ReadonlyMap<AgentId, Refusal>> {
	const problems = new Map<AgentId, Refusal>();
	const look = async (agent: AgentState): Promise<void> => {
		const failed = caught(log, "workspaces", "A workspace could not be looked at", { agent: agent.id });
		const found = await issueWork.inspect(agent).catch(failed);
		if (found !== null) problems.set(agent.id, found ?? unreadable(agent));
	};
	for (let at = 0; at < agents.length; at += atOnce) await Promise.all(agents.slice(at, at + atOnce).map(look));
	return problems;
}

const unreadable = ({ handle }: AgentState): Refusal =>
	refuse("INTERNAL_ERROR", `The workspace of ${handle} could not be looked at.`, { suggestions: ["brood logs"] });
