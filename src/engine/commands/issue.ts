// What the deciders of issues have to see, and where it is read.
import type { AgentId } from "#contract/ids.ts";
import type { IssueState, RunState } from "#contract/issue.ts";
import type {
	IssueAdd,
	IssueApprove,
	IssueAssign,
	IssueComplete,
	IssueDocument,
	IssueEdit,
	IssueGate,
	IssueLeft,
	IssueLose,
	IssueMerge,
	IssueReady,
	IssueReject,
	IssueRetry,
	RunFinish,
} from "#contract/issue-commands.ts";
import type { Limits } from "#contract/limits.ts";
import type { ProjectState } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Decision } from "#domain/decision.ts";
import { type AgentSight, decideAssign, decideLeft, decideReady, decideRetryIssue, decideUnassign, type IssueSight } from "#domain/issue/assign.ts";
import { decideAddIssue, decideDocument, decideEditIssue, decideMessage } from "#domain/issue/decide.ts";
import { decideApprove, decideComplete, decideFinish, decideGate, decideLose, decideMerged, decideReject } from "#domain/issue/flow.ts";
import { presetNamed } from "#domain/preset.ts";
import { claim } from "#domain/slots.ts";
import type { Decided, Work } from "../work.ts";
import { capacityOf } from "./slots.ts";

export async function addIssue(work: Work, command: IssueAdd): Promise<Decided> {
	const project = await work.project(command.project);
	const known = new Set((await work.tx.issues(command.project)).filter(({ deletedAt }) => deletedAt === null).map(({ number }) => number));
	const number = (await work.tx.lastIssueNumber(command.project)) + 1;
	return { decision: decideAddIssue(project, command, { number, known }), subject: "the event" };
}

/** Commands that concern one issue. One that was deleted is not there for anybody. */
export async function onIssue(work: Work, id: number, decide: (issue: IssueState, project: ProjectState) => Decision | Promise<Decision>): Promise<Decided> {
	const issue = await work.issue(id);
	const project = issue && (await work.project(issue.project));
	const gone = issue === undefined || project === undefined || issue.deletedAt !== null;
	const decision = gone ? refuse("NOT_FOUND", "There is no such issue.", { suggestions: ["brood issue list"] }) : await decide(issue, project);
	return { decision, subject: { event: id } };
}

/** The same, with everything around it. */
export async function withSight(work: Work, id: number, decide: (seen: IssueSight) => Decision | Promise<Decision>): Promise<Decided> {
	return await onIssue(work, id, async (issue, project) => await decide(await sightOf(work, issue, project)));
}

async function sightOf(work: Work, issue: IssueState, project: ProjectState): Promise<IssueSight> {
	const all = (await work.tx.issues(issue.project)).filter(({ deletedAt }) => deletedAt === null);
	const runs = await work.tx.runs(issue.id);
	const words = issue.prompt === null ? null : ((await work.tx.event(issue.prompt))?.text ?? null);
	return { issue, project, all, notes: await work.tx.notes(issue.id), lastRun: runs.at(-1)?.id ?? 0, words };
}

async function agentSight(work: Work, id: AgentId | null): Promise<AgentSight | null> {
	const agent = id === null ? undefined : await work.agent(id);
	if (agent === undefined) return null;
	const prompts = await work.tx.prompts(agent.id);
	const waits = (await work.tx.openWaits()).some((wait) => wait.agent === agent.id && !wait.blocking);
	return { agent, queue: await work.tx.queue(agent.id), issuePrompts: prompts.filter(({ source }) => source === "issue").map((prompt) => prompt.id), waits };
}

export async function editIssue(work: Work, command: IssueEdit): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) =>
		decideEditIssue(issue, command, {
			now: presetNamed(project, issue.preset),
			wished: command.preset === undefined ? null : presetNamed(project, command.preset),
		}),
	);
}

export async function documentIssue(work: Work, command: IssueDocument): Promise<Decided> {
	return await onIssue(work, command.issue, async (issue) =>
		decideDocument(issue, command, { notes: await work.tx.notes(issue.id), actor: work.envelope.actor }),
	);
}

