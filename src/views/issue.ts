// Turns issue rows into wire shapes.
import type { AgentId, Handle } from "#contract/ids.ts";
import { type EntryState, type IssueState, isOpen, needsPerson, type RunState } from "#contract/issue.ts";
import type { Issue, IssueDetails, NamedPreset, Run } from "#contract/issue-wire.ts";
import type { Preset } from "#contract/preset.ts";
import type { ProjectState, WorkSettings } from "#contract/project.ts";
import { workStage } from "#domain/issue/assign.ts";
import { blockers } from "#domain/issue/decide.ts";
import { notWaitingText } from "#domain/issue/review.ts";
import { movesFrom, presetNamed, stagesBeforeStart } from "#domain/preset.ts";
import { shipped } from "#domain/presets.ts";
import { iso, isoOrNull } from "./wire.ts";

/** What an issue's view needs beside its row. */
export interface IssueViewInput {
	project: ProjectState;
	/** of the project's issues at least those that it depends on */
	all: readonly IssueState[];
	/** its own, oldest first */
	runs: readonly RunState[];
	handles: ReadonlyMap<AgentId, Handle>;
}

export function issueView(issue: IssueState, { project, all, runs, handles }: IssueViewInput): Issue {
	const {
		returning: _returning,
		lastAgent: _last,
		run: _run,
		prompt: _prompt,
		report: _report,
		bounces: _bounces,
		folder: _folder,
		approvedCommit: _commit,
		...rest
	} = issue;
	const loaded = presetNamed(project, issue.preset);
	return {
		...rest,
		assigneeHandle: handleOf(issue.assignee, handles),
		attention: issue.attention && { ...issue.attention, at: iso(issue.attention.at) },
		blockedBy: blockers(issue, all),
		broken: "broken" in loaded ? loaded.broken : null,
		moves: "broken" in loaded ? [] : movesFrom(loaded.preset, issue.stage),
		runs: runs.map((run) => runView(run, handles)),
		notBefore: isoOrNull(issue.notBefore),
		createdAt: iso(issue.createdAt),
		updatedAt: iso(issue.updatedAt),
		doneAt: isoOrNull(issue.doneAt),
		deletedAt: isoOrNull(issue.deletedAt),
	};
}

/** What an issue waits for, beside its stage. */
export const waitingTexts: Readonly<Record<NonNullable<Issue["waiting"]>, string>> = {
	approval: "waits for a review",
	gate: "waits for its gate",
	merge: "waits for its merge",
};

/** What an issue waits for that depends on others. */
export const blockedText = (blockedBy: Issue["blockedBy"]): string =>
	`blocked by ${blockedBy.map((number) => `#${number}`).join(", ")}`;

/** Why an issue can neither be approved nor rejected now; null if it can. */
export const whyNoReview = (issue: Pick<Issue, "project" | "number" | "stage" | "waiting">): string | null =>
	issue.waiting === "approval" ? null : notWaitingText(issue);

export function runView({ issueId: _, ...run }: RunState, handles: ReadonlyMap<AgentId, Handle>): Run {
	const durationMs = run.endedAt === null ? null : run.endedAt - run.startedAt;
	return {
		...run,
		handle: handleOf(run.agent, handles),
		durationMs,
		startedAt: iso(run.startedAt),
		endedAt: isoOrNull(run.endedAt),
	};
}

const handleOf = (agent: AgentId | null, handles: ReadonlyMap<AgentId, Handle>): Handle | null =>
	agent === null ? null : (handles.get(agent) ?? null);

export function issueDetails(
	issue: Issue,
	entries: readonly EntryState[],
	artifacts: IssueDetails["artifacts"],
): IssueDetails {
	const of = (kind: EntryState["kind"]): EntryState[] => entries.filter((entry) => entry.kind === kind);
	return {
		...issue,
		comments: of("comment").map(commentView),
		documents: of("document").map(documentView),
		messages: of("message").map(messageView),
		artifacts,
	};
}

export const commentView = ({ id, by, at, text }: EntryState): IssueDetails["comments"][number] => ({
	...{ id, by, at: iso(at), text },
});

export const documentView = (entry: EntryState): IssueDetails["documents"][number] => ({
	...commentView(entry),
	name: entry.name ?? "",
	type: entry.type,
	version: entry.version ?? 1,
});

export const messageView = (entry: EntryState): IssueDetails["messages"][number] => ({
	...commentView(entry),
	stage: entry.stage ?? "",
	delivered: entry.delivered,
});

/** The project's own first, then the shipped ones. */
export function presetsView(project: WorkSettings): NamedPreset[] {
	const names = [...new Set([...Object.keys(project.presets), ...Object.keys(shipped)])];
	return names.map((name) => ({
		name,
		shipped: !Object.hasOwn(project.presets, name),
		default: name === project.preset,
		loaded: presetNamed(project, name),
	}));
}

/** The stages in which issues of a preset wait until they are started. */
export const stageNamesBeforeStart = (preset: Preset): string[] => stagesBeforeStart(preset).map(({ name }) => name);

export interface IssueFilter {
	stage?: string | undefined;
	label?: string | undefined;
	assignee?: AgentId | "none" | undefined;
	/** in the title or the body, ignoring case */
	text?: string | undefined;
	attention?: boolean | undefined;
	ready?: boolean | undefined;
	priority?: IssueState["priority"] | undefined;
	deleted?: boolean | undefined;
}

export function isWanted(
	issue: IssueState,
	filter: IssueFilter,
	extras: Pick<IssueViewInput, "project" | "all">,
): boolean {
	const { stage, label, priority, assignee, text, attention, ready, deleted = false } = filter;
	const words = text?.toLowerCase();
	return (
		(deleted || issue.deletedAt === null) &&
		(stage === undefined || issue.stage === stage) &&
		(label === undefined || issue.labels.includes(label)) &&
		(priority === undefined || issue.priority === priority) &&
		(ready !== true || isReady(issue, extras)) &&
		(assignee === undefined || issue.assignee === (assignee === "none" ? null : assignee)) &&
		(attention !== true || needsPerson(issue)) &&
		(words === undefined || issue.title.toLowerCase().includes(words) || issue.body.toLowerCase().includes(words))
	);
}

/** Unassigned, not blocked, and in a stage that an agent can work on. */
function isReady(issue: IssueState, { project, all }: Pick<IssueViewInput, "project" | "all">): boolean {
	const loaded = presetNamed(project, issue.preset);
	const free = isOpen(issue) && issue.assignee === null && issue.returning === null && issue.attention === null;
	return (
		free && blockers(issue, all).length === 0 && "preset" in loaded && workStage(loaded.preset, issue) !== undefined
	);
}
