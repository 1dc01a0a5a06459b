// Automatic work: which issue is ready, and which agent takes it. Computed again whenever rows change.
import type { AgentState } from "#contract/agent.ts";
import { executesPrompt } from "#contract/agent-type.ts";
import type { AgentId } from "#contract/ids.ts";
import { type IssueState, isOpen, issuePriorities } from "#contract/issue.ts";
import type { AgentSelector, Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { firstWork, isBeforeStart, presetNamed } from "../preset.ts";
import { inWork, workStage } from "./assign.ts";
import { blockers } from "./decide.ts";

export interface PickFacts {
	project: ProjectState;
	/** all issues of the project */
	issues: readonly IssueState[];
	/** its living agents */
	agents: readonly AgentState[];
	/** agents that may be given an issue: idle, without holds, queue or conversation */
	free: ReadonlySet<AgentId>;
	/** the types of all subscriptions, in their order */
	subscribed: readonly string[];
	now: number;
}

export interface Picked {
	/** issues whose first stage needs no agent */
	start: number[];
	/** issues that had no agent and have one now */
	retry: number[];
	assign: { issue: number; agent: AgentId }[];
	spawn: AgentSelector[];
	/** issues that need a person, and why */
	broken: { issue: number; reason: string; code?: "AGENT_NOT_FOUND" }[];
	/** when the next delayed issue is due */
	nextAt: number | null;
}

export function pickWork({ project, issues, agents, free, subscribed, now }: PickFacts): Picked {
	const picked: Picked = { start: [], retry: [], assign: [], spawn: [], broken: [], nextAt: null };
	const open = issues.filter(
		(issue) =>
			isOpen(issue) &&
			mayBePicked(issue) &&
			issue.assignee === null &&
			issue.leaving === null &&
			issue.waiting === null,
	);
	// if the preset names no type: the project's, or that of a subscription; never a type that executes its prompt
	const defaultType = project.agentType ?? subscribed.find((type) => type !== "human" && !executesPrompt(type));
	const left = new Set(free);
	const coming = agents.filter((agent) => agent.life === "provisioning" && agent.holds.length === 0);
	const workers = agents.filter((agent) => agent.type !== "human").length;
	const taken = new Map<string, number>();
	for (const issue of open.toSorted(moreUrgent)) {
		const loaded = presetNamed(project, issue.preset);
		if ("broken" in loaded) {
			picked.broken.push({ issue: issue.id, reason: `Its preset ${issue.preset} is broken: ${loaded.broken}.` });
			continue;
		}
		if (blockers(issue, issues).length > 0) continue;
		if (issue.notBefore !== null && issue.notBefore > now) {
			picked.nextAt = Math.min(picked.nextAt ?? issue.notBefore, issue.notBefore);
			continue;
		}
		const stage = workStage(loaded.preset, issue);
		if (stage === undefined) {
			if (isBeforeStart(loaded.preset, issue.stage) && firstWork(loaded.preset)?.prompt === undefined)
				picked.start.push(issue.id);
			continue;
		}
		const begun = taken.get(stage.name) ?? inWork(stage.name, issues);
		if (stage.wipMax !== undefined && begun >= stage.wipMax) continue;
		const selectors = selectorsOf(loaded.preset, stage).map((request) =>
			request.type === undefined && project.agentType !== null ? { ...request, type: project.agentType } : request,
		);
		const agent = firstMatch(
			selectors,
			agents.filter(({ id }) => left.has(id)),
		);
		if (agent !== undefined) {
			left.delete(agent.id);
			if (issue.attention !== null) picked.retry.push(issue.id);
			picked.assign.push({ issue: issue.id, agent: agent.id });
			taken.set(stage.name, begun + 1);
			continue;
		}
		// an agent that is being provisioned will take it
		const provisioning = firstMatch(selectors, coming);
		const type = selectors[0]?.type ?? defaultType;
		if (provisioning !== undefined) coming.splice(coming.indexOf(provisioning), 1);
		else if (type === undefined) {
			// a busy agent may take it later
			const later = firstMatch(selectors, agents) !== undefined;
			if (!later && issue.attention === null)
				picked.broken.push({ issue: issue.id, code: "AGENT_NOT_FOUND", reason: noAgentType(project) });
			continue;
		} else if (workers + picked.spawn.length < project.agentsMax) picked.spawn.push({ ...selectors[0], type });
		else continue;
		if (issue.attention !== null) picked.retry.push(issue.id);
		// counts against the stage's limit too
		taken.set(stage.name, begun + 1);
	}
	return picked;
}

/** It needs no person, or only an agent type. */
const mayBePicked = ({ attention }: IssueState): boolean => attention === null || attention.code === "AGENT_NOT_FOUND";

const noAgentType = ({ slug }: ProjectState): string =>
	`No agent type is named for automatic work in ${slug}. Name one with: brood project configure ${slug} --type claude`;

const moreUrgent = (a: IssueState, b: IssueState): number =>
	issuePriorities.indexOf(b.priority) - issuePriorities.indexOf(a.priority) || a.number - b.number;

const selectorsOf = (preset: Preset, stage: Stage): AgentSelector[] => [
	stage.agent ?? preset.agent ?? {},
	...(stage.fallbacks ?? preset.fallbacks ?? []),
];

function firstMatch(selectors: readonly AgentSelector[], agents: readonly AgentState[]): AgentState | undefined {
	for (const request of selectors) {
		const found = agents.find((agent) => matches(agent, request));
		if (found !== undefined) return found;
	}
	return undefined;
}

/** People, and types that would execute the issue's text, must be named. */
const matches = ({ type, model }: AgentState, request: AgentSelector): boolean =>
	(request.type === undefined ? type !== "human" && !executesPrompt(type) : type === request.type) &&
	(request.model === undefined || model === request.model);
