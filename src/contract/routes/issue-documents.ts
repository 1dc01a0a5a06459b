// An issue's runs, comments, documents, messages and files, one route each; `issue` answers with all of them.
import { z } from "zod";
import { IssueDetails, IssueLabelCount, Run } from "../issue-wire.ts";
import { StageName } from "../preset.ts";
import { get, scope } from "./route.ts";

const query = scope;
const { comments, documents, messages, artifacts } = IssueDetails.shape;

export const issueDocumentRoutes = {
	issueRuns: get("/api/issues/:issue/runs", "the turns that agents had on it, oldest first", {
		query,
		answer: z.array(Run),
		agents: true,
	}),
	issueComments: get("/api/issues/:issue/comments", "its comments, oldest first", {
		at: "project",
		query,
		answer: comments,
		agents: true,
	}),
	issueDocuments: get("/api/issues/:issue/documents", "every version of its documents, oldest first", {
		at: "project",
		query,
		answer: documents,
		agents: true,
	}),
	issueMessages: get(
		"/api/issues/:issue/messages",
		"the messages to its stages, and whether they were told; looking at them tells nobody",
		{ at: "project", query: scope.extend({ stage: StageName.optional() }), answer: messages, agents: true },
	),
	issueArtifacts: get("/api/issues/:issue/artifacts", "where its folder is, and the files in it", {
		at: "project",
		query,
		answer: artifacts.unwrap(),
		agents: true,
	}),
	labels: get("/api/projects/:project/labels", "the labels that issues of a project have, the most used first", {
		answer: z.array(IssueLabelCount),
	}),
};
