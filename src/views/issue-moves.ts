// Whether a person may start or move an issue now: as the daemon decides it, in the words of its refusal.
import type { IssueState } from "#contract/issue.ts";
import type { IssueMove } from "#contract/issue-commands.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import { decideMoveIssue, decideStartIssue, type MoveFacts } from "#domain/issue/moves.ts";

export interface MoveInput {
	issue: IssueState;
	project: ProjectState;
	/** at least the open issues of the project */
	all: readonly IssueState[];
}

/** null if it may be started */
export const whyNoStart = (input: MoveInput): string | null => refusalIn(decideStartIssue(factsOf(input)));

/** null if it may be moved there */
export const whyNoMove = (input: MoveInput, stage: IssueMove["stage"]): string | null =>
	refusalIn(decideMoveIssue(factsOf(input), { stage }));

const factsOf = ({ all, ...rest }: MoveInput): MoveFacts => ({ ...rest, dependencies: all, others: all });

const refusalIn = (decided: Decision): string | null => (isRefusal(decided) ? decided.message : null);
