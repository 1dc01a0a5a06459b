// What events do to the rows of issues, their runs and their entries.
import type { AgentId } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import { nothingSpent } from "#contract/usage.ts";
import { withSpent } from "../usage.ts";
import type { Changes, EventOf } from "./change.ts";

interface OfIssue {
	at: number;
	data: { issueId: number };
}

const named = (event: OfIssue): number[] => [event.data.issueId];

/** Changes some fields of the issue that the event names. */
const on = <E extends OfIssue>(change: (row: IssueState, event: E) => Partial<IssueState>) => ({
	keys: named,
	change: (row: IssueState, event: E): IssueState => ({ ...row, ...change(row, event), updatedAt: event.at }),
});

const updatedOnly = on<OfIssue>(() => ({}));

export const issueChanges = {
	"issue.added": { keys: ({ id }) => [id], make: added },
	"issue.edited": on((_, { data: { issueId: _issue, ...changed }, text }) => ({
		...changed,
		...(typeof text === "string" && { body: text }),
	})),
	"issue.moved": on(moved),
	"issue.assigned": on((row, { data: { agent, folder } }) => {
		const cleared = { report: null, notBefore: null, attention: null };
		return { assignee: agent, lastAgent: agent, folder: folder ?? row.folder, ...cleared };
	}),
	"issue.released": on((_, { data: { agent, work } }) => ({
		assignee: null,
		report: null,
		returning: { agent, work },
	})),
	"issue.returned": on(() => ({ returning: null })),
	"issue.depended": on((row, { data }) => ({ dependsOn: [...row.dependsOn, data.on] })),
	"issue.undepended": on((row, { data }) => ({ dependsOn: row.dependsOn.filter((number) => number !== data.on) })),
	"issue.reported": on((_, { text, data }) => ({ report: { summary: text, back: data.back } })),
	"issue.waitChanged": on((_, { data }) => ({ waiting: data.waiting, notBefore: data.notBefore ?? null })),
	"issue.approved": on((row, { actor, data }) => ({
		approvedBy: actor,
		approvedCommit: data.commit,
		...(data.empty !== undefined && { approvedEmpty: data.empty }),
		// one that was chosen before does not count any more
		...((data.strategy ?? row.approvedStrategy) !== undefined && { approvedStrategy: data.strategy ?? null }),
	})),
	"issue.merged": on((_, { data }) => ({
		mergedCommit: data.commit,
		...(data.note !== undefined && { mergeNote: data.note }),
	})),
	"issue.escalated": on((_, { text, data: { issueId: _issue, code = null, ...help }, at }) => ({
		attention: { reason: text, code, at, ...help },
		notBefore: null,
	})),
	"issue.deescalated": on(() => ({ attention: null, failures: 0, bounces: 0, notBefore: null })),
	"issue.failed": on((row, { data }) => ({ failures: row.failures + 1, notBefore: data.notBefore })),
	"issue.deleted": on((_, { at }) => ({ deletedAt: at })),
	"issue.commented": updatedOnly,
	"issue.documented": updatedOnly,
	"issue.messaged": updatedOnly,
	"issue.delivered": updatedOnly,
	"run.started": { ...on((_, { id }) => ({ run: id, report: null, attention: null })), ifThere: true },
	"run.finished": { ...on(ran), ifThere: true },
	"prompt.queued": {
		keys: ({ data }) => (data.issueId === undefined ? [] : [data.issueId]),
		change: (row, { id }) => ({ ...row, prompt: id }),
		ifThere: true,
	},
} satisfies Changes<"issue">;

function added({ id, data, text, at, actor }: EventOf<"issue.added">): IssueState {
	return {
		...{ id, ...data, body: text, waiting: null, branch: null, assignee: null, returning: null, lastAgent: null },
		...{ run: null, prompt: null, report: null, failures: 0, bounces: 0, notBefore: null, attention: null },
		...{ commit: null, folder: null },
		...{ spent: nothingSpent, approvedBy: null, approvedCommit: null, mergedCommit: null },
		...{ createdAt: at, createdBy: actor, updatedAt: at, doneAt: null, deletedAt: null },
	};
}

/** A new stage resets the failures; an issue that is reopened is no longer approved. */
function moved(row: IssueState, { data, at }: EventOf<"issue.moved">): Partial<IssueState> {
	const { to, why, waiting, final, branch } = data;
	const reopened =
		row.doneAt !== null ? { approvedBy: null, approvedCommit: null, mergedCommit: null, commit: null, bounces: 0 } : {};
	return {
		...{ stage: to, waiting, report: null, prompt: null, failures: 0, notBefore: null, attention: null },
		doneAt: final === true ? at : null,
		...(branch !== undefined && { branch }),
		...(why === "back" || why === "gateFailed" ? { bounces: row.bounces + 1 } : why === "work" ? {} : { bounces: 0 }),
		...reopened,
	};
}

function ran(row: IssueState, { data }: EventOf<"run.finished">): Partial<IssueState> {
	const { inputTokens, outputTokens, costUsd, commit } = data;
	const used = {
		...(inputTokens !== null && { inputTokens }),
		...(outputTokens !== null && { outputTokens }),
		...(costUsd !== null && { cost: { amount: costUsd, currency: "USD" } }),
	};
	return { spent: withSpent(row.spent, used), run: null, commit: commit ?? row.commit };
}

export const runChanges = {
	"run.started": {
		keys: ({ id }) => [id],
		agent: ({ agent }): AgentId => agent,
		// `turn.started` comes right before it, in the same decision
		make: ({ id, agent, data, at }, row): RunState => ({
			...{ id, ...data, agent, turn: row?.turn?.id ?? 0, state: "open", startedAt: at },
			...{ work: false, summary: null, inputTokens: null, outputTokens: null, costUsd: null, sessionId: null },
			...{ commit: null, endedAt: null },
		}),
	},
	"run.finished": {
		keys: ({ data }) => [data.run],
		change: (row, { data: { issueId: _issue, run: _run, ...ended }, text, at }) => ({
			...row,
			...ended,
			summary: text ?? null,
			endedAt: at,
		}),
	},
} satisfies Changes<"run">;

type EntryEvent = EventOf<"issue.commented" | "issue.documented" | "issue.messaged">;

const entry = ({ id, actor: by, at, text, data }: EntryEvent) => ({
	...{ id, issueId: data.issueId, by, at, text, name: null, type: null, version: null, stage: null, delivered: false },
});

const itself = ({ id }: { id: number }): number[] => [id];

export const entryChanges = {
	"issue.commented": { keys: itself, make: (event): EntryState => ({ ...entry(event), kind: "comment" }) },
	"issue.documented": {
		keys: itself,
		make: (event): EntryState => {
			const { name, type, version } = event.data;
			return { ...entry(event), kind: "document", name, type, version };
		},
	},
	"issue.messaged": {
		keys: itself,
		make: (event): EntryState => {
			const { stage, delivered = false, from = event.actor } = event.data;
			return { ...entry(event), by: from, kind: "message", stage, delivered };
		},
	},
	"issue.delivered": {
		keys: ({ data }) => data.messages,
		change: (row) => ({ ...row, delivered: true }),
		ifThere: true,
	},
} satisfies Changes<"entry">;
