// What is kept beside an issue, each kind by itself.
import type { IssueDetails } from "#contract/issue-wire.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { labelsView } from "#views/issue.ts";
import type { Asked, Desk, Handlers } from "../desk.ts";
import { detailed, withIssue } from "./issues.ts";

type Parts = "issueRuns" | "issueComments" | "issueDocuments" | "issueMessages" | "issueArtifacts";

export function paperHandlers(desk: Desk): Handlers<Parts | "labels"> {
	const part = async <T extends object>(asked: Asked<Parts>, pick: (issue: IssueDetails) => T): Promise<T | Refusal> =>
		await withIssue(desk, asked, async (issue) => {
			const found = await detailed(desk, issue);
			return isRefusal(found) ? found : pick(found);
		});
	return {
		issueRuns: (asked) => part(asked, ({ runs }) => runs),
		issueComments: (asked) => part(asked, ({ comments }) => comments),
		issueDocuments: (asked) => part(asked, ({ documents }) => documents),
		issueMessages: (asked) => part(asked, ({ messages }) => messages.filter(({ stage }) => asked.query.stage === undefined || stage === asked.query.stage)),
		issueArtifacts: (asked) => part(asked, ({ artifacts }) => artifacts ?? noFolder),
		labels: async ({ params }) => {
			const project = await desk.projectNamed(params["project"]);
			return isRefusal(project) ? project : labelsView(await desk.reads.issues(project.slug));
		},
	};
}

/** A daemon without a home has no folders. */
const noFolder = { path: "", files: [] };
