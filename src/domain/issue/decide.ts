// Changes to an issue besides working on it: add, edit, depend, comment, delete.
import type { NewEvent } from "#contract/event.ts";
import { type Actor, agentOf } from "#contract/ids.ts";
import { documentPath, type EntryState, type IssueState } from "#contract/issue.ts";
import type {
	IssueAdd,
	IssueComment,
	IssueDepend,
	IssueDocument,
	IssueEdit,
	IssueEscalate,
	IssueMessage,
} from "#contract/issue-commands.ts";
import type { Preset } from "#contract/preset.ts";
import { noProject, type ProjectState } from "#contract/project.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Decision } from "../decision.ts";
import { isBeforeStart, presetNamed, stageOf } from "../preset.ts";

export interface IssueInProject {
	issue: IssueState;
	project: ProjectState;
}

export const issueName = ({ project, number }: Pick<IssueState, "project" | "number">): string =>
	`${project}#${number}`;

/** What a refusal about an issue carries. */
export const aboutIssue = (
	issue: IssueState,
	more: Refusal["details"] = {},
): { details: Refusal["details"]; suggestions: string[] } => ({
	details: { issueName: issueName(issue), stage: issue.stage, ...more },
	suggestions: [`brood issue show ${issueName(issue)}`],
});

/** Refused because an agent works on it; suggests how to unassign it, after an interrupt if a run is open. */
export const refusedWhileAssigned = (issue: IssueState, words: string): Refusal => {
	const inTurn = issue.run === null ? [] : [`brood agent interrupt ${issue.assignee}`];
	return refuse("CONFLICT", words, {
		...aboutIssue(issue, { assignee: issue.assignee }),
		suggestions: [...inTurn, `brood issue unassign ${issueName(issue)}`],
	});
};

export const stillReturning = (issue: IssueState): Refusal =>
	refuse(
		"AGENT_BUSY",
		`The agent that had ${issueName(issue)} is still returning to its own branch; try again.`,
		aboutIssue(issue),
	);

/** The issue's preset, or a refusal that says what is wrong with it. */
export function presetOf({ issue, project }: IssueInProject): Preset | Refusal {
	const loaded = presetNamed(project, issue.preset);
	if ("preset" in loaded) return loaded.preset;
	const { broken } = loaded;
	return refuse("CONFLICT", `The preset ${issue.preset} of ${issueName(issue)} is broken: ${broken}.`, {
		details: { issueName: issueName(issue), preset: issue.preset, broken },
	});
}

export function decideAddIssue(
	facts: { project: ProjectState | undefined; number: number; known: ReadonlySet<number> },
	command: IssueAdd,
): Decision {
	const { project } = facts;
	if (project === undefined || project.removedAt !== null) return noProject(command.project);
	const preset = command.preset ?? project.preset;
	const loaded = presetNamed(project, preset);
	if ("broken" in loaded) {
		return refuse("VALIDATION_ERROR", `The preset ${preset} cannot be used: ${loaded.broken}.`, {
			details: { preset, broken: loaded.broken },
		});
	}
	const missing = command.dependsOn.find((number) => !facts.known.has(number));
	if (missing !== undefined) return noIssue(project.slug, missing);
	const { title, body, priority } = command;
	const stage = loaded.preset.stages[0]?.name ?? "";
	const data = {
		...{ project: project.slug, number: facts.number, title, priority, preset, stage },
		...{ labels: [...new Set(command.labels)], dependsOn: [...new Set(command.dependsOn)] },
	};
	return [{ kind: "issue.added", agent: null, text: body, data }];
}

export const noIssue = (project: string, number: number): Refusal =>
	refuse("NOT_FOUND", `There is no issue ${project}#${number}.`, {
		suggestions: [`brood issue list --project ${project}`],
	});

/** Its texts may change at any time, its preset only before it has been started. */
export function decideEditIssue({ issue, project }: IssueInProject, command: IssueEdit): Decision {
	const { type: _type, issueId: _issue, body, preset, labels, ...rest } = command;
	const changes: Extract<NewEvent, { kind: "issue.edited" }>["data"] = { issueId: issue.id };
	if (rest.title !== undefined && rest.title !== issue.title) changes.title = rest.title;
	if (rest.priority !== undefined && rest.priority !== issue.priority) changes.priority = rest.priority;
	if (labels !== undefined) changes.labels = [...new Set(labels)];
	if (preset !== undefined && preset !== issue.preset) {
		const [now, asked] = [presetNamed(project, issue.preset), presetNamed(project, preset)];
		if ("broken" in asked)
			return refuse(
				"VALIDATION_ERROR",
				`The preset ${preset} cannot be used: ${asked.broken}.`,
				aboutIssue(issue, { preset }),
			);
		// an issue with a broken preset needs another one
		const begun = "preset" in now && !isBeforeStart(now.preset, issue.stage);
		if (begun || issue.assignee !== null)
			return refuse(
				"INVALID_TRANSITION",
				`${issueName(issue)} is in ${issue.stage}: its preset is fixed once it has begun.`,
				aboutIssue(issue),
			);
		changes.preset = preset;
		changes.stage = asked.preset.stages[0]?.name ?? issue.stage;
	}
	const text = body !== undefined && body !== issue.body ? { text: body } : {};
	return Object.keys(changes).length === 1 && !("text" in text)
		? []
		: [{ kind: "issue.edited", agent: null, ...text, data: changes }];
}

