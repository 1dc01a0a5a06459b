// Which boards lack issues. Of the issues that are done, a board is loaded with the latest. An event may call for
// others: an older one is reopened, or one of the latest is reopened or deleted and the next one takes its place.
import type { ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import { mirroredDoneMax } from "#contract/mirror-request.ts";
import type { Grouped } from "./grouped.ts";
import { type Folded, touched } from "./rows.ts";

type Issues = Grouped<number, IssueState, ProjectSlug>;

const leavingKinds = ["issue.moved", "issue.deleted"];

export class BoardGaps {
	/** boards that may have older issues than were loaded */
	readonly #cut: Set<ProjectSlug>;
	readonly #lacking = new Set<ProjectSlug>();
	/** reopened issues that are not loaded: of one of these boards, or of a board that is not shown */
	readonly #unknown = new Set<number>();
	readonly #elsewhere = new Set<number>();

	constructor(boards: readonly ProjectSlug[], issues: readonly IssueState[]) {
		const done = Map.groupBy(issues.filter(isDone), ({ project }) => project);
		this.#cut = new Set(boards.filter((board) => (done.get(board)?.length ?? 0) >= mirroredDoneMax));
	}

	/** Calls `fold`, which changes the issues, and looks at what they lack then. */
	watch(event: Folded, issues: Issues, fold: () => void): void {
		const mayLeave = this.#cut.size > 0 && leavingKinds.includes(event.kind);
		const ids = mayLeave ? touched(event).flatMap(({ kind, key }) => (kind === "issue" ? Number(key) : [])) : [];
		const before = new Map(ids.map((id) => [id, issues.get(id)]));
		fold();
		for (const [id, row] of before) {
			if (row === undefined) this.#missing(id, event);
			else if (isDone(row) && !isDone(issues.get(id) ?? row)) this.#left(row.project, issues);
		}
	}

	#missing(issue: number, { kind }: Folded): void {
		if (kind === "issue.deleted" || this.#elsewhere.has(issue)) return;
		this.#unknown.add(issue);
		for (const board of this.#cut) this.#lacking.add(board);
	}

	#left(board: ProjectSlug, issues: Issues): void {
		if (this.#cut.has(board) && issues.of(board).filter(isDone).length < mirroredDoneMax) this.#lacking.add(board);
	}

	/** The boards to load, each once. */
	take(): ProjectSlug[] {
		const boards = [...this.#lacking];
		this.#lacking.clear();
		return boards;
	}

	/** Boards were loaded, and what has happened since was folded into them. */
	add(loaded: BoardGaps, issues: Issues): void {
		for (const board of loaded.#cut) this.#cut.add(board);
		for (const id of this.#unknown) if (!issues.has(id) && !loaded.#unknown.has(id)) this.#elsewhere.add(id);
		this.#unknown.clear();
		for (const id of loaded.#unknown) this.#unknown.add(id);
		for (const board of loaded.#lacking) this.#lacking.add(board);
	}
}

const isDone = ({ doneAt, deletedAt }: IssueState): boolean => doneAt !== null && deletedAt === null;
