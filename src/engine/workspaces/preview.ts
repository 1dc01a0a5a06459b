// What a merge would meet, before anybody approves it: commits, conflicts, and the project's check on the result.
import type { AgentState } from "#contract/agent.ts";
import type { IssueState } from "#contract/issue.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { MergePreview } from "#contract/workspace.ts";
import { type ReviewParts, workOfAgent, workOfUnmergedIssue } from "./review.ts";

export async function previewMerge(
	parts: ReviewParts,
	subject: { agent: AgentState } | { issue: IssueState },
	{ check }: { check: boolean },
): Promise<MergePreview | Refusal> {
	const work =
		"agent" in subject ? await workOfAgent(parts, subject.agent) : await workOfUnmergedIssue(parts, subject.issue);
	if (isRefusal(work)) return work;
	const { project, base, commit } = work;
	const approved = (await parts.reads.project(project.slug))?.approved ?? [];
	return await parts.workspaces.previewMerge(project, { base, commit, check, approved });
}
