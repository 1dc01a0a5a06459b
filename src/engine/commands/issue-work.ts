// Commands of the daemon's reactors about the work on an issue: its branch, its runs, its gate and its merge.
import type { RunState } from "#contract/issue.ts";
import {
	IssueGate,
	IssueLoseAgent,
	IssueMerge,
	IssuePrepare,
	IssueReturn,
	RunFinish,
} from "#contract/issue-commands.ts";
import type { TurnState } from "#contract/turn.ts";
import { decidePrepare, decideReturn } from "#domain/issue/assign.ts";
import { decideGate, decideMerged } from "#domain/issue/review.ts";
import { decideFinishRun, decideLoseAgent, type FinishFacts } from "#domain/issue/runs.ts";
import { defineCommand } from "./define.ts";
import { agentFacts, onIssue } from "./on-issue.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export const issueWorkDefinitions = {
	"issue.prepare": onIssue({
		schema: IssuePrepare,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, { issue: { assignee } }) => ({
			agent: assignee === null ? undefined : await work.agent(assignee),
		}),
		decide: decidePrepare,
	}),
	// also for a deleted issue: its agent has to become free
	"issue.return": defineCommand({
		schema: IssueReturn,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, { issueId }) => {
			const issue = await work.issue(issueId);
			return {
				issue,
				project: issue && (await work.project(issue.project)),
				agent: issue?.returning ? await work.agent(issue.returning.agent) : undefined,
			};
		},
		decide: ({ issue, project, agent }, command) =>
			issue === undefined || project === undefined ? [] : decideReturn(issue, agent, command, project.context),
		subject: {},
	}),
	"issue.loseAgent": onIssue({
		schema: IssueLoseAgent,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, { issue }) => ({ on: await agentFacts(work, issue.assignee) }),
		decide: decideLoseAgent,
	}),
	"issue.gate": onIssue({
		schema: IssueGate,
		allowedActors: "daemon",
		startsWork: false,
		texts: ({ output }) => [output],
		decide: decideGate,
	}),
	"issue.merge": onIssue({ schema: IssueMerge, allowedActors: "daemon", startsWork: false, decide: decideMerged }),
	"run.finish": defineCommand({
		schema: RunFinish,
		allowedActors: "daemon",
		startsWork: false,
		load: async (work, command) => ({ found: await finishFacts(work, command) }),
		decide: ({ found }, command) => (found === null ? [] : decideFinishRun(found, command)),
		subject: {},
	}),
};

async function finishFacts(work: UnitOfWork, command: RunFinish): Promise<FinishFacts | null> {
	const run = await work.tx.run(command.run);
	const issue = run && (await work.issue(run.issueId));
	const project = issue && (await work.project(issue.project));
	const turn = run && (await work.turn(run.turn));
	const on = run === undefined ? null : await agentFacts(work, run.agent);
	if (run === undefined || issue === undefined || project === undefined || turn === undefined || on === null)
		return null;
	const final = turn.finalItem === null ? null : ((await work.tx.event(turn.finalItem))?.text ?? null);
	return { run, issue, project, on, turn, final, ...usageOf(turn), at: work.envelope.monotonic };
}

/** As far as the agent's program reported it. */
function usageOf({ usage }: TurnState): Pick<RunState, "inputTokens" | "outputTokens" | "costUsd"> {
	const { inputTokens, outputTokens, cost } = usage ?? {};
	const reported = inputTokens !== undefined || outputTokens !== undefined;
	return {
		inputTokens: reported ? (inputTokens ?? 0) : null,
		outputTokens: reported ? (outputTokens ?? 0) : null,
		costUsd: cost?.currency === "USD" ? cost.amount : null,
	};
}
