// Automatic work: which issue is ready, and which agent takes it. Computed again whenever rows change.
import type { AgentState } from "#contract/agent.ts";
import { executesPrompt } from "#contract/agent-type.ts";
import type { AgentId } from "#contract/ids.ts";
import { type IssueState, isOpen, issuePriorities } from "#contract/issue.ts";
import type { AgentSelector, Preset, Stage } from "#contract/preset.ts";
import type { ProjectState } from "#contract/project.ts";
import { isHeldForPerson, verbThatEndsHolds } from "../agent-state/holds.ts";
import { firstWork, isBeforeStart, presetNamed } from "../preset.ts";
import { countWorkedOn, inStage, workStage } from "./assign.ts";
import { blockers } from "./decide.ts";

export interface PickFacts {
	project: ProjectState;
	/** at least the open issues of the project */
	issues: readonly IssueState[];
	/** its living agents */
	agents: readonly AgentState[];
	/** agents that may be given an issue: idle, without holds, queue or conversation */
	free: ReadonlySet<AgentId>;
	/** agents that are not free now and will be: those with an issue, and unused ones that no person has to continue */
	later: ReadonlySet<AgentId>;
	/** why agents cannot take an issue as their files are, of those that were looked at */
	problems?: ReadonlyMap<AgentId, string> | undefined;
	/** the types of all subscriptions, in their order */
	subscribed: readonly string[];
	/** slots of a type's subscriptions that nobody uses or is about to use; a type without a subscription is not here */
	slots: ReadonlyMap<string, number>;
	now: number;
}

export interface Picked {
	/** issues whose first stage needs no agent */
	start: number[];
	/** issues that had no agent and have one now */
	retry: number[];
	assign: { issueId: number; agent: AgentId }[];
	spawn: AgentSelector[];
	/** issues that need a person, and why */
	escalate: { issueId: number; reason: string; code?: "AGENT_NOT_FOUND" }[];
	/** when the next delayed issue is due */
	nextAt: number | null;
}

export function pickWork(facts: PickFacts): Picked {
	const { project, issues, agents, free, later, problems, subscribed, slots, now } = facts;
	const picked = nothingPicked();
	const open = issues.filter((issue) => isOpen(issue) && mayBePicked(issue));
	const defaultType = defaultTypeOf({ project, subscribed });
	const left = new Set(free);
	const coming = agents.filter((agent) => agent.life === "provisioning" && agent.holds.length === 0);
	const awaited = agents.filter(({ id }) => free.has(id) || later.has(id));
	const notHuman = agents.filter((agent) => agent.type !== "human").length;
	const { hasRoom, take } = roomIn(slots);
	const stages = stagesOf(issues);
	for (const issue of open.toSorted(moreUrgent)) {
		const work = workNow(issue, { project, issues, now }, picked);
		if (work === null) continue;
		const { preset, stage } = work;
		if (stages.isFull(stage, issue)) continue;
		const selectors = selectorsOf(preset, stage).map((selector) => withDefaults(selector, project));
		const agent = firstMatch(
			selectors,
			agents.filter(({ id, type }) => left.has(id) && hasRoom(type)),
		);
		if (agent !== undefined) {
			left.delete(agent.id);
			take(agent.type);
			if (issue.attention !== null) picked.retry.push(issue.id);
			picked.assign.push({ issueId: issue.id, agent: agent.id });
			stages.enter(stage, issue);
			continue;
		}
		// an agent that is being provisioned will take it
		const provisioning = firstMatch(
			selectors,
			coming.filter((each) => hasRoom(each.type)),
		);
		const type = selectors[0]?.type ?? defaultType;
		if (provisioning !== undefined) coming.splice(coming.indexOf(provisioning), 1);
		else if (type === undefined) {
			if (issue.attention === null && firstMatch(selectors, awaited) === undefined)
				picked.escalate.push({ issueId: issue.id, code: "AGENT_NOT_FOUND", reason: noAgentType(project) });
			continue;
		} else if (hasRoom(type) && notHuman + picked.spawn.length < project.agentsMax)
			picked.spawn.push({ ...selectors[0], type });
		else {
			// no more agents may be made, and none of those there are will take it by itself
			if (hasRoom(type) && issue.attention === null && firstMatch(selectors, awaited) === undefined) {
				const taken = firstMatch(selectors, agents);
				picked.escalate.push({
					...{ issueId: issue.id, code: "AGENT_NOT_FOUND" },
					reason: noneFits(project, selectors[0] ?? {}, notHuman + picked.spawn.length, { taken, problems }),
				});
			}
			continue;
		}
		const chosen = provisioning?.type ?? type;
		if (chosen !== undefined) take(chosen);
		if (issue.attention !== null) picked.retry.push(issue.id);
		// counts against the stage's limit too
		stages.enter(stage, issue);
	}
	return picked;
}

