// Questions about issues, their runs and receipts in memory.
import type { Actor, Key, ProjectSlug } from "#contract/ids.ts";
import { type IssueState, isMoving, type NoteState, type RunState } from "#contract/issue.ts";
import type { Receipt } from "#contract/receipt.ts";
import { nameOf, type Rows } from "./rows.ts";

export class MemoryIssueReads {
	protected readonly rows: Rows;
	/** keeps questions from outside away from a batch that is half done */
	protected readonly settled: () => Promise<unknown>;

	constructor(rows: Rows, settled: () => Promise<unknown>) {
		this.rows = rows;
		this.settled = settled;
	}

	async receipt(actor: Actor, key: Key): Promise<Receipt | undefined> {
		await this.settled();
		return this.rows.receipts.get(nameOf(actor, key));
	}

	async issue(id: number): Promise<IssueState | undefined> {
		await this.settled();
		return this.rows.issues.get(id);
	}

	async issueByNumber(project: ProjectSlug, number: number): Promise<IssueState | undefined> {
		return (await this.issues(project)).find((issue) => issue.number === number);
	}

	async issues(project?: ProjectSlug): Promise<IssueState[]> {
		await this.settled();
		return [...this.rows.issues.values()].filter((issue) => project === undefined || issue.project === project);
	}

	async issuesMoving(): Promise<IssueState[]> {
		return (await this.issues()).filter(isMoving);
	}

	async lastIssueNumber(project: ProjectSlug): Promise<number> {
		return Math.max(0, ...(await this.issues(project)).map(({ number }) => number));
	}

	async run(id: number): Promise<RunState | undefined> {
		await this.settled();
		return this.rows.runs.get(id);
	}

	async runs(issue: number): Promise<RunState[]> {
		await this.settled();
		return [...this.rows.runs.values()].filter((run) => run.issue === issue);
	}

	async runsOfProject(project: ProjectSlug): Promise<RunState[]> {
		await this.settled();
		return [...this.rows.runs.values()].filter((run) => this.rows.issues.get(run.issue)?.project === project);
	}

	async openRuns(): Promise<RunState[]> {
		await this.settled();
		return [...this.rows.runs.values()].filter((run) => run.state === "open");
	}

	async note(id: number): Promise<NoteState | undefined> {
		await this.settled();
		return this.rows.notes.get(id);
	}

	async notes(issue: number): Promise<NoteState[]> {
		await this.settled();
		return [...this.rows.notes.values()].filter((note) => note.issue === issue);
	}
}
