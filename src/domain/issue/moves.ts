// Starting an issue, and moving it by hand.
import type { IssueState } from "#contract/issue.ts";
import type { IssueMove } from "#contract/issue-commands.ts";
import type { Stage } from "#contract/preset.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";
import { firstWork, isBeforeStart, movesFrom, presetNamed, stageOf } from "../preset.ts";
import { blocked, type IssueFacts, started } from "./assign.ts";
import { about, brokenPreset, nameOf } from "./decide.ts";
import { branchOf } from "./prompt.ts";
import { moved } from "./stage-change.ts";

export function decideStartIssue({ issue, project, all }: IssueFacts): Decision {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	if (!isBeforeStart(loaded.preset, issue.stage))
		return refuse("INVALID_TRANSITION", `${nameOf(issue)} is in ${issue.stage}: it has been started.`, about(issue));
	const first = firstWork(loaded.preset);
	return blocked(issue, all) ?? (first === undefined ? [] : [started(issue, first)]);
}

export function decideMoveIssue({ issue, project, all }: IssueFacts, { stage: to }: IssueMove): Decision {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) return brokenPreset(issue, loaded);
	const { preset } = loaded;
	const allowed = movesFrom(preset, issue.stage);
	const target = stageOf(preset, to);
	if (target === undefined || !allowed.includes(to)) return noSuchMove(issue, to, allowed, target);
	const owned = beingWorkedOn(issue);
	if (owned) return owned;
	const begins = isBeforeStart(preset, issue.stage) && !isBeforeStart(preset, to);
	const refusal = begins ? blocked(issue, all) : null;
	if (refusal) return refusal;
	return [
		moved(issue, target, "move", isBeforeStart(preset, to) || issue.branch !== null ? {} : { branch: branchOf(issue) }),
	];
}

function noSuchMove(issue: IssueState, to: string, allowed: readonly string[], target: Stage | undefined): Refusal {
	const words =
		target === undefined
			? `There is no stage ${to} in the preset ${issue.preset}.`
			: target.final === true
				? `${nameOf(issue)} is ${to} only once it has been approved.`
				: `${nameOf(issue)} cannot go from ${issue.stage} to ${to}.`;
	return refuse("INVALID_TRANSITION", words, about(issue, { from: issue.stage, to, allowed: [...allowed] }));
}

function beingWorkedOn(issue: IssueState): Refusal | null {
	if (issue.waiting === "merge") return refuse("CONFLICT", `${nameOf(issue)} is being merged.`, about(issue));
	if (issue.assignee === null) return null;
	return refuse("CONFLICT", `An agent works on ${nameOf(issue)}: unassign it first.`, {
		...about(issue),
		suggestions: [`brood issue unassign ${nameOf(issue)}`],
	});
}
