// The routes of an issue's runs, comments, documents, messages and files.
import { type Paged, type PageRequest, pagedWith, pageWhere } from "#contract/page.ts";
import { isRefusal } from "#contract/refusal.ts";
import { commentView, documentView, messageView, runView } from "#views/issue.ts";
import { handlesOf } from "../issue-views.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { artifactsOf, withIssue } from "./issues.ts";

export function issueDocumentHandlers(context: RequestContext) {
	const { reads } = context;
	return {
		issueRuns: (request) =>
			withIssue(context, request, async ({ id }) => {
				const part = await reads.listRuns(id, request.page);
				const handles = await handlesOf(
					reads,
					part.rows.map(({ row }) => row.agent),
				);
				return pagedWith(part, (run) => runView(run, handles));
			}),
		issueComments: (request) =>
			withIssue(context, request, async ({ id: issue }) =>
				pagedWith(await reads.listEntries({ issueId: issue, kind: "comment" }, request.page), commentView),
			),
		issueDocuments: (request) =>
			withIssue(context, request, async ({ id: issue }) =>
				pagedWith(await reads.listEntries({ issueId: issue, kind: "document" }, request.page), documentView),
			),
		issueMessages: (request) =>
			withIssue(context, request, ({ id }) => messages(context, id, request.query.stage, request.page)),
		issueArtifacts: (request) =>
			withIssue(context, request, async (issue) => (await artifactsOf(context, issue)) ?? noFolder),
		issueLabels: async ({ params, page }) => {
			const project = await context.projectNamed(params["project"]);
			return isRefusal(project)
				? project
				: pagedWith(await reads.listIssueLabels(project.slug, page), (label) => label);
		},
	} satisfies Partial<Handlers>;
}

async function messages(
	{ reads }: RequestContext,
	issue: number,
	stage: string | undefined,
	page: PageRequest,
): Promise<Paged<ReturnType<typeof messageView>>> {
	return await pageWhere(
		page,
		(each) => reads.listEntries({ issueId: issue, kind: "message" }, each),
		async (entries) =>
			entries.map((entry) => (stage === undefined || entry.stage === stage ? messageView(entry) : undefined)),
	);
}

/** A daemon without a home has no folders. */
const noFolder = { path: "", files: [] };
