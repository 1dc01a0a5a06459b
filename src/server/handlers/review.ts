// The routes of review: an issue's diff, and pull requests.
import type { IssueState } from "#contract/issue.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { MergePreview } from "#contract/workspace.ts";
import { previewMerge } from "#engine/workspaces/preview.ts";
import { issueDiff, pullRequest } from "#engine/workspaces/review.ts";
import type { WorkCycle } from "#engine/workspaces/work-cycle.ts";
import { reviewPrompt } from "#views/review.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";
import { withIssue } from "./issues.ts";
import { asQueued } from "./queue.ts";
import { explained, extentOf, noGit, withCycle } from "./workspaces.ts";

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
	const ofAgent = async (request: ScopedRequest, check: boolean): Promise<MergePreview | Refusal> =>
		await context.withAgent(request, (id) =>
			withCycle(context, id, (cycle, agent) => previewMerge(parts(cycle), { agent }, { check })),
		);
	return {
		issueDiff: (request) => about(request, (cycle, issue) => issueDiff(parts(cycle), issue, extentOf(request.query))),
		mergePreview: (request) => ofAgent(request, false),
		check: (request) => ofAgent(request, true),
		issueMergePreview: (request) =>
			about(request, (cycle, issue) => previewMerge(parts(cycle), { issue }, { check: false })),
		issueCheck: (request) => about(request, (cycle, issue) => previewMerge(parts(cycle), { issue }, { check: true })),
		review: (request) =>
			context.withAgent(request, async (agent) => {
				const queued = await context.dispatch(request, {
					type: "prompt.queue",
					agent,
					text: reviewPrompt(request.body),
				});
				return isRefusal(queued) ? queued : await asQueued(context, agent, queued.event);
			}),
		divergence: (request) =>
			context.withAgent(request, async (one) => {
				const other = await context.engine.queries.resolve(request.query.with, request.query.project ?? null);
				return isRefusal(other) ? other : { divergence: await context.engine.queries.divergence(one, other.id) };
			}),
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
