// Does the steps of issues that are due: checks out their branches, settles runs that are over, returns agents to their
// home branches, runs gates, merges.
//
//   rows say what is due ─▶ `IssueWork` does it ─▶ a command records the result
//
// A step may take minutes (git, a gate's command), so the steps of different issues run side by side; those of one
// issue run one after the other. After a crash in a step the next look finds it due again.

import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { isAbout, kindsOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import type { IssueState, RunState } from "#contract/issue.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import { hasNoWorkUnderWay } from "#domain/availability.ts";
import type { IssueInProject } from "#domain/issue/decide.ts";
import { presetNamed, stageOf } from "#domain/preset.ts";
import { errorRefusal } from "../loop/fault.ts";
import type { LookResult, Reactor } from "../loop/reactor.ts";
import { untilRecorded } from "../loop/retry.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Log } from "../ports/log.ts";
import type { Reads } from "../ports/store.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	clock: Clock;
	issueWork: IssueWork;
	log: Log;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

/** Does what is due for an issue, and returns the command that records it. */
type IssueStep = (signal: AbortSignal) => Promise<CommandInput | null>;

/** What wakes it besides events of issues and runs; while no step is due, these would change nothing. */
const otherWakers = kindsOf({
	turn: ["ended"],
	prompt: ["cancelled", "returned"],
	wait: ["ended"],
	workspace: ["freed"],
	agent: ["assigned", "prepared", "settling", "returned", "ended", "held", "unheld", "provisioned"],
	project: ["configured"],
});

export class IssueSteps implements Reactor, AsyncDisposable {
	readonly name = "issues";
	readonly #parts: Parts;
	/** steps under way, by the issue that they are for */
	readonly #busy = new Map<number, Promise<void>>();
	/** issues that changed while their step was running */
	readonly #missed = new Set<number>();
	readonly #stop = new AbortController();
	/** whether a step was due at the last look */
	#anyDue = true;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	wakes(event: Event): boolean {
		return isAbout(event, "issue", "run") || (this.#anyDue && otherWakers.has(event.kind));
	}

	async look(signal: AbortSignal): Promise<LookResult> {
		const { reads, clock, node } = this.#parts;
		const runs = Map.groupBy(await reads.openRuns(), (run) => run.issueId);
		const withStepDue = await reads.issuesWithStepDue();
		const ids = new Set([...withStepDue.map(({ id }) => id), ...runs.keys()]);
		this.#anyDue = ids.size > 0;
		if (!this.#anyDue) return "done";
		const ownProjects = new Set((await reads.projects()).filter((each) => isOwn(node, each)).map(({ slug }) => slug));
		let next: number | null = null;
		for (const id of ids) {
			if (signal.aborted) return "done";
			if (this.#busy.has(id)) {
				this.#missed.add(id);
				continue;
			}
			const issue = withStepDue.find((each) => each.id === id) ?? (await reads.issue(id));
			if (issue === undefined || !ownProjects.has(issue.project)) continue;
			if (issue.waiting === "gate" && issue.notBefore !== null && issue.notBefore > monotonicNow(clock)) {
				next = Math.min(next ?? issue.notBefore, issue.notBefore);
				continue;
			}
			const step = await this.#due(issue, runs.get(id) ?? []);
			if (step !== null) this.#busy.set(id, this.#runSteps(id, step));
		}
		return next === null ? "done" : { inMs: next - monotonicNow(clock) };
	}

	/** Stops the steps and waits for them. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#busy.values());
	}

	/** Runs one step after the other, as long as a step changes something or the issue changes meanwhile. */
	async #runSteps(id: number, first: IssueStep): Promise<void> {
		const { signal } = this.#stop;
		try {
			for (let step: IssueStep | null = first; step !== null && !signal.aborted; ) {
				this.#missed.delete(id);
				const changed = await this.#runStep(step, signal);
				step = changed || this.#missed.has(id) ? await this.#dueNow(id) : null;
				while (step === null && this.#missed.delete(id)) step = await this.#dueNow(id);
			}
		} catch (error) {
			// the next look finds the step due again
			this.#parts.log.warn("issues", "A step of an issue failed", { issue: id }, error);
		} finally {
			this.#busy.delete(id);
		}
	}

	async #runStep(step: IssueStep, signal: AbortSignal): Promise<boolean> {
		const command = await step(signal);
		if (command === null || signal.aborted) return false;
		const outcome = await untilRecorded(this.#parts.dispatch, bySystem(command), { signal });
		return outcome !== null && "done" in outcome && outcome.events.length > 0;
	}

	async #dueNow(id: number): Promise<IssueStep | null> {
		const { reads, clock } = this.#parts;
		const issue = await reads.issue(id);
		const later = issue?.waiting === "gate" && issue.notBefore !== null && issue.notBefore > monotonicNow(clock);
		return issue === undefined || later
			? null
			: await this.#due(
					issue,
					(await reads.runs(id)).filter((run) => run.state === "open"),
				);
	}

	async #due(issue: IssueState, runs: readonly RunState[]): Promise<IssueStep | null> {
		const { reads } = this.#parts;
		const project = await reads.project(issue.project);
		if (project === undefined) return null;
		const assignment = { project, issue };
		for (const run of runs) {
			const agent = await reads.agent(run.agent);
			const over = (await reads.turn(run.turn))?.state !== "open";
			// while the turn's files are being kept, the run is not settled
			if (agent !== undefined && over && (agent.life === "ended" || hasNoWorkUnderWay(agent)))
				return async () => await this.#settled(assignment, agent, run);
			return null;
		}
		if (issue.returning !== null) return await this.#returning(assignment, issue.returning.agent);
		if (issue.assignee !== null) return await this.#assigned(assignment, issue.assignee);
		if (issue.waiting === "gate") return (signal) => this.#gate(assignment, signal);
		return issue.waiting === "merge" ? () => this.#merge(assignment) : null;
	}

	async #settled(assignment: IssueInProject, agent: AgentState, run: RunState): Promise<CommandInput | null> {
		const settled = await attempt(() =>
			this.#parts.issueWork.settle({ ...assignment, agent, branch: assignment.issue.branch ?? "" }),
		);
		if (isWorkspaceBusy(settled)) return null;
		const { ahead, commit } = isRefusal(settled) ? { ahead: 0, commit: null } : settled;
		return { type: "run.finish", run: run.id, ahead, commit, ...(isRefusal(settled) && { problem: settled.message }) };
	}

	async #returning(assignment: IssueInProject, id: AgentId): Promise<IssueStep | null> {
		const agent = await this.#parts.reads.agent(id);
		const returned = { type: "issue.return" as const, issueId: assignment.issue.id };
		if (agent === undefined || agent.life === "ended") return async () => returned;
		if (agent.activity !== "settling" || agent.lease !== null) return null;
		return async () => {
			const problem = await attempt(
				async () =>
					(await this.#parts.issueWork.returnToHomeBranch({
						...assignment,
						agent,
						branch: assignment.issue.branch ?? "",
					})) ?? nothing,
			);
			return isWorkspaceBusy(problem) ? null : { ...returned, ...(isRefusal(problem) && { problem }) };
		};
	}

	async #assigned(assignment: IssueInProject, id: AgentId): Promise<IssueStep | null> {
		const { reads, issueWork } = this.#parts;
		const { issue } = assignment;
		const agent = await reads.agent(id);
		if (agent?.life === "live" && agent.activity === "preparing" && agent.issue?.id === issue.id) {
			return async () => {
				const there = await attempt(() => issueWork.switchBranch({ ...assignment, agent, branch: issue.branch ?? "" }));
				if (isWorkspaceBusy(there)) return null;
				if (isRefusal(there))
					return {
						type: "issue.loseAgent",
						issueId: issue.id,
						reason: `Its branch could not be checked out: ${there.message}`,
					};
				return { type: "issue.prepare", issueId: issue.id, ...there };
			};
		}
		// whether its agent is lost is decided inside the transaction
		const mayHaveLostAgent =
			agent?.life === "ended" || (agent?.activity === "idle" && agent.turn === null && issue.attention === null);
		const waits =
			mayHaveLostAgent &&
			agent?.life !== "ended" &&
			agent?.holds.length === 0 &&
			(await reads.promptsFrom(id, "issue")).length > 0;
		return mayHaveLostAgent && !waits ? async () => ({ type: "issue.loseAgent", issueId: issue.id }) : null;
	}

	async #gate(assignment: IssueInProject, signal: AbortSignal): Promise<CommandInput | null> {
		const { reads, issueWork } = this.#parts;
		const { issue, project } = assignment;
		const command = commandOf(project, issue);
		if (command === null)
			return { type: "issue.escalate", issueId: issue.id, reason: "Its gate is not in its preset any more." };
		const agent = issue.lastAgent === null ? null : ((await reads.agent(issue.lastAgent)) ?? null);
		const ended = await attempt(() =>
			issueWork.gate({ ...assignment, agent, branch: issue.branch ?? "", command }, signal),
		);
		if (signal.aborted) return null;
		const { exit, output } = isRefusal(ended) ? { exit: 1, output: ended.message } : ended;
		return { type: "issue.gate", issueId: issue.id, exit, output: output.slice(-20_000).toWellFormed() };
	}

	async #merge(assignment: IssueInProject): Promise<CommandInput> {
		const { reads, issueWork } = this.#parts;
		const { issue } = assignment;
		const agent = issue.lastAgent === null ? null : ((await reads.agent(issue.lastAgent)) ?? null);
		const merged = await attempt(() =>
			issueWork.merge({ ...assignment, agent, branch: issue.branch ?? "", commit: issue.approvedCommit }),
		);
		return {
			type: "issue.merge",
			issueId: issue.id,
			...(isRefusal(merged) ? { commit: null, problem: merged } : merged),
		};
	}
}

const nothing = {};

/** Another step uses the workspace. The end of that step wakes the reactor. */
const isWorkspaceBusy = (outcome: object): boolean => isRefusal(outcome) && outcome.code === "AGENT_BUSY";

/** A fault becomes a refusal, which is shown on the issue. */
async function attempt<T extends object>(work: () => Promise<T | Refusal>): Promise<T | Refusal> {
	try {
		return await work();
	} catch (error) {
		return errorRefusal(error);
	}
}

function commandOf(project: ProjectState, issue: IssueState): string | null {
	const loaded = presetNamed(project, issue.preset);
	const gate = "preset" in loaded ? stageOf(loaded.preset, issue.stage)?.gate : undefined;
	return gate === undefined || gate === "human" ? null : gate.command;
}
