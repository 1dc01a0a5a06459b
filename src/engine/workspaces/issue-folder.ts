// An issue's folder: the files that people put there, and the issue's documents in their current version.
import type { IssueState } from "#contract/issue.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Reads } from "../ports/store.ts";

/**
 * Its path; null where there is no home. Called when a document is added and before an agent gets the issue, so that
 * the documents that its prompt names exist.
 */
export async function issueFolder(
	issueWork: Pick<IssueWork, "folder">,
	reads: Reads,
	issue: IssueState,
): Promise<string | null> {
	const documents = (await reads.entries(issue.id)).filter(({ kind }) => kind === "document");
	return await issueWork.folder(
		issue,
		documents.map(({ name, text }) => ({ name: name ?? "", text })),
	);
}
