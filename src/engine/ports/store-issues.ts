// The store's operations on issues, their runs and entries: a part of the port in `store.ts`.
import type { ProjectSlug } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";

export interface IssueReads {
	issue(id: number): Promise<IssueState | undefined>;
	issueByNumber(project: ProjectSlug, number: number): Promise<IssueState | undefined>;
	/** of all issues that the project ever had, oldest first; deleted ones too */
	issueIds(project: ProjectSlug): Promise<number[]>;
	/** the issues for which a reactor may have something to do, oldest first */
	issuesWithStepDue(): Promise<IssueState[]>;
	/** those that need a person's attention or review, oldest first */
	issuesForPersons(): Promise<IssueState[]>;
	/** the open issues of a project, and those that were done last, at most `doneMax`; by number */
	issuesOfBoard(project: ProjectSlug, done: { doneMax: number }): Promise<IssueState[]>;
	/** the highest number that an issue of the project ever had */
	lastIssueNumber(project: ProjectSlug): Promise<number>;
	run(id: number): Promise<RunState | undefined>;
	/** of one issue, oldest first */
	runs(issue: number): Promise<RunState[]>;
	/** the newest of them */
	lastRun(issue: number): Promise<RunState | undefined>;
	openRuns(): Promise<RunState[]>;
	/** comments, messages and the newest version of each document, oldest first */
	entries(issue: number): Promise<EntryState[]>;
	/** the newest version of each document, without its text, oldest first */
	documents(issue: number): Promise<{ id: number; name: string }[]>;
	entry(id: number): Promise<EntryState | undefined>;
}

export interface IssueWrites {
	putIssue(state: IssueState): Promise<void>;
	putRun(state: RunState): Promise<void>;
	putEntry(state: EntryState): Promise<void>;
}
