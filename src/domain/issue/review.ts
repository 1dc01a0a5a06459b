// Gates, approving, rejecting and merging of an issue's work.
import type { NewEvent } from "#contract/event.ts";
import type { Actor } from "#contract/ids.ts";
import type { EntryState, Help, IssueState } from "#contract/issue.ts";
import type { IssueApprove, IssueGate, IssueMerge, IssueReject } from "#contract/issue-commands.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { CommitId } from "#contract/workspace.ts";
import type { Decision } from "../decision.ts";
import { presetNamed, stageOf } from "../preset.ts";
import { type AgentFacts, assignmentOf, countWorkedOn, type IssueFacts, refusedIfBusy } from "./assign.ts";
import { aboutIssue, type IssueInProject, issueName, presetOf } from "./decide.ts";
import { advanced, escalated, moved, sentBack } from "./stage-change.ts";

const laterMs = 60_000;

export function decideGate(
	{ issue, project }: IssueInProject,
	{ exit, output }: IssueGate,
	{ monotonic: at }: { monotonic: number },
): Decision {
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	if (issue.waiting !== "gate" || "broken" in loaded || stage === undefined) return [];
	if (exit === 0) return advanced(issue, loaded.preset, stage, "work");
	if (exit === 75)
		return [
			{ kind: "issue.waitChanged", agent: null, data: { issueId: issue.id, waiting: "gate", notBefore: at + laterMs } },
		];
	const reason = output.trim() === "" ? `The command of the gate ended with ${exit} and said nothing.` : output;
	const target = stageOf(loaded.preset, stage.back ?? stage.name);
	// without an agent to fix it, going back would only run the same command again
	if (target?.prompt === undefined && target?.gate === stage.gate)
		return [
			{ kind: "issue.waitChanged", agent: null, data: { issueId: issue.id, waiting: "approval" } },
			escalated(issue, reason.slice(0, 2000).toWellFormed()),
		];
	return sentBack(issue, loaded.preset, stage, reason, "gateFailed");
}

/**
 * Approves one commit: later ones are not approved with it. Without a commit it is that of the last run. The branch may
 * have moved since, so a whole hash is taken as it is: the merge refuses one that the branch is not at.
 */
export function decideApprove(
	{ issue, project }: IssueInProject,
	{ commit, empty = false, strategy }: IssueApprove,
): Decision {
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	const stage = stageOf(preset, issue.stage);
	if (issue.waiting !== "approval" || stage === undefined) return notWaiting(issue, "approve");
	const whole = CommitId.safeParse(commit).data;
	if (commit !== undefined && whole === undefined && issue.commit?.startsWith(commit) !== true) {
		return refuse(
			"CONFLICT",
			`The last run of ${issueName(issue)} ended at ${issue.commit ?? "no commit"}, not at ${commit}. Name a later commit by its whole hash.`,
			aboutIssue(issue, { commit: issue.commit }),
		);
	}
	const clear: NewEvent[] =
		issue.attention === null ? [] : [{ kind: "issue.deescalated", agent: null, data: { issueId: issue.id } }];
	const reviewed = { ...issue, commit: whole ?? issue.commit };
	return [...clear, ...advanced(reviewed, preset, stage, "approve", { empty, ...(strategy && { strategy }) })];
}

function notWaiting(issue: IssueState, verb: string): Refusal {
	return refuse(
		"INVALID_TRANSITION",
		notWaitingText(issue),
		aboutIssue(issue, { from: issue.stage, operation: verb, waiting: issue.waiting }),
	);
}

export const notWaitingText = (issue: Pick<IssueState, "project" | "number" | "stage" | "waiting">): string =>
	`${issueName(issue)} is in ${issue.stage}${issue.waiting === "merge" ? " and is being merged" : " and waits for no review"}.`;

/** After the merge: done, or back to a person. */
export function decideMerged({ issue, project }: IssueInProject, { commit, note, problem }: IssueMerge): Decision {
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	const next = "preset" in loaded && stage?.next !== undefined ? stageOf(loaded.preset, stage.next) : undefined;
	if (issue.waiting !== "merge") return [];
	if (problem !== undefined || next === undefined) {
		const reason =
			problem === undefined
				? "Its preset no longer has a stage after this one."
				: `It could not be merged: ${problem.message}`;
		return [
			{ kind: "issue.waitChanged", agent: null, data: { issueId: issue.id, waiting: "approval" } },
			escalated(issue, reason, problem?.code, problem && helpIn(problem)),
		];
	}
	const data = { issueId: issue.id, commit, ...(note !== undefined && { note }) };
	return [{ kind: "issue.merged", agent: null, data }, moved(issue, next, "approve")];
}

const filesNamedMax = 50;

/** The files and commands that a refusal names. */
function helpIn({ details, suggestions }: Refusal): Help {
	const named = details["files"] ?? details["status"];
	const files = Array.isArray(named) ? named.map(String).slice(0, filesNamedMax) : [];
	return { ...(files.length > 0 && { files }), ...(suggestions.length > 0 && { suggestions }) };
}

/** Sends it back with the reason; its last agent continues at once if it is free. */
export function decideReject(
	{ last, ...facts }: IssueFacts & { last: AgentFacts | null },
	{ reason, folder }: IssueReject,
	{ at, actor: by }: { at: number; actor: Actor },
): Decision {
	const { issue, project, assigned } = facts;
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	const stage = stageOf(preset, issue.stage);
	const target = stage?.back === undefined ? undefined : stageOf(preset, stage.back);
	if (issue.waiting !== "approval" || stage === undefined || target === undefined) return notWaiting(issue, "reject");
	const free =
		last !== null &&
		!project.auto &&
		issue.returning === null &&
		refusedIfBusy(last) === null &&
		(target.wipMax === undefined || countWorkedOn(target.name, assigned) < target.wipMax);
	if (!free || target.prompt === undefined) return sentBack(issue, preset, stage, reason, "reject");
	// delivered with the prompt that is queued below
	const message: EntryState = {
		...{ id: 0, issueId: issue.id, kind: "message", at, by, text: reason, stage: target.name, delivered: false },
		...{ name: null, type: null, version: null },
	};
	return [
		moved(issue, target, "reject"),
		{
			kind: "issue.messaged",
			agent: null,
			text: reason,
			data: { issueId: issue.id, stage: target.name, delivered: true },
		},
		...assignmentOf(
			{ ...facts, issue: { ...issue, stage: target.name, failures: 0 }, entries: [...facts.entries, message] },
			last,
			target,
			folder ?? issue.folder,
		),
	];
}
