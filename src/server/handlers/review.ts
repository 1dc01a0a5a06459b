// The routes of review: an issue's diff, and pull requests.
import type { IssueState } from "#contract/issue.ts";
import type { Refusal } from "#contract/refusal.ts";
import { issueDiff, pullRequest } from "#engine/workspaces/review.ts";
import type { WorkCycle } from "#engine/workspaces/work-cycle.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";
import { withIssue } from "./issues.ts";
import { explained, noGit, withCycle } from "./workspaces.ts";

export function reviewHandlers(context: RequestContext) {
	const parts = ({ workspaces }: WorkCycle) => ({
		reads: context.reads,
		workspaces,
		dispatch: context.engine.dispatch.bind(context.engine),
	});
	const about = async <T extends object>(
		request: ScopedRequest,
		work: (cycle: WorkCycle, issue: IssueState) => Promise<T | Refusal>,
	): Promise<T | Refusal> =>
		await withIssue(context, request, async (issue) => {
			const { cycle } = context.engine;
			if (cycle === null) return noGit;
			return await explained(context, await context.reads.project(issue.project), () => work(cycle, issue));
		});
	return {
		issueDiff: (request) => about(request, (cycle, issue) => issueDiff(parts(cycle), issue)),
		pullRequest: (request) =>
			context.withAgent(request, (id) =>
				withCycle(context, id, (cycle, agent) =>
					pullRequest(parts(cycle), { agent }, request.body, context.requester(request)),
				),
			),
		issuePullRequest: (request) =>
			about(request, (cycle, issue) => pullRequest(parts(cycle), { issue }, request.body, context.requester(request))),
	} satisfies Partial<Handlers>;
}
