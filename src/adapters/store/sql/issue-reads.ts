// The store's reads of issues, their runs and entries, on either database.
import type { IssueReads } from "#engine/ports/store-issues.ts";
import type { Connection } from "./connection.ts";
import * as queries from "./issue-queries.ts";
import { entryFrom, statesIn } from "./rows.ts";

export function issueReads(connection: Connection): IssueReads {
	const { all, one } = statesIn(connection);
	return {
		issue: (id) => one(queries.issueById, { id }),
		issueByNumber: (project, number) => one(queries.issueByNumber, { project, number }),
		issueIds: async (project) => (await connection.all(queries.issueIdsOfProject, { project })).map(({ id }) => id),
		issuesWithStepDue: () => all(queries.issuesWithStepDue, {}),
		issuesForPersons: () => all(queries.issuesForPersons, {}),
		issuesOfBoard: (project, { doneMax }) => all(queries.issuesOfBoard, { project, doneMax }),
		lastIssueNumber: async (project) => (await connection.all(queries.lastIssueNumber, { project }))[0]?.number ?? 0,
		run: (id) => one(queries.runById, { id }),
		runs: (issueId) => all(queries.runsOfIssue, { issueId }),
		lastRun: (issueId) => one(queries.lastRun, { issueId }),
		openRuns: () => all(queries.openRuns, {}),
		documents: async (issueId) =>
			(await connection.all(queries.documentsOfIssue, { issueId })).map(({ id, name }) => ({ id, name: name ?? "" })),
		entry: async (id) => (await connection.all(queries.entryById, { id })).map(entryFrom)[0],
		entries: async (issueId) => (await connection.all(queries.entriesOfIssue, { issueId })).map(entryFrom),
	};
}
