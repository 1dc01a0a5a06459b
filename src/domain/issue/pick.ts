// Automatic work: which issue is ready, and which agent takes it. A pure function of the rows, asked again whenever they change.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { type IssueState, isOpen, issuePriorities } from "#contract/issue.ts";
import type { AgentWish, Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { firstWork, isBeforeStart, presetNamed } from "../preset.ts";
import { inWork, workStage } from "./assign.ts";
import { blockers } from "./decide.ts";

export interface PickSight {
	project: ProjectState;
	/** all issues of the project */
	issues: readonly IssueState[];
	/** its living agents */
	agents: readonly AgentState[];
	/** those that may be given an issue: idle, unheld, nothing to do, nobody's conversation in them */
	free: ReadonlySet<AgentId>;
	now: number;
}

export interface Picked {
	/** whose first step needs no agent */
	start: number[];
	assign: { issue: number; agent: AgentId }[];
	spawn: AgentWish[];
	/** cannot go on without a person, and why */
	broken: { issue: number; reason: string }[];
	/** when the next one that waits for its time is due */
	nextAt: number | null;
}

export function pickWork({ project, issues, agents, free, now }: PickSight): Picked {
	const picked: Picked = { start: [], assign: [], spawn: [], broken: [], nextAt: null };
	const open = issues.filter(
		(issue) => isOpen(issue) && issue.attention === null && issue.assignee === null && issue.leaving === null && issue.waiting === null,
	);
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
			if (isBeforeStart(loaded.preset, issue.stage) && firstWork(loaded.preset)?.prompt === undefined) picked.start.push(issue.id);
			continue;
		}
		const begun = taken.get(stage.name) ?? inWork(stage.name, issues);
		if (stage.wipMax !== undefined && begun >= stage.wipMax) continue;
		const wishes = wishesOf(loaded.preset, stage);
		const agent = firstMatch(
			wishes,
			agents.filter(({ id }) => left.has(id)),
		);
		if (agent !== undefined) {
			left.delete(agent.id);
			picked.assign.push({ issue: issue.id, agent: agent.id });
			taken.set(stage.name, begun + 1);
			continue;
		}
		// one that is on its way will be asked when it is there
		const waited = firstMatch(wishes, coming);
		if (waited !== undefined) coming.splice(coming.indexOf(waited), 1);
		else if (workers + picked.spawn.length < project.agentsMax) picked.spawn.push(wishes[0] ?? {});
		else continue;
		// and no more are made than may work in this stage
		taken.set(stage.name, begun + 1);
	}
	return picked;
}

const moreUrgent = (a: IssueState, b: IssueState): number => issuePriorities.indexOf(b.priority) - issuePriorities.indexOf(a.priority) || a.number - b.number;

const wishesOf = (preset: Preset, stage: Stage): AgentWish[] => [stage.agent ?? preset.agent ?? {}, ...(stage.fallbacks ?? preset.fallbacks ?? [])];

function firstMatch(wishes: readonly AgentWish[], agents: readonly AgentState[]): AgentState | undefined {
	for (const wish of wishes) {
		const found = agents.find((agent) => matches(agent, wish));
		if (found !== undefined) return found;
	}
	return undefined;
}

/** People are only asked by name. */
const matches = ({ type, model }: AgentState, wish: AgentWish): boolean =>
	(wish.type === undefined ? type !== "human" : type === wish.type) && (wish.model === undefined || model === wish.model);
