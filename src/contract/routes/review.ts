// Review: the diff of an issue, and pull requests.

import { z } from "zod";
import { AgentId, EventId } from "../ids.ts";
import { IssueDiff, PullRequest, PullRequestBody } from "../pull-request.ts";
import { Review } from "../review.ts";
import { Prompt } from "../wire.ts";
import { MergePreview } from "../workspace.ts";
import { lookup, ofAgent, ofIssue } from "./route.ts";
import { diffPart } from "./workspaces.ts";

export const reviewRoutes = {
	issueDiff: ofIssue.get("/diff", "show what an issue's branch changes; for a merged issue, what was merged", {
		query: lookup.extend(diffPart),
		answer: IssueDiff,
	}),
	mergePreview: ofAgent.get(
		"/merge-preview",
		"show the commits and conflicts of a merge into base; nothing is changed",
		{ at: "agent", answer: MergePreview },
	),
	issueMergePreview: ofIssue.get(
		"/merge-preview",
		"show the commits and conflicts of a merge of the issue's branch; nothing is changed",
		{ answer: MergePreview },
	),
	check: ofAgent.post("/check", "run the project's check on what a merge would be, without merging", {
		at: "agent",
		answer: MergePreview,
	}),
	issueCheck: ofIssue.post("/check", "run the project's check on what a merge would be, without merging", {
		answer: MergePreview,
	}),
	review: ofAgent.post("/review", "queue comments on lines of an agent's work as one prompt", {
		body: Review,
		answer: Prompt,
	}),
	divergence: ofAgent.get("/divergence", "show the last item that the conversations of two agents have in common", {
		query: lookup.extend({ with: z.string() }),
		answer: z.object({ divergence: z.object({ agent: AgentId, item: EventId }).nullable() }),
	}),
	pullRequest: ofAgent.post(
		"/pull-request",
		"push an agent's branch to origin, never by force, and say how to open a pull request",
		{ at: "agent", body: PullRequestBody, answer: PullRequest },
	),
	issuePullRequest: ofIssue.post(
		"/pull-request",
		"push an issue's branch to origin, never by force, and say how to open a pull request",
		{ body: PullRequestBody, answer: PullRequest },
	),
};
