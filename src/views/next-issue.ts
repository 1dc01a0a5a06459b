// What automatic work will do next, told by the same rules that pick the work.
import type { IssueState } from "#contract/issue.ts";
import type { ProjectState } from "#contract/project.ts";
import { firstReady } from "#domain/issue/pick.ts";

/** In words; empty if nothing is ready and nobody waits for it. */
export function nextIssueText(project: ProjectState, issues: readonly IssueState[], now: number): string {
	const { issue, full } = firstReady({ project, issues, now });
	const waits = full.map((stage) => `${stage} is full`).join(", ");
	if (issue === null)
		return project.auto || waits !== "" ? ["no issue is ready", waits].filter(Boolean).join(": ") : "";
	const named = `#${issue.number} ${issue.title}`;
	return project.auto ? `next: ${named}` : `would start with ${named}`;
}
