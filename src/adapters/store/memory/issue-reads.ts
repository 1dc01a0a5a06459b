// Reads of issues, their runs and entries in memory.
import type { ProjectSlug } from "#contract/ids.ts";
import { type EntryState, hasStepDue, type IssueState, isOpen, needsPerson } from "#contract/issue.ts";
import type { IssueReads } from "#engine/ports/store-issues.ts";
import type { Read, Rows } from "./rows.ts";

export function memoryIssueReads(read: Read): IssueReads {
	return {
		issue: (id) => read(({ issues }) => issues.get(id)),
		issueByNumber: (project, number) =>
			read(({ issues }) => [...issues.values()].find((issue) => issue.project === project && issue.number === number)),
		issueIds: (project) =>
			read(({ issues }) => [...issues.values()].flatMap((issue) => (issue.project === project ? issue.id : []))),
		issuesWithStepDue: () => read(({ issues }) => [...issues.values()].filter(hasStepDue)),
		issuesForPersons: () => read(({ issues }) => [...issues.values()].filter(needsPerson)),
		issuesOfBoard: (project, { doneMax }) => read((rows) => boardIn(rows, project, doneMax)),
		lastIssueNumber: (slug) =>
			read(({ issues }) =>
				Math.max(0, ...issues.values().map(({ project, number }) => (project === slug ? number : 0))),
			),
		run: (id) => read(({ runs }) => runs.get(id)),
		runs: (issueId) => read(({ runs }) => [...runs.values()].filter((run) => run.issueId === issueId)),
		lastRun: (issueId) => read(({ runs }) => [...runs.values()].findLast((run) => run.issueId === issueId)),
		openRuns: () => read(({ runs }) => [...runs.values()].filter((run) => run.state === "open")),
		entry: (id) => read(({ entries }) => entries.get(id)),
		entries: (issue) => read((rows) => entriesIn(rows, issue)),
		documents: (issue) =>
			read((rows) =>
				entriesIn(rows, issue).flatMap(({ id, kind, name }) => (kind === "document" ? { id, name: name ?? "" } : [])),
			),
	};
}

/** Without the documents' earlier versions. */
function entriesIn({ entries }: Rows, issue: number): EntryState[] {
	const own = [...entries.values()].filter((entry) => entry.issueId === issue);
	const isNewest = (entry: EntryState): boolean =>
		own.findLast(({ kind, name }) => kind === "document" && name === entry.name) === entry;
	return own.filter((entry) => entry.kind !== "document" || isNewest(entry));
}

/** The open issues of a project, and those that were done last. */
export function boardIn({ issues }: Rows, project: ProjectSlug, doneMax: number): IssueState[] {
	const own = [...issues.values()].filter((issue) => issue.project === project && issue.deletedAt === null);
	const done = own
		.filter((issue) => !isOpen(issue))
		.sort((a, b) => (b.doneAt ?? 0) - (a.doneAt ?? 0) || b.number - a.number);
	const shown = new Set(done.slice(0, doneMax));
	return own.filter((issue) => isOpen(issue) || shown.has(issue));
}
