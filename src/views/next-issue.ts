// What automatic work will do next, told by the same rules that pick the work.
import type { AgentState } from "#contract/agent.ts";
import type { IssueState } from "#contract/issue.ts";
import type { ProjectState } from "#contract/project.ts";
import { nextIssue } from "#domain/issue/pick.ts";

/** In words; empty if nothing is ready and nobody waits for it. */
export function nextIssueText(facts: {
	project: ProjectState;
	issues: readonly IssueState[];
	/** the project's living agents */
	agents: readonly AgentState[];
	/** the types of all subscriptions, in their order */
	subscribed: readonly string[];
	now: number;
}): string {
	const { project } = facts;
	const { issue, reason, full } = nextIssue(facts);
	if (issue !== null) {
		const named = `#${issue.number} ${issue.title}`;
		return project.auto ? `next: ${named}` : `would start with ${named}`;
	}
	if (reason !== null) return reason;
	const waits = full.map((stage) => `${stage} is full`).join(", ");
	return project.auto || waits !== "" ? ["no issue is ready", waits].filter(Boolean).join(": ") : "";
}