export async function messageIssue(work: Work, command: Parameters<typeof decideMessage>[1]): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) =>
		decideMessage(issue, command, { loaded: presetNamed(project, issue.preset), actor: work.envelope.actor }),
	);
}

export async function assignIssue(work: Work, command: IssueAssign, limits: Limits): Promise<Decided> {
	const capacity = await capacityOf(work, limits);
	return await withSight(work, command.issue, async (seen) => {
		const on = await agentSight(work, command.agent);
		if (on === null) return refuse("AGENT_NOT_FOUND", `There is no agent ${command.agent}.`, { suggestions: ["brood agent list"] });
		return decideAssign(seen, on, command, claim(on.agent, capacity));
	});
}

export async function unassignIssue(work: Work, id: number): Promise<Decided> {
	return await onIssue(work, id, async (issue) => decideUnassign(issue, await agentSight(work, issue.assignee)));
}

export async function retryIssue(work: Work, command: IssueRetry): Promise<Decided> {
	return await withSight(work, command.issue, async (seen) => decideRetryIssue(seen, await agentSight(work, seen.issue.assignee), command));
}

export async function approveIssue(work: Work, command: IssueApprove): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) => decideApprove(issue, project, command));
}

export async function rejectIssue(work: Work, command: IssueReject): Promise<Decided> {
	const { at, actor: by } = work.envelope;
	return await withSight(work, command.issue, async (seen) => decideReject(seen, await agentSight(work, seen.issue.lastAgent), command, { at, by }));
}

export async function completeIssue(work: Work, command: IssueComplete): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) => decideComplete(issue, project, command, work.envelope));
}

export async function readyIssue(work: Work, command: IssueReady): Promise<Decided> {
	return await onIssue(work, command.issue, async (issue) =>
		decideReady(issue, issue.assignee === null ? undefined : await work.agent(issue.assignee), command),
	);
}

/** Also of an issue that was deleted meanwhile: its agent has to be free again. */
export async function leftIssue(work: Work, command: IssueLeft): Promise<Decided> {
	const issue = await work.issue(command.issue);
	const project = issue && (await work.project(issue.project));
	if (issue?.leaving == null || project === undefined) return { decision: [], subject: {} };
	return { decision: decideLeft(issue, await work.agent(issue.leaving.agent), command, project.context), subject: {} };
}

export async function loseIssue(work: Work, command: IssueLose): Promise<Decided> {
	return await onIssue(work, command.issue, async (issue, project) =>
		decideLose(issue, project, await agentSight(work, issue.assignee), command, work.envelope.steady),
	);
}

export async function gateIssue(work: Work, command: IssueGate): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) => decideGate(issue, project, command, work.envelope.steady));
}

export async function mergeIssue(work: Work, command: IssueMerge): Promise<Decided> {
	return await onIssue(work, command.issue, (issue, project) => decideMerged(issue, project, command));
}

export async function finishRun(work: Work, command: RunFinish): Promise<Decided> {
	const run = await work.tx.run(command.run);
	const issue = run && (await work.issue(run.issue));
	const project = issue && (await work.project(issue.project));
	const turn = run && (await work.turn(run.turn));
	const on = run === undefined ? null : await agentSight(work, run.agent);
	if (run === undefined || issue === undefined || project === undefined || turn === undefined || on === null) return { decision: [], subject: {} };
	const final = turn.finalItem === null ? null : ((await work.tx.event(turn.finalItem))?.text ?? null);
	const seen = { run, issue, project, on, turn, final, ...usageOf(turn), at: work.envelope.steady };
	return { decision: decideFinish(seen, command), subject: {} };
}

/** As far as its program told. */
function usageOf({ usage }: TurnState): Pick<RunState, "tokens" | "cost"> {
	const { inputTokens, outputTokens, cost } = usage ?? {};
	const told = inputTokens !== undefined || outputTokens !== undefined;
	return { tokens: told ? { input: inputTokens ?? 0, output: outputTokens ?? 0 } : null, cost: cost?.currency === "USD" ? cost.amount : null };
}