/** What comes next, and what stands in the way of issues before it. */
export interface NextIssue {
	/** an agent that fits may take it, or a new one may be made whose type is known */
	issue: IssueState | null;
	/** why the first of the issues before it gets no agent; null if each waits for room in its stage */
	reason: string | null;
	/** stages that are too full for another issue */
	full: string[];
}

export function nextIssue(facts: Pick<PickFacts, "project" | "issues" | "agents" | "subscribed" | "now">): NextIssue {
	const { project, issues, agents } = facts;
	const full = new Set<string>();
	let reason: string | null = null;
	const stages = stagesOf(issues);
	const living = agents.filter(({ type }) => type !== "human").length;
	for (const issue of issues.filter((each) => isOpen(each) && mayBePicked(each)).toSorted(moreUrgent)) {
		const work = workNow(issue, facts, nothingPicked());
		if (work === null) continue;
		const selectors = selectorsOf(work.preset, work.stage).map((selector) => withDefaults(selector, project));
		const isTyped = (selectors[0]?.type ?? defaultTypeOf(facts)) !== undefined;
		const fitting = firstMatch(selectors, agents);
		// one with this attention waits for nobody that is there
		const isAwaited = issue.attention === null && fitting !== undefined;
		if (stages.isFull(work.stage, issue)) full.add(work.stage.name);
		else if (isAwaited || (isTyped && living < project.agentsMax)) return { issue, reason, full: [...full] };
		else reason ??= isTyped ? noneFits(project, selectors[0] ?? {}, living, { taken: fitting }) : noAgentType(project);
	}
	return { issue: null, reason, full: [...full] };
}

/** If the preset names no type: the project's, or that of a subscription; never a type that executes its prompt. */
const defaultTypeOf = ({ project, subscribed }: Pick<PickFacts, "project" | "subscribed">): string | undefined =>
	project.agentType ?? subscribed.find((type) => type !== "human" && !executesPrompt(type));

const nothingPicked = (): Picked => ({ start: [], retry: [], assign: [], spawn: [], escalate: [], nextAt: null });

/** The stage in which an agent could work on an issue now. If there is none, `picked` says what else has to be done. */
function workNow(
	issue: IssueState,
	{ project, issues, now }: Pick<PickFacts, "project" | "issues" | "now">,
	picked: Picked,
): { preset: Preset; stage: Stage } | null {
	const loaded = presetNamed(project, issue.preset);
	if ("broken" in loaded) {
		picked.escalate.push({ issueId: issue.id, reason: `Its preset ${issue.preset} is broken: ${loaded.broken}.` });
		return null;
	}
	if (blockers(issue, issues).length > 0) return null;
	if (issue.notBefore !== null && issue.notBefore > now) {
		picked.nextAt = Math.min(picked.nextAt ?? issue.notBefore, issue.notBefore);
		return null;
	}
	const { preset } = loaded;
	const stage = workStage(preset, issue);
	if (stage !== undefined) return { preset, stage };
	if (isBeforeStart(preset, issue.stage) && firstWork(preset)?.prompt === undefined) picked.start.push(issue.id);
	return null;
}

/** Counts the slots that are left; a type without a subscription has no limit. */
function roomIn(slots: PickFacts["slots"]) {
	const room = new Map(slots);
	return {
		hasRoom: (type: string): boolean => (room.get(type) ?? 1) > 0,
		take: (type: string): void => void room.set(type, (room.get(type) ?? Number.POSITIVE_INFINITY) - 1),
	};
}

