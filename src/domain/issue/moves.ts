// Starting an issue, and moving it by hand.
import type { IssueState } from "#contract/issue.ts";
import type { IssueMove } from "#contract/issue-commands.ts";
import type { Stage } from "#contract/preset.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";
import { firstWork, isBeforeStart, movesFrom, stageOf } from "../preset.ts";
import { type IssueFacts, refusedIfBlocked, refusedIfNoRoom, startMove } from "./assign.ts";
import { aboutIssue, issueName, presetOf, refusedWhileAssigned } from "./decide.ts";
import { branchOf } from "./prompt.ts";
import { moved } from "./stage-change.ts";

export type MoveFacts = Pick<IssueFacts, "issue" | "project" | "dependencies" | "others">;

export function decideStartIssue({ issue, project, dependencies, others }: MoveFacts): Decision {
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	if (!isBeforeStart(preset, issue.stage))
		return refuse(
			"INVALID_TRANSITION",
			`${issueName(issue)} is in ${issue.stage}: it has been started.`,
			aboutIssue(issue),
		);
	const first = firstWork(preset);
	if (first === undefined) return [];
	return refusedIfBlocked(issue, dependencies) ?? refusedIfNoRoom(issue, first, others) ?? [startMove(issue, first)];
}

export function decideMoveIssue(
	{ issue, project, dependencies, others }: MoveFacts,
	{ stage: to }: Pick<IssueMove, "stage">,
): Decision {
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	const allowed = movesFrom(preset, issue.stage);
	const target = stageOf(preset, to);
	if (target === undefined || !allowed.includes(to)) return noSuchMove(issue, to, allowed, target);
	const owned = beingWorkedOn(issue);
	if (owned) return owned;
	const begins = isBeforeStart(preset, issue.stage) && !isBeforeStart(preset, to);
	const refusal = (begins ? refusedIfBlocked(issue, dependencies) : null) ?? refusedIfNoRoom(issue, target, others);
	if (refusal) return refusal;
	return [
		moved(issue, target, "move", isBeforeStart(preset, to) || issue.branch !== null ? {} : { branch: branchOf(issue) }),
	];
}

function noSuchMove(issue: IssueState, to: string, allowed: readonly string[], target: Stage | undefined): Refusal {
	const words =
		target === undefined
			? `There is no stage ${to} in the preset ${issue.preset}.`
			: issue.stage === to
				? `${issueName(issue)} is in ${to} already.`
				: target.final === true
					? `${issueName(issue)} is ${to} only once it has been approved.`
					: `${issueName(issue)} cannot go from ${issue.stage} to ${to}.`;
	return refuse("INVALID_TRANSITION", words, aboutIssue(issue, { from: issue.stage, to, allowed: [...allowed] }));
}

function beingWorkedOn(issue: IssueState): Refusal | null {
	if (issue.waiting === "merge") return refuse("CONFLICT", `${issueName(issue)} is being merged.`, aboutIssue(issue));
	if (issue.assignee === null) return null;
	return refusedWhileAssigned(issue, `An agent works on ${issueName(issue)}: unassign it first.`);
}