/** `reached` are the issue it would depend on, all that this one depends on, and so on. */
export function decideDepend(
	{ issue, reached }: { issue: IssueState; reached: readonly IssueState[] },
	{ on }: IssueDepend,
): Decision {
	if (!reached.some(({ number }) => number === on)) return noIssue(issue.project, on);
	if (issue.dependsOn.includes(on)) return [];
	const cycle = cycleFrom(on, issue.number, reached);
	if (cycle !== null) {
		const way = [issue.number, ...cycle].map((number) => `#${number}`).join(" → ");
		return refuse(
			"CONFLICT",
			`${issueName(issue)} cannot depend on #${on}: that would be a cycle (${way}).`,
			aboutIssue(issue, { cycle: [issue.number, ...cycle] }),
		);
	}
	return [{ kind: "issue.depended", agent: null, data: { issueId: issue.id, on } }];
}

export function decideUndepend({ issue }: IssueInProject, { on }: { on: number }): Decision {
	return issue.dependsOn.includes(on)
		? [{ kind: "issue.undepended", agent: null, data: { issueId: issue.id, on } }]
		: [];
}

/** The path from one issue along dependencies to another; null if there is none. */
function cycleFrom(from: number, to: number, issues: readonly IssueState[]): number[] | null {
	const ways = [[from]];
	const met = new Set<number>();
	for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
		const last = way.at(-1) ?? 0;
		if (last === to) return way;
		if (met.has(last)) continue;
		met.add(last);
		for (const next of issues.find(({ number }) => number === last)?.dependsOn ?? []) ways.push([...way, next]);
	}
	return null;
}

/** The dependencies that are neither done nor deleted. */
export function blockers(issue: IssueState, issues: readonly IssueState[]): number[] {
	return issue.dependsOn.filter((number) =>
		issues.some((other) => other.number === number && other.doneAt === null && other.deletedAt === null),
	);
}

export function decideComment({ issue }: IssueInProject, { text }: IssueComment, by: { actor: Actor }): Decision {
	return notTheirs(issue, by.actor) ?? [{ kind: "issue.commented", agent: null, text, data: { issueId: issue.id } }];
}

export interface DocumentFacts {
	/** all of the issue's */
	documents: readonly { name: string }[];
	/** the newest version under the same name */
	latest: EntryState | undefined;
}

/** Every version is kept; the same text again is not a new version. */
export function decideDocument(
	{ issue, documents, latest }: { issue: IssueState } & DocumentFacts,
	{ name, docType, text }: IssueDocument,
	{ actor }: { actor: Actor },
): Decision {
	const refusal = notTheirs(issue, actor);
	if (refusal) return refusal;
	const file = documentPath(name);
	const clash = documents.find((document) => {
		const other = documentPath(document.name);
		return other.startsWith(`${file}/`) || file.startsWith(`${other}/`);
	});
	if (clash !== undefined)
		return refuse(
			"CONFLICT",
			`${issueName(issue)} has a document ${clash.name}: a name cannot be a file and a folder.`,
			aboutIssue(issue),
		);
	const type = docType ?? latest?.type ?? "other";
	if (latest?.text === text && latest.type === type) return [];
	return [
		{
			kind: "issue.documented",
			agent: null,
			text,
			data: { issueId: issue.id, name, type, version: (latest?.version ?? 0) + 1 },
		},
	];
}

export function decideMessage(
	{ issue, project }: IssueInProject,
	{ stage, text }: IssueMessage,
	{ actor }: { actor: Actor },
): Decision {
	const refusal = notTheirs(issue, actor);
	if (refusal) return refusal;
	const preset = presetOf({ issue, project });
	if (isRefusal(preset)) return preset;
	if (stageOf(preset, stage)?.prompt === undefined) {
		const stages = preset.stages.filter(({ prompt }) => prompt !== undefined).map(({ name }) => name);
		return refuse(
			"VALIDATION_ERROR",
			`No agent works in ${stage}; ${issueName(issue)} has ${stages.join(", ")}.`,
			aboutIssue(issue, { stages }),
		);
	}
	return [{ kind: "issue.messaged", agent: null, text, data: { issueId: issue.id, stage } }];
}

export function decideEscalate(
	{ issue }: IssueInProject,
	{ reason, code }: IssueEscalate,
	by: { actor: Actor },
): Decision {
	// only the daemon knows that there is no agent for it
	const known = code === undefined || agentOf(by.actor) !== null ? {} : { code };
	return (
		notTheirs(issue, by.actor) ?? [
			{ kind: "issue.escalated", agent: null, text: reason, data: { issueId: issue.id, ...known } },
		]
	);
}

/** An agent may act only on the issue that it works on. */
export function notTheirs(issue: IssueState, actor: Actor): Refusal | null {
	const caller = agentOf(actor);
	if (caller === null || caller === issue.assignee) return null;
	return refuse(
		"FORBIDDEN",
		`${issueName(issue)} is not this agent's issue: an agent speaks only for the one that it works on, as \`mine\`.`,
		aboutIssue(issue),
	);
}

/** It is only hidden; its number is not used again. */
export function decideDeleteIssue({ issue }: IssueInProject): Decision {
	if (issue.deletedAt !== null) return [];
	if (issue.assignee !== null)
		return refusedWhileAssigned(issue, `An agent works on ${issueName(issue)}: unassign it first.`);
	if (issue.returning !== null) return stillReturning(issue);
	return [{ kind: "issue.deleted", agent: null, data: { issueId: issue.id } }];
}