/** Counts what each stage has: the issues that are worked on, and all that are there, which are limited together. */
function stagesOf(issues: readonly IssueState[]) {
	const [more, entered] = [new Map<string, number>(), new Map<string, number>()];
	const add = (to: Map<string, number>, name: string): void => void to.set(name, (to.get(name) ?? 0) + 1);
	return {
		isFull: ({ name, wipMax }: Stage, issue: IssueState): boolean =>
			wipMax !== undefined &&
			(countWorkedOn(name, issues) + (more.get(name) ?? 0) >= wipMax ||
				(issue.stage !== name && inStage(name, issues).length + (entered.get(name) ?? 0) >= wipMax)),
		enter({ name }: Stage, issue: IssueState): void {
			add(more, name);
			if (issue.stage !== name) add(entered, name);
		},
	};
}

/** Nobody has it, and it needs no person, or only because no agent fits. */
const mayBePicked = ({ attention, assignee, returning, waiting }: IssueState): boolean =>
	(attention === null || attention.code === "AGENT_NOT_FOUND") &&
	assignee === null &&
	returning === null &&
	waiting === null;

const withDefaults = (selector: AgentSelector, { agentType, policy }: ProjectState): AgentSelector => ({
	...(agentType !== null && { type: agentType }),
	...(policy !== null && { policy }),
	...selector,
});

/**
 * `living`: the agents that the project has or is about to get, human ones not counted. `taken`: one that fits, and
 * that a person uses or has to continue.
 */
function noneFits(
	{ slug, agentsMax, written }: ProjectState,
	wanted: AgentSelector,
	living: number,
	{ taken, problems }: { taken: AgentState | undefined } & Pick<PickFacts, "problems">,
): string {
	const named = Object.entries(wanted).map(([name, value]) => `${name} ${value}`);
	const none =
		taken !== undefined
			? `The agents of ${slug} that fit are held, in conversations, or have files in the way`
			: named.length === 0
				? `No agent of ${slug} may be given issues`
				: `No agent of ${slug} fits ${named.join(", ")}`;
	const more = Math.max(living, agentsMax) + 1;
	const how =
		written.agentsMax === undefined
			? `brood project auto on ${slug} --agents-max ${more}`
			: `agentsMax: ${more} in the config.yaml that sets it to ${agentsMax}`;
	const first = taken === undefined ? "Allow" : freeing(taken, slug, problems?.get(taken.id));
	return `${none}, and ${slug} has ${living} of at most ${agentsMax} agents. ${first} one more with: ${how}`;
}

function freeing(agent: AgentState, slug: string, problem: string | undefined): string {
	if (problem !== undefined) return `${slug}/${agent.handle}: ${problem} Or allow`;
	const [say, verb] = isHeldForPerson(agent)
		? ["Let one continue", verbThatEndsHolds(agent)]
		: ["Release one", "release"];
	return `${say} with: brood agent ${verb} ${slug}/${agent.handle}, or allow`;
}

const noAgentType = ({ slug }: ProjectState): string =>
	`No agent type is named for automatic work in ${slug}. Name one with: brood project configure ${slug} --type claude`;

const moreUrgent = (a: IssueState, b: IssueState): number =>
	issuePriorities.indexOf(b.priority) - issuePriorities.indexOf(a.priority) || a.number - b.number;

const selectorsOf = (preset: Preset, stage: Stage): AgentSelector[] => [
	stage.agent ?? preset.agent ?? {},
	...(stage.fallbacks ?? preset.fallbacks ?? []),
];

function firstMatch(selectors: readonly AgentSelector[], agents: readonly AgentState[]): AgentState | undefined {
	for (const selector of selectors) {
		const found = agents.find((agent) => matches(agent, selector));
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Human agents, and types that would execute the issue's text, must be named. */
const matches = ({ type, model, policy }: AgentState, selector: AgentSelector): boolean =>
	(selector.type === undefined ? type !== "human" && !executesPrompt(type) : type === selector.type) &&
	(selector.model === undefined || model === selector.model) &&
	(selector.policy === undefined || policy === selector.policy);
