// The routes of an issue's runs, comments, documents, messages and files.
import type { IssueDetails } from "#contract/issue-wire.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { labelsView } from "#views/issue.ts";
import type { Handlers, RequestContext, ScopedRequest } from "../request-context.ts";
import { detailed, withIssue } from "./issues.ts";

export function issueDocumentHandlers(context: RequestContext) {
	const part = async <T extends object>(
		request: ScopedRequest,
		pick: (issue: IssueDetails) => T,
	): Promise<T | Refusal> =>
		await withIssue(context, request, async (issue) => {
			const found = await detailed(context, issue);
			return isRefusal(found) ? found : pick(found);
		});
	return {
		issueRuns: (request) => part(request, ({ runs }) => runs),
		issueComments: (request) => part(request, ({ comments }) => comments),
		issueDocuments: (request) => part(request, ({ documents }) => documents),
		issueMessages: (request) =>
			part(request, ({ messages }) =>
				messages.filter(({ stage }) => request.query.stage === undefined || stage === request.query.stage),
			),
		issueArtifacts: (request) => part(request, ({ artifacts }) => artifacts ?? noFolder),
		labels: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project) ? project : labelsView(await context.reads.issues(project.slug));
		},
	} satisfies Partial<Handlers>;
}

/** A daemon without a home has no folders. */
const noFolder = { path: "", files: [] };
