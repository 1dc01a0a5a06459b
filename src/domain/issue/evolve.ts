// What an event does to an issue's row, to its runs and to what is kept beside it. No rules here.

import type { Happened } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import type { IssueFact, IssueState, NoteState, RunFact, RunState } from "#contract/issue.ts";
import { nothingSpent } from "#contract/usage.ts";
import { withSpent } from "../usage.ts";

type IssueEvent = Happened<IssueFact>;

export function evolveIssue(state: IssueState | undefined, event: IssueEvent): IssueState {
	if (event.kind === "issue.added") return added(event);
	if (state === undefined) throw new Error(`${event.kind} of issue ${event.data.issue}, which was never added`);
	return { ...state, ...changeOf(state, event), updatedAt: event.at };
}

function changeOf(state: IssueState, event: Exclude<IssueEvent, { kind: "issue.added" }>): Partial<IssueState> {
	switch (event.kind) {
		case "issue.edited": {
			const { issue: _, ...changed } = event.data;
			return { ...changed, ...(typeof event.text === "string" && { body: event.text }) };
		}
		case "issue.moved":
			return moved(state, event);
		case "issue.assigned":
			return {
				assignee: event.data.agent,
				lastAgent: event.data.agent,
				folder: event.data.folder ?? state.folder,
				said: null,
				notBefore: null,
				attention: null,
			};
		case "issue.released":
			return { assignee: null, said: null, leaving: { agent: event.data.agent, done: event.data.done } };
		case "issue.left":
			return { leaving: null };
		case "issue.depended":
			return { dependsOn: [...state.dependsOn, event.data.on] };
		case "issue.undepended":
			return { dependsOn: state.dependsOn.filter((number) => number !== event.data.on) };
		case "issue.said":
			return { said: { summary: event.text, back: event.data.back } };
		case "issue.waited":
			return { waiting: event.data.waiting, notBefore: event.data.notBefore ?? null };
		case "issue.approved":
			return { approvedBy: event.actor, approvedCommit: event.data.commit };
		case "issue.merged":
			return { mergedCommit: event.data.commit };
		case "issue.attended":
			return { attention: { reason: event.text, code: event.data.code ?? null, at: event.at }, notBefore: null };
		case "issue.unattended":
			return { attention: null, attempts: 0, bounces: 0, notBefore: null };
		case "issue.failed":
			return { attempts: state.attempts + 1, notBefore: event.data.notBefore };
		case "issue.deleted":
			return { deletedAt: event.at };
		case "issue.commented":
		case "issue.documented":
		case "issue.messaged":
		case "issue.delivered":
			return {};
	}
}

function added({ id, data, text, at, actor }: Extract<IssueEvent, { kind: "issue.added" }>): IssueState {
	return {
		...{ id, ...data, body: text, waiting: null, branch: null, assignee: null, leaving: null, lastAgent: null, run: null, prompt: null, said: null },
		...{ attempts: 0, bounces: 0, notBefore: null, attention: null, commit: null, folder: null },
		spent: nothingSpent,
		...{ approvedBy: null, approvedCommit: null, mergedCommit: null, createdAt: at, createdBy: actor, updatedAt: at, doneAt: null, deletedAt: null },
	};
}

/** A new stage begins with a clean slate; one that was done and is opened again has not been approved. */
function moved(state: IssueState, { data, at }: Extract<IssueEvent, { kind: "issue.moved" }>): Partial<IssueState> {
	const { to, why, waiting, final, branch } = data;
	const reopened = state.doneAt !== null ? { approvedBy: null, approvedCommit: null, mergedCommit: null, commit: null, bounces: 0 } : {};
	return {
		...{ stage: to, waiting, said: null, prompt: null, attempts: 0, notBefore: null, attention: null, doneAt: final === true ? at : null },
		...(branch !== undefined && { branch }),
		...(why === "back" || why === "gate" ? { bounces: state.bounces + 1 } : why === "work" ? {} : { bounces: 0 }),
		...reopened,
	};
}

type RunEvent = Happened<RunFact & { agent: AgentId }>;

/** `turn` is the turn that started with the run. */
export function evolveRun(state: RunState | undefined, event: RunEvent, turn: number): RunState {
	if (event.kind === "run.started") {
		const { id, agent, at } = event;
		const { issue, stage } = event.data;
		const nothingYet = { work: false, summary: null, tokens: null, cost: null, session: null, commit: null, endedAt: null };
		return { id, issue, stage, agent, turn, state: "open", startedAt: at, ...nothingYet };
	}
	if (state === undefined) throw new Error(`the end of run ${event.data.run}, which never started`);
	const { issue: _issue, run: _run, ...ended } = event.data;
	return { ...state, ...ended, summary: event.text ?? null, endedAt: event.at };
}

/** What a run does to its issue. */
export function withRun(issue: IssueState, event: RunEvent): IssueState {
	if (event.kind === "run.started") return { ...issue, run: event.id, said: null, attention: null, updatedAt: event.at };
	const { tokens, cost } = event.data;
	const used = { ...(tokens && { inputTokens: tokens.input, outputTokens: tokens.output }), ...(cost !== null && { cost: { amount: cost, currency: "USD" } }) };
	return { ...issue, spent: withSpent(issue.spent, used), run: null, commit: event.data.commit ?? issue.commit, updatedAt: event.at };
}

type NoteEvent = Extract<IssueEvent, { kind: "issue.commented" | "issue.documented" | "issue.messaged" }>;

export function noteOf(event: NoteEvent): NoteState {
	const { id, actor: by, at, text } = event;
	const common = { id, issue: event.data.issue, by, at, text, name: null, type: null, version: null, stage: null, delivered: false };
	switch (event.kind) {
		case "issue.commented":
			return { ...common, kind: "comment" };
		case "issue.documented":
			return { ...common, kind: "document", name: event.data.name, type: event.data.type, version: event.data.version };
		case "issue.messaged":
			return { ...common, by: event.data.from ?? by, kind: "message", stage: event.data.stage, delivered: event.data.delivered === true };
	}
}
