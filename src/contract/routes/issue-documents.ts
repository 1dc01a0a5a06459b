// An issue's runs, comments, documents, messages and files, one route each; `issue` answers with all of them.
import { z } from "zod";
import { IssueDetails, IssueLabelCount, Run } from "../issue-wire.ts";
import { StageName } from "../preset.ts";
import { get, lookup, ofIssue } from "./route.ts";

const query = lookup;
const { comments, documents, messages, artifacts } = IssueDetails.shape;

export const issueDocumentRoutes = {
	issueRuns: get("/api/issues/:issue/runs", "list the turns that agents had on an issue, oldest first", {
		query,
		answer: z.array(Run),
		agents: true,
	}),
	issueComments: ofIssue.get("/comments", "list an issue's comments, oldest first", { answer: comments, agents: true }),
	issueDocuments: ofIssue.get("/documents", "list every version of an issue's documents, oldest first", {
		answer: documents,
		agents: true,
	}),
	issueMessages: ofIssue.get("/messages", "list the messages to an issue's stages, and whether each was delivered", {
		query: lookup.extend({ stage: StageName.optional() }),
		answer: messages,
		agents: true,
	}),
	issueArtifacts: ofIssue.get("/artifacts", "list the files in an issue's folder, and where it is", {
		answer: artifacts.unwrap(),
		agents: true,
	}),
	issueLabels: get("/api/projects/:project/labels", "list the labels of a project's issues, most used first", {
		answer: z.array(IssueLabelCount),
	}),
};
