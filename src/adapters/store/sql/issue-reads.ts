// The store's questions about issues and their runs, on either database.
import type { ProjectSlug } from "#contract/ids.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import * as queries from "./issue-queries.ts";
import { JournalReads } from "./journal-reads.ts";
import { issueFrom, noteFrom, runFrom } from "./rows.ts";

export class IssueReads extends JournalReads {
	async issue(id: number): Promise<IssueState | undefined> {
		return (await this.connection.all(queries.issueById, { id })).map(issueFrom)[0];
	}

	async issueByNumber(project: ProjectSlug, number: number): Promise<IssueState | undefined> {
		return (await this.connection.all(queries.issueByNumber, { project, number })).map(issueFrom)[0];
	}

	async issues(project?: ProjectSlug): Promise<IssueState[]> {
		const rows =
			project === undefined
				? await this.connection.all(queries.allIssues, {})
				: await this.connection.all(queries.issuesOfProject, { project });
		return rows.map(issueFrom);
	}

	async issuesMoving(): Promise<IssueState[]> {
		return (await this.connection.all(queries.issuesMoving, {})).map(issueFrom);
	}

	async lastIssueNumber(project: ProjectSlug): Promise<number> {
		return (await this.connection.all(queries.lastIssueNumber, { project }))[0]?.number ?? 0;
	}

	async run(id: number): Promise<RunState | undefined> {
		return (await this.connection.all(queries.runById, { id })).map(runFrom)[0];
	}

	async runs(issue: number): Promise<RunState[]> {
		return (await this.connection.all(queries.runsOfIssue, { issue })).map(runFrom);
	}

	async runsOfProject(project: ProjectSlug): Promise<RunState[]> {
		return (await this.connection.all(queries.runsOfProject, { project })).map(runFrom);
	}

	async openRuns(): Promise<RunState[]> {
		return (await this.connection.all(queries.openRuns, {})).map(runFrom);
	}

	async note(id: number): Promise<NoteState | undefined> {
		return (await this.connection.all(queries.noteById, { id })).map(noteFrom)[0];
	}

	async notes(issue: number): Promise<NoteState[]> {
		return (await this.connection.all(queries.notesOfIssue, { issue })).map(noteFrom);
	}
}
