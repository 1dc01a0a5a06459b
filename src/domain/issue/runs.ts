// The end of a run: the agent's report, its commits, and the next step of the issue.
import type { NewEvent } from "#contract/event.ts";
import { type Actor, actingAgent } from "#contract/ids.ts";
import type { IssueState, RunState } from "#contract/issue.ts";
import type { IssueLoseAgent, IssueReport, RunFinish } from "#contract/issue-commands.ts";
import type { ProjectState } from "#contract/project.ts";
import { refuse } from "#contract/refusal.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Decision } from "../decision.ts";
import { presetNamed, stageOf } from "../preset.ts";
import { type AgentFacts, releaseOf } from "./assign.ts";
import { aboutIssue, type IssueInProject, issueName, notTheirs } from "./decide.ts";
import { escalated, failed, passed, sentBack } from "./stage-change.ts";

export interface FinishFacts {
	run: RunState;
	issue: IssueState;
	project: ProjectState;
	on: AgentFacts;
	turn: TurnState;
	/** the text of the turn's final item */
	final: string | null;
	inputTokens: number | null;
	outputTokens: number | null;
	costUsd: number | null;
	at: number;
}

export function decideFinishRun(facts: FinishFacts, command: RunFinish): Decision {
	const { run, issue, on, turn } = facts;
	if (run.state !== "open" || turn.state === "open") return [];
	const untouched = turn.handedAt === null;
	const state = untouched ? "cancelled" : turn.state;
	const reported = issue.report !== null || command.ahead > 0 || on.agent.type === "human";
	const work = turn.state === "completed" && command.problem === undefined && reported;
	const sessionId = on.agent.session?.sessionId ?? null;
	const finished: NewEvent = {
		kind: "run.finished",
		agent: run.agent,
		text: issue.report?.summary ?? facts.final,
		data: {
			issueId: issue.id,
			run: run.id,
			state,
			work,
			inputTokens: facts.inputTokens,
			outputTokens: facts.outputTokens,
			costUsd: facts.costUsd,
			sessionId,
			commit: command.commit,
		},
	};
	// an issue that continues, or is no longer this agent's, stays in its stage
	const continues = untouched || on.issuePrompts.length > 0 || on.waits || turn.stoppingFor === "urgent mail";
	if (issue.assignee !== run.agent || (continues && on.agent.life !== "ended")) return [finished];
	return [finished, ...nextStep(facts, command, work)];
}

function nextStep(facts: FinishFacts, { problem }: RunFinish, work: boolean): NewEvent[] {
	const { issue, project, on, turn, at } = facts;
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	// without automatic work, the agent stays assigned for the person who takes over
	const released = project.auto || on.agent.life === "ended" ? releaseOf(issue, on, false) : [];
	if ("broken" in loaded || stage === undefined)
		return [
			...released,
			escalated(
				issue,
				`Its preset ${issue.preset} is broken: ${"broken" in loaded ? loaded.broken : "its stage is gone"}.`,
			),
		];
	if (issue.attention !== null) return released;
	if (work)
		return [
			...releaseOf(issue, on, true),
			...(issue.report?.back === true
				? sentBack(issue, loaded.preset, stage, issue.report.summary, "back", actingAgent(facts.run.agent))
				: passed(issue, loaded.preset, stage)),
		];
	if (problem !== undefined)
		return [...released, ...failed(issue, project, `Its work could not be settled: ${problem}`, at)];
	if (turn.state === "completed") return [...released, escalated(issue, withoutWork(facts.final))];
	const ended = `Its turn ${turn.state === "failed" ? "failed" : `was ${turn.state}`}`;
	const reason = turn.reason === null ? `${ended}.` : `${ended}: ${turn.reason.replace(/\.$/, "")}.`;
	return [
		...released,
		...(turn.stoppingFor === "interrupt" ? [escalated(issue, reason)] : failed(issue, project, reason, at)),
	];
}

const withoutWork = (final: string | null): string =>
	`The run left no work behind: no commit, no work_complete.${final === null || final.trim() === "" ? "" : ` It ended with: ${final.trim().slice(0, 500).toWellFormed()}`}`;

/** The agent reports that this stage's work is complete, or has to go back. Takes effect when the turn ends. */
export function decideReport(
	{ issue, project }: IssueInProject,
	{ summary, back }: IssueReport,
	by: { actor: Actor },
): Decision {
	const refusal = notTheirs(issue, by.actor);
	if (refusal) return refusal;
	if (issue.run === null) return refuse("CONFLICT", `No run of ${issueName(issue)} is open.`, aboutIssue(issue));
	const loaded = presetNamed(project, issue.preset);
	const stage = "preset" in loaded ? stageOf(loaded.preset, issue.stage) : undefined;
	if (back && stage?.back === undefined)
		return refuse("INVALID_TRANSITION", `The stage ${issue.stage} has no stage to go back to.`, aboutIssue(issue));
	return [{ kind: "issue.reported", agent: null, text: summary, data: { issueId: issue.id, back } }];
}

/** Its agent ended, is held or never started. Without a reason, only checks for that. */
export function decideLoseAgent(
	{ issue, project, on }: IssueInProject & { on: AgentFacts | null },
	{ reason }: IssueLoseAgent,
	{ monotonic: at }: { monotonic: number },
): Decision {
	if (on === null || issue.run !== null) return [];
	const { agent } = on;
	if (agent.life === "ended")
		return [
			...releaseOf(issue, on, false),
			...failed(issue, project, `${agent.handle} was ${agent.endReason ?? "ended"}.`, at),
		];
	if (agent.issue?.id !== issue.id) return [];
	if (reason !== undefined)
		return agent.activity === "preparing"
			? [...releaseOf(issue, on, false), ...failed(issue, project, reason, at)]
			: [];
	if (agent.activity !== "idle" || agent.turn !== null || on.waits || issue.attention !== null) return [];
	// a limit ends by itself, and whoever paused or interrupted the agent will resume it; with automatic work nobody
	// looks at any other hold, so the issue is taken from the agent
	const expectedToEnd: readonly string[] = ["limit", "user", "interrupt"];
	const held = agent.holds.flatMap(({ kind }) => (expectedToEnd.includes(kind) ? [] : kind)).join(", ");
	if (project.auto && held !== "")
		return [...releaseOf(issue, on, false), ...failed(issue, project, `${agent.handle} is held (${held}).`, at)];
	if (on.issuePrompts.length > 0) return [];
	return [
		...releaseOf(issue, on, false),
		escalated(issue, `Its prompt was taken out of the queue of ${agent.handle}.`),
	];
}
