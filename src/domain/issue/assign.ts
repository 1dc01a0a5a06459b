// Assigning issues: agent, issue and prompt are taken in one decision.
//
//   issue.assign ─▶ agent `preparing` ─▶ its workspace is on the issue's branch ─▶ `idle`, its prompt starts ─▶ the run
//   released     ─▶ agent `settling`  ─▶ its workspace is on its home branch    ─▶ `idle`, without an issue

import type { AgentState } from "#contract/agent.ts";
import { counted } from "#contract/counted.ts";
import type { NewEvent } from "#contract/event.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import type { IssueAssign, IssuePrepare, IssueRetry, IssueReturn } from "#contract/issue-commands.ts";
import type { Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import { aboutAgent } from "../agent-state/transitions.ts";
import type { Decision } from "../decision.ts";
import { firstWork, isBeforeStart, stageOf, waitingIn } from "../preset.ts";
import { nextPosition, noSlot } from "../prompt.ts";
import type { Claim } from "../slots.ts";
import {
	aboutIssue,
	blockers,
	type IssueInProject,
	issueName,
	presetOf,
	refusedWhileAssigned,
	stillReturning,
} from "./decide.ts";
import { branchOf, quoted, stagePrompt } from "./prompt.ts";

/** An agent, and its work besides the issue. */
export interface AgentFacts {
	agent: AgentState;
	queue: { length: number; last: number | null; lastFront: number | null };
	/** the prompts in its queue that belong to an issue */
	issuePrompts: readonly number[];
	/** it ended its turn and will be continued by a wait */
	waits: boolean;
}

export interface IssueFacts extends IssueInProject {
	/** those that it depends on */
	dependencies: readonly IssueState[];
	/** the issues of the project that somebody works on */
	assigned: readonly IssueState[];
	/** the issues of the project, at least those of stages with a limit */
	others: readonly IssueState[];
	entries: readonly EntryState[];
	/** the latest one; its prompt had the comments before it */
	lastRun: RunState | null;
	/** the latest prompt */
	lastPrompt: string | null;
}

export function decideAssign(
	facts: IssueFacts,
	on: AgentFacts,
	{ folder, now }: IssueAssign,
	claimed: Claim,
): Decision {
	const { issue, project } = facts;
	const { agent } = on;
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	if (agent.project !== issue.project)
		return refuse("VALIDATION_ERROR", `${agent.handle} is not an agent of ${issue.project}.`, {
			details: { agent: agent.id, issueName: issueName(issue) },
		});
	if (issue.assignee === agent.id) return [];
	const target = workStage(preset, issue);
	const refusal =
		refusedIfTaken(issue) ??
		refusedIfBusy(on) ??
		refusedIfBlocked(issue, facts.dependencies) ??
		(target === undefined
			? noWork(issue)
			: (refusedIfFull(issue, target, facts.assigned) ??
				(issue.stage === target.name ? null : refusedIfNoRoom(issue, target, facts.others))));
	if (refusal) return refusal;
	if (now && "short" in claimed) return noSlot(agent, claimed.short);
	return target === undefined ? [] : assignmentOf(facts, on, target, folder ?? null);
}

/** The stage in which an agent would work on it now: its own, or the first one if it has not been started. */
export function workStage(preset: Preset, issue: IssueState): Stage | undefined {
	const stage = isBeforeStart(preset, issue.stage) ? firstWork(preset) : stageOf(preset, issue.stage);
	return stage?.prompt === undefined || issue.waiting !== null ? undefined : stage;
}

function refusedIfTaken(issue: IssueState): Refusal | null {
	if (issue.assignee !== null) return refusedWhileAssigned(issue, `Another agent works on ${issueName(issue)}.`);
	return issue.returning === null ? null : stillReturning(issue);
}

export function refusedIfBusy({ agent, queue }: AgentFacts): Refusal | null {
	if (agent.life === "ended")
		return refuse("AGENT_INVALID_STATE", `${agent.handle} has ended.`, aboutAgent(agent, "status"));
	const no = (why: string, suggest: "wait" | "status" | "queue"): Refusal =>
		refuse("AGENT_BUSY", `${agent.handle} ${why}.`, aboutAgent(agent, suggest));
	if (agent.issue !== null) return no(`works on issue ${agent.issue.number}`, "wait");
	if (agent.life === "provisioning" || agent.activity !== "idle") return no("is busy", "wait");
	if (agent.holds.length > 0) return no(`is held (${agent.holds.map(({ kind }) => kind).join(", ")})`, "status");
	return queue.length > 0 ? no(`has ${counted(queue.length, "prompt")} waiting`, "queue") : null;
}

export function refusedIfBlocked(issue: IssueState, dependencies: readonly IssueState[]): Refusal | null {
	const by = blockers(issue, dependencies);
	if (by.length === 0) return null;
	return refuse(
		"CONFLICT",
		`${issueName(issue)} is blocked by ${by.map((number) => `#${number}`).join(", ")}.`,
		aboutIssue(issue, { blockedBy: by }),
	);
}

const noWork = (issue: IssueState): Refusal =>
	refuse(
		"INVALID_TRANSITION",
		`No agent works on ${issueName(issue)} in ${issue.stage}${issue.waiting === null ? "" : `: it waits for ${issue.waiting === "approval" ? "a review" : `its ${issue.waiting}`}`}.`,
		aboutIssue(issue),
	);

/** Counted over the project, whatever presets its issues have. */
function refusedIfFull(issue: IssueState, stage: Stage, assigned: readonly IssueState[]): Refusal | null {
	if (stage.wipMax === undefined || countWorkedOn(stage.name, assigned) < stage.wipMax) return null;
	const many = stage.wipMax === 1 ? "1 issue is" : `${stage.wipMax} issues are`;
	return refuse(
		"CONFLICT",
		`${many} being worked on in ${stage.name}, which is the limit.`,
		aboutIssue(issue, { wipMax: stage.wipMax }),
	);
}

/** An agent's finished work moves on even into a full stage; nobody may start or move another issue into it. */
export function refusedIfNoRoom(
	issue: IssueState,
	{ name, wipMax }: Stage,
	others: readonly IssueState[],
): Refusal | null {
	const there = inStage(name, others).filter(({ id }) => id !== issue.id);
	if (wipMax === undefined || there.length < wipMax) return null;
	const held = there.length === 1 ? "1 issue" : `${there.length} issues`;
	return refuse("CONFLICT", `${name} is full: it has ${held}, and its limit is ${wipMax}.`, {
		...aboutIssue(issue, { to: name, wipMax, issues: there.map(({ number }) => number) }),
		suggestions: [`brood issue list --project ${issue.project} --stage ${name}`],
	});
}

/** All of them, whether somebody works on them or not. */
export const inStage = (stage: string, issues: readonly IssueState[]): IssueState[] =>
	issues.filter((other) => other.stage === stage && other.deletedAt === null);

/** Those that have an agent. */
export const countWorkedOn = (stage: string, issues: readonly IssueState[]): number =>
	issues.filter((other) => other.assignee !== null && other.stage === stage).length;

export function assignmentOf(facts: IssueFacts, on: AgentFacts, stage: Stage, folder: string | null): NewEvent[] {
	const { issue } = facts;
	const { agent } = on;
	const begun: IssueState = { ...issue, stage: stage.name, branch: issue.branch ?? branchOf(issue) };
	const moves: NewEvent[] = issue.stage === stage.name ? [] : [startMove(issue, stage)];
	return [
		...moves,
		{ kind: "issue.assigned", agent: null, data: { issueId: issue.id, agent: agent.id, folder } },
		{ kind: "agent.assigned", agent: agent.id, data: { issueId: issue.id, number: issue.number, stage: stage.name } },
		...promptFor({ ...facts, issue: begun }, on, stage, folder),
	];
}

export function startMove(issue: IssueState, stage: Stage): NewEvent {
	const data = {
		issueId: issue.id,
		from: issue.stage,
		to: stage.name,
		why: "start" as const,
		waiting: waitingIn(stage),
		branch: issue.branch ?? branchOf(issue),
	};
	return { kind: "issue.moved", agent: null, data };
}

/** A repeated attempt gets what the last prompt had, and what came since; for others a message is delivered once. */
function promptFor(
	{ issue, entries, lastRun, lastPrompt }: IssueFacts,
	{ agent, queue }: AgentFacts,
	stage: Stage,
	folder: string | null,
): NewEvent[] {
	const repeats = lastRun !== null && lastRun.stage === stage.name && lastRun.state !== "completed";
	const repeated = (entry: EntryState): boolean => repeats && lastPrompt?.includes(quoted(entry)) === true;
	const messages = entries.filter(
		(entry) => entry.kind === "message" && entry.stage === stage.name && (!entry.delivered || repeated(entry)),
	);
	const comments = entries.filter(
		(entry) => entry.kind === "comment" && (entry.id > (lastRun?.id ?? 0) || repeated(entry)),
	);
	const documents = entries.filter(({ kind }) => kind === "document");
	const text = stagePrompt(issue, stage, { comments, documents, messages, folder });
	// a message with id 0 is written by this decision, as delivered
	const ids = messages.filter(({ id, delivered }) => id !== 0 && !delivered).map(({ id }) => id);
	const delivered: NewEvent[] =
		ids.length === 0 ? [] : [{ kind: "issue.delivered", agent: null, data: { issueId: issue.id, messages: ids } }];
	return [
		...delivered,
		{
			kind: "prompt.queued",
			agent: agent.id,
			text,
			data: { position: nextPosition(false, queue), source: "issue", issueId: issue.id },
		},
	];
}

/** Clears its attention and its delay, and queues the prompt again if it has an agent. */
export function decideRetryIssue(
	{ on, ...facts }: IssueFacts & { on: AgentFacts | null },
	{ folder }: IssueRetry,
): Decision {
	const { issue, project } = facts;
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	const clear: NewEvent[] =
		issue.attention !== null || issue.notBefore !== null
			? [{ kind: "issue.deescalated", agent: null, data: { issueId: issue.id } }]
			: [];
	if (on === null || issue.run !== null || on.issuePrompts.length > 0 || on.agent.activity !== "idle") return clear;
	const held = on.agent.holds.length > 0 ? refusedIfBusy({ ...on, agent: { ...on.agent, issue: null } }) : null;
	if (held) return held;
	const stage = stageOf(preset, issue.stage);
	if (stage?.prompt === undefined) return clear;
	return [...clear, ...promptFor(facts, on, stage, folder ?? issue.folder)];
}

export function decideUnassign({ issue, on }: { issue: IssueState; on: AgentFacts | null }): Decision {
	if (on === null) return [];
	if (on.agent.turn !== null)
		return refuse("AGENT_BUSY", `${on.agent.handle} is in the middle of a turn.`, aboutAgent(on.agent, "interrupt"));
	return issue.run === null
		? releaseOf(issue, on, false)
		: refuse("AGENT_BUSY", `The last turn of ${on.agent.handle} is still being saved; try again.`, aboutIssue(issue));
}

/** The agent is free once its workspace is on its home branch. */
export function releaseOf(issue: IssueState, { agent, issuePrompts }: AgentFacts, work: boolean): NewEvent[] {
	const prompts = [...issuePrompts];
	return [
		...(prompts.length === 0
			? []
			: [{ kind: "prompt.cancelled", agent: agent.id, data: { prompts } } satisfies NewEvent]),
		{ kind: "issue.released", agent: null, data: { issueId: issue.id, agent: agent.id, work } },
		...(agent.life === "ended" ? [] : [{ kind: "agent.settling", agent: agent.id } satisfies NewEvent]),
	];
}

/** Its workspace is on the issue's branch: its prompt may start. */
export function decidePrepare(
	{ issue, agent }: { issue: IssueState; agent: AgentState | undefined },
	{ branch, base }: IssuePrepare,
): Decision {
	const prepares = agent?.issue?.id === issue.id && agent.activity === "preparing" && issue.assignee === agent.id;
	return prepares
		? [{ kind: "agent.prepared", agent: agent.id, data: { branch, ...(base !== undefined && { base }) } }]
		: [];
}

/** Its workspace is on its home branch. Its context is cleared, unless the project keeps it. */
export function decideReturn(
	issue: IssueState,
	agent: AgentState | undefined,
	{ problem }: IssueReturn,
	context: ProjectState["context"],
): Decision {
	if (issue.returning === null || agent === undefined) return [];
	const { work } = issue.returning;
	const alive = agent.life !== "ended";
	return [
		{ kind: "issue.returned", agent: null, data: { issueId: issue.id, agent: agent.id } },
		...(alive && context === "clear" ? [{ kind: "clear", agent: agent.id } satisfies NewEvent] : []),
		{ kind: "agent.returned", agent: agent.id, data: { work } },
		...(alive && problem !== undefined
			? [
					{ kind: "agent.failed", agent: agent.id, data: { code: problem.code, step: "switch" } } satisfies NewEvent,
					{ kind: "agent.held", agent: agent.id, data: { hold: "error", reason: problem.message } } satisfies NewEvent,
				]
			: []),
	];
}
