// Issues as they are answered: the rows that some issues need beside their own, and no others.
import type { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Issue } from "#contract/issue-wire.ts";
import type { Reads } from "#engine/ports/store.ts";
import { type IssueFilter, type IssueViewInput, issueView, isWanted } from "#views/issue.ts";

/** Undefined for an issue that is not wanted, or of a project that was removed. */
export async function issueViews(
	reads: Reads,
	issues: readonly IssueState[],
	filter: IssueFilter,
): Promise<(Issue | undefined)[]> {
	const runs = Map.groupBy(await reads.runsOf(issues.map(({ id }) => id)), ({ issueId }) => issueId);
	const agents = issues.flatMap(({ id, assignee }) => [
		...(assignee === null ? [] : [assignee]),
		...(runs.get(id) ?? []).map(({ agent }) => agent),
	]);
	const handles = await handlesOf(reads, agents);
	const found = new Map<number, Issue>();
	for (const [slug, own] of Map.groupBy(issues, ({ project }) => project)) {
		const project = await reads.project(slug);
		if (project === undefined || project.removedAt !== null) continue;
		const all = await dependencies(reads, slug, own);
		for (const issue of own) {
			const extras: IssueViewInput = { project, all, runs: runs.get(issue.id) ?? [], handles };
			if (isWanted(issue, filter, extras)) found.set(issue.id, issueView(issue, extras));
		}
	}
	return issues.map(({ id }) => found.get(id));
}

export async function handlesOf(reads: Reads, agents: readonly AgentId[]): Promise<ReadonlyMap<AgentId, Handle>> {
	const rows = await reads.agentsWith([...new Set(agents)]);
	return new Map(rows.map(({ id, handle }) => [id, handle]));
}

/** Whether an issue is blocked depends on no others than these. */
async function dependencies(reads: Reads, project: ProjectSlug, issues: readonly IssueState[]): Promise<IssueState[]> {
	const numbers = [...new Set(issues.flatMap(({ dependsOn }) => dependsOn))];
	return numbers.length === 0 ? [] : await reads.issuesNumbered(project, numbers);
}
