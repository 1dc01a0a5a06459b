// Commands about one issue: it is given to the decider with its project, and is the answer.
import type { z } from "zod";
import type { Envelope } from "#contract/command.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { IssueState } from "#contract/issue.ts";
import type { Limits } from "#contract/limits.ts";
import { refuse } from "#contract/refusal.ts";
import type { Decision } from "#domain/decision.ts";
import type { AgentFacts, IssueFacts } from "#domain/issue/assign.ts";
import type { IssueInProject } from "#domain/issue/decide.ts";
import type { MoveFacts } from "#domain/issue/moves.ts";
import { presetNamed } from "#domain/preset.ts";
import { type Common, type Definition, defineCommand, type SchemaOf } from "./define.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

type IssueSchema = SchemaOf<{ issueId: number }>;

interface WithoutLoad<S extends IssueSchema> extends Common<S> {
	decide: (subject: IssueInProject, command: z.output<S>, envelope: Envelope) => Decision;
}

interface WithLoad<S extends IssueSchema, L extends object> extends Omit<WithoutLoad<S>, "decide"> {
	/** what the decider needs beside the issue and its project */
	load: (work: UnitOfWork, subject: IssueInProject, request: { command: z.output<S>; limits: Limits }) => Promise<L>;
	decide: (loaded: IssueInProject & L, command: z.output<S>, envelope: Envelope) => Decision;
}

/** A deleted issue is refused as unknown. */
export function onIssue<S extends IssueSchema, L extends object>(
	parts: WithLoad<S, L>,
): Definition<z.output<S>["type"]>;
export function onIssue<S extends IssueSchema>(parts: WithoutLoad<S>): Definition<z.output<S>["type"]>;
export function onIssue<S extends IssueSchema, L extends object>(
	parts: WithoutLoad<S> | WithLoad<S, L>,
): Definition<z.output<S>["type"]> {
	if (!("load" in parts)) return onIssue({ ...parts, load: async () => ({}) });
	const { load, ...rest } = parts;
	return defineCommand<S, IssueInProject & L>({
		subject: (_, { issueId }) => ({ event: issueId }),
		...rest,
		load: async (work, command, limits) => {
			const issue = await work.issue(command.issueId);
			const project = issue && (await work.project(issue.project));
			if (issue === undefined || project === undefined || issue.deletedAt !== null)
				return refuse("NOT_FOUND", "There is no such issue.", { suggestions: ["brood issue list"] });
			return { issue, project, ...(await load(work, { issue, project }, { command, limits })) };
		},
	});
}

/** The issues of a project with these numbers, and with `deep` those that they depend on, and so on. */
export async function numbered(
	{ tx }: UnitOfWork,
	project: ProjectSlug,
	numbers: readonly number[],
	{ deep = false } = {},
): Promise<IssueState[]> {
	const found = new Map<number, IssueState>();
	const open = [...numbers];
	for (let number = open.pop(); number !== undefined; number = open.pop()) {
		const issue = found.has(number) ? undefined : await tx.issueByNumber(project, number);
		if (issue === undefined || issue.deletedAt !== null) continue;
		found.set(number, issue);
		if (deep) open.push(...issue.dependsOn);
	}
	return [...found.values()];
}

/** The issue with everything around it. */
export async function issueFacts(work: UnitOfWork, { issue, project }: IssueInProject): Promise<IssueFacts> {
	const { tx } = work;
	return {
		issue,
		project,
		dependencies: await numbered(work, issue.project, issue.dependsOn),
		others: await inLimitedStages(work, { issue, project }),
		assigned: (await tx.issuesWithStepDue()).filter(
			({ project: slug, assignee, deletedAt }) => slug === project.slug && assignee !== null && deletedAt === null,
		),
		entries: await tx.entries(issue.id),
		lastRun: (await tx.lastRun(issue.id)) ?? null,
		lastPrompt: issue.prompt === null ? null : ((await tx.event(issue.prompt))?.text ?? null),
	};
}

/** What a person's move needs. */
export async function issueMoveFacts(work: UnitOfWork, { issue, project }: IssueInProject): Promise<MoveFacts> {
	return {
		issue,
		project,
		dependencies: await numbered(work, issue.project, issue.dependsOn),
		others: await inLimitedStages(work, { issue, project }),
	};
}

/** The open issues of the project, if the issue's preset limits how many a stage has. */
async function inLimitedStages({ tx }: UnitOfWork, { issue, project }: IssueInProject): Promise<IssueState[]> {
	const loaded = presetNamed(project, issue.preset);
	const isLimited = "preset" in loaded && loaded.preset.stages.some(({ wipMax }) => wipMax !== undefined);
	return isLimited ? await tx.issuesOfBoard(issue.project, { doneMax: 0 }) : [];
}

export async function agentFacts(work: UnitOfWork, id: AgentId | null): Promise<AgentFacts | null> {
	const agent = id === null ? undefined : await work.agent(id);
	if (agent === undefined) return null;
	const prompts = await work.tx.promptsFrom(agent.id, "issue");
	return {
		agent,
		queue: await work.tx.queueEnds(agent.id),
		issuePrompts: prompts.map(({ id }) => id),
		waits: (await work.tx.openWaits()).some((wait) => wait.agent === agent.id && !wait.blocking),
	};
}
