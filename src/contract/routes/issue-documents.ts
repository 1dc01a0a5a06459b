// An issue's runs, comments, documents, messages and files, one route each; `issue` answers all of them.
import { z } from "zod";
import { IssueDetails, Label, Run } from "../issue-wire.ts";
import { StageName } from "../preset.ts";
import { Reference, route } from "./route.ts";

const query = z.strictObject(Reference);
const { comments, documents, messages, artifacts } = IssueDetails.shape;

export const issueDocumentRoutes = {
	issueRuns: route({
		method: "get",
		path: "/api/issues/:issue/runs",
		summary: "the turns that agents had on it, oldest first",
		query,
		answer: z.array(Run),
		agents: true,
	}),
	issueComments: route({
		method: "get",
		path: "/api/issues/:issue/comments",
		summary: "its comments, oldest first",
		query,
		answer: comments,
		agents: true,
	}),
	issueDocuments: route({
		method: "get",
		path: "/api/issues/:issue/documents",
		summary: "every version of its documents, oldest first",
		query,
		answer: documents,
		agents: true,
	}),
	issueMessages: route({
		method: "get",
		path: "/api/issues/:issue/messages",
		summary: "the messages to its stages, and whether they were told; looking at them tells nobody",
		query: z.strictObject({ ...Reference, stage: StageName.optional() }),
		answer: messages,
		agents: true,
	}),
	issueArtifacts: route({
		method: "get",
		path: "/api/issues/:issue/artifacts",
		summary: "where its folder is, and the files in it",
		query,
		answer: artifacts.unwrap(),
		agents: true,
	}),
	labels: route({
		method: "get",
		path: "/api/projects/:project/labels",
		summary: "the labels that issues of a project have, the most used first",
		answer: z.array(Label),
	}),
};
