// Moves between stages, shared by runs, gates and people's decisions.
import type { NewEvent } from "#contract/event.ts";
import type { Actor } from "#contract/ids.ts";
import type { Help, IssueState } from "#contract/issue.ts";
import type { Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import type { RefusalCode } from "#contract/refusal.ts";
import type { MergeStrategy } from "#contract/workspace.ts";
import { gateOf, stageOf, waitingIn } from "../preset.ts";

export const retriesMax = 3;
/** how often agents and gates may send an issue back before it needs a person */
export const sentBackMax = 3;
const backoffMs = 5000;

type Why = Extract<NewEvent, { kind: "issue.moved" }>["data"]["why"];

export function moved(issue: IssueState, to: Stage, why: Why, more: { branch?: string } = {}): NewEvent {
	const final = to.final === true ? { final: true as const } : {};
	return {
		kind: "issue.moved",
		agent: null,
		data: { issueId: issue.id, from: issue.stage, to: to.name, why, waiting: waitingIn(to), ...final, ...more },
	};
}

export const escalated = (issue: IssueState, reason: string, code?: RefusalCode, help: Help = {}): NewEvent => ({
	kind: "issue.escalated",
	agent: null,
	text: reason,
	data: { issueId: issue.id, ...(code !== undefined && { code }), ...help },
});

/** Automatic work tries again with growing delays; after that, and without automatic work, it needs a person. */
export function failed(
	issue: IssueState,
	{ auto }: Pick<ProjectState, "auto">,
	reason: string,
	at: number,
): NewEvent[] {
	if (!auto || issue.failures >= retriesMax)
		return [escalated(issue, auto ? `${reason} It was tried ${issue.failures + 1} times.` : reason)];
	return [
		{
			kind: "issue.failed",
			agent: null,
			text: reason,
			data: { issueId: issue.id, notBefore: at + backoffMs * 2 ** issue.failures },
		},
	];
}

/** The stage's work is done: to its gate, or on. */
export function passed(issue: IssueState, preset: Preset, stage: Stage): NewEvent[] {
	const waiting = gateOf(stage);
	return waiting === null
		? advanced(issue, preset, stage, "work")
		: [{ kind: "issue.waitChanged", agent: null, data: { issueId: issue.id, waiting } }];
}

/** To the next stage; a final one is entered through the merge. */
export function advanced(
	issue: IssueState,
	preset: Preset,
	stage: Stage,
	why: "work" | "approve",
	how: { empty?: boolean; strategy?: MergeStrategy } = {},
): NewEvent[] {
	const next = stage.next === undefined ? undefined : stageOf(preset, stage.next);
	if (next === undefined) return [];
	const approved: NewEvent = {
		kind: "issue.approved",
		agent: null,
		data: { issueId: issue.id, commit: issue.commit, ...how },
	};
	if (next.final === true)
		return [approved, { kind: "issue.waitChanged", agent: null, data: { issueId: issue.id, waiting: "merge" } }];
	return [...(why === "approve" ? [approved] : []), moved(issue, next, why)];
}

/** The reason becomes a message to the stage that it goes back to. */
export function sentBack(
	issue: IssueState,
	preset: Preset,
	stage: Stage,
	reason: string,
	why: "back" | "gateFailed" | "reject",
	from?: Actor,
): NewEvent[] {
	const target = stageOf(preset, stage.back ?? stage.name);
	if (target === undefined) return [];
	const told: NewEvent[] =
		target.prompt === undefined || reason.trim() === ""
			? []
			: [
					{
						kind: "issue.messaged",
						agent: null,
						text: reason,
						data: { issueId: issue.id, stage: target.name, ...(from !== undefined && { from }) },
					},
				];
	const often = why !== "reject" && issue.bounces >= sentBackMax;
	return [
		moved(issue, target, why),
		...told,
		...(often
			? [escalated(issue, `It was sent back ${issue.bounces + 1} times: ${reason.slice(0, 500).toWellFormed()}`)]
			: []),
	];
}
