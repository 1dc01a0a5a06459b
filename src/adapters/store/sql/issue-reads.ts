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
		runs: (issue) => all(queries.runsOfIssue, { issue }),
		lastRun: (issue) => one(queries.lastRun, { issue }),
		openRuns: () => all(queries.openRuns, {}),
		entry: async (id) => (await connection.all(queries.entryById, { id })).map(entryFrom)[0],
		entries: async (issue) => (await connection.all(queries.entriesOfIssue, { issue })).map(entryFrom),
	};
}
