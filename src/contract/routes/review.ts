// Review: the diff of an issue, and pull requests.
import { IssueDiff, PullRequest, PullRequestBody } from "../pull-request.ts";
import { get, post, scope } from "./route.ts";

export const reviewRoutes = {
	issueDiff: get(
		"/api/issues/:issue/diff",
		"what its branch changes since it left base; of a merged one, what was merged",
		{
			query: scope,
			answer: IssueDiff,
		},
	),
	pullRequest: post(
		"/api/agents/:agent/pull-request",
		"push its branch to origin, never by force, and say how to open a pull request",
		{ query: scope, body: PullRequestBody, answer: PullRequest },
	),
	issuePullRequest: post(
		"/api/issues/:issue/pull-request",
		"push the branch of an issue to origin, never by force, and say how to open a pull request",
		{ query: scope, body: PullRequestBody, answer: PullRequest },
	),
};
