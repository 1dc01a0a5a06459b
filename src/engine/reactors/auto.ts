// Automatic work: assigns ready issues to free agents, and makes agents where there are too few. The rows that it reads
// may be out of date; the commands decide again, and the next event brings the next look.

import type { AgentState } from "#contract/agent.ts";
import type { CommandInput } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { isAbout, kindsOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import { isOwn, type NodeEpoch } from "#contract/node.ts";
import type { ProjectState } from "#contract/project.ts";
import { isHeldForPerson } from "#domain/agent-state/holds.ts";
import { pickWork } from "#domain/issue/pick.ts";
import { slotsLeft } from "#domain/slots.ts";
import { dispatchAll, type LookResult, type Reactor } from "../loop/reactor.ts";
import { type Clock, monotonicNow } from "../ports/clock.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { IssueWork } from "../ports/issue-work.ts";
import type { Log } from "../ports/log.ts";
import { type Reads, StoreFault } from "../ports/store.ts";
import { filesProblems } from "../workspaces/files-problems.ts";
import { issueFolder } from "../workspaces/issue-folder.ts";
import type { ProjectProblems } from "../workspaces/project-problems.ts";

interface Parts {
	reads: Reads;
	dispatch: Dispatch;
	clock: Clock;
	issueWork: IssueWork;
	agentZero: AgentId;
	log: Log;
	problems: ProjectProblems;
	/** this node: only what belongs to it is acted on; everything, if null */
	node: NodeEpoch | null;
}

/** how often a project with a problem is checked again */
const problemRetryMs = 60_000;

const wakers = kindsOf({
	subscription: ["added", "configured", "removed"],
	project: ["configured"],
	issue: [
		"added",
		"edited",
		"moved",
		"returned",
		"failed",
		"deescalated",
		"undepended",
		"deleted",
		"merged",
		"waitChanged",
	],
	agent: ["provisioned", "returned", "held", "unheld", "ended"],
	turn: ["ended"],
	prompt: ["cancelled"],
});

export function autoReactor(parts: Parts): Reactor {
	const { reads, clock, log } = parts;
	// while no project works by itself, nothing but a change of a project gives it something to do
	let anyAuto = true;
	return {
		name: "automatic work",
		wakes: (event: Event) => (anyAuto ? wakers.has(event.kind) || event.kind === "clear" : isAbout(event, "project")),
		async look(signal): Promise<LookResult> {
			let nextAt: number | null = null;
			const soonest = (at: number): void => {
				nextAt = Math.min(nextAt ?? at, at);
			};
			const served = (await reads.projects()).filter(
				(project) => project.auto && project.removedAt === null && isOwn(parts.node, project),
			);
			anyAuto = served.length > 0;
			for (const project of served) {
				if (signal.aborted) return "done";
				try {
					// a project with a problem is not served until a check finds it fixed
					if (parts.problems.of(project.slug) !== null && (await parts.problems.look(project)) !== null) {
						soonest(monotonicNow(clock) + problemRetryMs);
						continue;
					}
					const { result, at } = await serve(parts, project);
					if (result === "again") return result;
					if (at !== null) soonest(at);
				} catch (error) {
					if (error instanceof StoreFault) throw error;
					const about = { project: project.slug };
					log.warn("automatic work", "The issues of a project could not be given out", about, error);
					soonest(monotonicNow(clock) + problemRetryMs);
				}
			}
			return nextAt === null ? "done" : { inMs: nextAt - monotonicNow(clock) };
		},
	};
}

async function serve(parts: Parts, project: ProjectState): Promise<{ result: "done" | "again"; at: number | null }> {
	const { reads, dispatch } = parts;
	const picked = await pickFor(parts, project);
	const assign: CommandInput[] = [];
	for (const { issueId, agent } of picked.assign) {
		const row = await reads.issue(issueId);
		const folder = row === undefined ? null : await issueFolder(parts.issueWork, reads, row);
		assign.push({ type: "issue.assign", issueId, agent, ...(folder !== null && { folder }) });
	}
	const result = await dispatchAll(dispatch, [
		...picked.escalate.map((problem) => ({ type: "issue.escalate" as const, ...problem })),
		...picked.retry.map((issueId) => ({ type: "issue.retry" as const, issueId })),
		...picked.start.map((issueId) => ({ type: "issue.start" as const, issueId })),
		...assign,
		...picked.spawn.map(({ type, model, policy }) => ({
			...({ type: "agent.spawn", parent: parts.agentZero, context: "fresh", project: project.slug } as const),
			...(type !== undefined && { agentType: type }),
			...(model !== undefined && { model }),
			...(policy !== undefined && { policy }),
		})),
	]);
	return { result, at: picked.nextAt };
}

async function pickFor({ reads, clock, issueWork, log }: Parts, project: ProjectState) {
	const agents = await reads.agents({ project: project.slug, life: "living" });
	const pending = await reads.pendingWork(
		agents.map(({ id }) => id),
		clock.now(),
	);
	const [free, later] = [new Set<AgentId>(), new Set<AgentId>()];
	for (const agent of agents) {
		const { id, life, activity, holds, issue, turn } = agent;
		// it has an issue, or is on its way to or from the branch of one
		if (issue !== null || (activity !== "idle" && turn === null)) later.add(id);
		else if (turn === null && pending.get(id)?.queueLength === 0 && (await hasNoConversation(reads, agent, project))) {
			if (life === "live" && holds.length === 0) free.add(id);
			else if (!isHeldForPerson(agent)) later.add(id);
		}
	}
	// issues that are done block nothing, and add up for as long as there is the project
	const issues = await reads.issuesOfBoard(project.slug, { doneMax: 0 });
	const subscriptions = (await reads.subscriptions()).filter(({ removedAt }) => removedAt === null);
	const subscribed = subscriptions.map(({ type }) => type);
	const slots = slotsLeft(subscriptions, subscriptions.length === 0 ? [] : await agentsAtWork(reads));
	// only the workspaces of picked agents are checked; one whose files are in the way is passed over
	const problems = new Map<AgentId, string>();
	for (;;) {
		const now = monotonicNow(clock);
		const picked = pickWork({ project, issues, agents, free, later, problems, subscribed, slots, now });
		const chosen = agents.filter(({ id }) => picked.assign.some(({ agent }) => agent === id));
		const found = await filesProblems(issueWork, chosen, log);
		if (found.size === 0) return picked;
		for (const [agent, { message }] of found) {
			free.delete(agent);
			problems.set(agent, message);
		}
	}
}

/** Agents that have a slot, or will need one: at work, or with an issue that does not wait for a person. */
async function agentsAtWork(reads: Reads): Promise<AgentState[]> {
	const leased = new Set((await reads.turnLeases()).map(({ agent }) => agent));
	const live = await reads.agents({ life: "live" });
	const issues = await reads.issuesWith(live.flatMap(({ id, issue }) => (leased.has(id) ? [] : (issue?.id ?? []))));
	const underWay = new Set(
		issues.filter((each) => each.waiting === null && each.attention === null).map(({ id }) => id),
	);
	return live.filter(({ id, issue }) => leased.has(id) || (issue !== null && underWay.has(issue.id)));
}

/** An agent in a conversation is not free; it is when it is new or was released. */
async function hasNoConversation(reads: Reads, agent: AgentState, { context }: ProjectState): Promise<boolean> {
	if (context === "keep" && agent.totalTasksCompleted > 0) return true;
	if (agent.turnEndedIn === null) return agent.lineage === null;
	const { ranges } = await reads.ranges(agent.id);
	// system items since the clear are not conversation
	return (ranges.findLast((range) => range.agent === agent.id)?.after ?? 0) > agent.turnEndedIn;
}
