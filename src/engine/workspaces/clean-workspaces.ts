// Which agents have a clean workspace. Only git can tell: a file may have changed a moment ago.
import type { AgentState } from "#contract/agent.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import { caught, type Log } from "../ports/log.ts";

/** workspaces that are checked at the same time */
const atOnce = 8;

/** The agents whose workspaces could take an issue, in the same order. */
export async function withCleanWorkspace(
	issueWork: Pick<IssueWork, "inspect">,
	agents: readonly AgentState[],
	log: Log,
): Promise<AgentState[]> {
	const clean: AgentState[] = [];
	for (let at = 0; at < agents.length; at += atOnce) {
		const some = agents.slice(at, at + atOnce);
		// a workspace that cannot be checked is not clean
		const found = await Promise.all(
			some.map((agent) =>
				issueWork
					.inspect(agent)
					.catch(caught(log, "workspaces", "A workspace could not be looked at", { agent: agent.id })),
			),
		);
		clean.push(...some.filter((_, index) => found[index] === null));
	}
	return clean;
}
