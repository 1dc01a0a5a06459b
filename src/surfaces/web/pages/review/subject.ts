// What is reviewed: an agent's branch, or an issue's.
import type { AgentId, ProjectSlug } from "#contract/ids.ts";

export type Subject = { agent: AgentId } | { project: ProjectSlug; number: number };

/** An issue and an agent have different routes for the same things. */
export function routesOf(subject: Subject) {
	return "agent" in subject
		? ({ params: { agent: subject.agent }, diff: "diff", preview: "mergePreview", check: "check" } as const)
		: ({
				params: { issue: `${subject.project}#${subject.number}` },
				diff: "issueDiff",
				preview: "issueMergePreview",
				check: "issueCheck",
			} as const);
}
