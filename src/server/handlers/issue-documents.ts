// The routes of an issue's runs, comments, documents, messages and files.
import type { IssueDetails } from "#contract/issue-wire.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { labelsView } from "#views/issue.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";
import { detailed, withIssue } from "./issues.ts";

type Parts = "issueRuns" | "issueComments" | "issueDocuments" | "issueMessages" | "issueArtifacts";

export function issueDocumentHandlers(context: RequestContext): Handlers<Parts | "labels"> {
	const part = async <T extends object>(
		asked: RouteRequest<Parts>,
		pick: (issue: IssueDetails) => T,
	): Promise<T | Refusal> =>
		await withIssue(context, asked, async (issue) => {
			const found = await detailed(context, issue);
			return isRefusal(found) ? found : pick(found);
		});
	return {
		issueRuns: (asked) => part(asked, ({ runs }) => runs),
		issueComments: (asked) => part(asked, ({ comments }) => comments),
		issueDocuments: (asked) => part(asked, ({ documents }) => documents),
		issueMessages: (asked) =>
			part(asked, ({ messages }) =>
				messages.filter(({ stage }) => asked.query.stage === undefined || stage === asked.query.stage),
			),
		issueArtifacts: (asked) => part(asked, ({ artifacts }) => artifacts ?? noFolder),
		labels: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : labelsView(await context.reads.issues(project.slug));
		},
	};
}

/** A daemon without a home has no folders. */
const noFolder = { path: "", files: [] };
