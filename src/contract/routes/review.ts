// Review: the diff of an issue, and pull requests.

import { z } from "zod";
import { AgentId, EventId } from "../ids.ts";
import { IssueDiff, PullRequest, PullRequestBody } from "../pull-request.ts";
import { Review } from "../review.ts";
import { Prompt } from "../wire.ts";
import { MergePreview } from "../workspace.ts";
import { get, none, post, scope } from "./route.ts";
import { diffPart } from "./workspaces.ts";

export const reviewRoutes = {
	issueDiff: get(
		"/api/issues/:issue/diff",
		"show what an issue's branch changes; for a merged issue, what was merged",
		{ at: "project", query: scope.extend(diffPart), answer: IssueDiff },
	),
	mergePreview: get(
		"/api/agents/:agent/merge-preview",
		"show the commits and conflicts of a merge into base; nothing is changed",
		{ at: "agent", query: scope, answer: MergePreview },
	),
	issueMergePreview: get(
		"/api/issues/:issue/merge-preview",
		"show the commits and conflicts of a merge of the issue's branch; nothing is changed",
		{ at: "project", query: scope, answer: MergePreview },
	),
	check: post("/api/agents/:agent/check", "run the project's check on what a merge would be, without merging", {
		at: "agent",
		query: scope,
		body: none,
		answer: MergePreview,
	}),
	issueCheck: post("/api/issues/:issue/check", "run the project's check on what a merge would be, without merging", {
		at: "project",
		query: scope,
		body: none,
		answer: MergePreview,
	}),
	review: post("/api/agents/:agent/review", "queue comments on lines of an agent's work as one prompt", {
		query: scope,
		body: Review,
		answer: Prompt,
	}),
	divergence: get(
		"/api/agents/:agent/divergence",
		"show the last item that the conversations of two agents have in common",
		{
			query: scope.extend({ with: z.string() }),
			answer: z.object({ divergence: z.object({ agent: AgentId, item: EventId }).nullable() }),
		},
	),
	pullRequest: post(
		"/api/agents/:agent/pull-request",
		"push an agent's branch to origin, never by force, and say how to open a pull request",
		{ at: "agent", query: scope, body: PullRequestBody, answer: PullRequest },
	),
	issuePullRequest: post(
		"/api/issues/:issue/pull-request",
		"push an issue's branch to origin, never by force, and say how to open a pull request",
		{ at: "project", query: scope, body: PullRequestBody, answer: PullRequest },
	),
};
