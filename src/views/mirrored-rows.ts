// The rows of a mirror as maps that keep only what is shown, and can be read by agent, project or issue.

import type { ApprovalState } from "#contract/approval.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { MirrorRequest } from "#contract/mirror-request.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows } from "#contract/rows.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import { Grouped } from "./grouped.ts";
import { noRows } from "./rows.ts";

/** `shown` is asked whenever a row is added or changed. */
export function rowsShown(
	initial: Omit<MirroredRows, "last" | "items">,
	shown: () => Pick<MirrorRequest, "boards" | "threads">,
) {
	const isOpen = (agent: AgentId): boolean => shown().threads.includes(agent);
	const board = new Grouped<number, IssueState, ProjectSlug>(
		({ project }) => project,
		({ project }) => shown().boards.includes(project),
	);
	const rows = {
		...noRows(),
		prompt: new Grouped<number, PromptState, AgentId>(({ agent }) => agent),
		mail: new Grouped<number, MailState, AgentId>(
			({ to }) => to,
			({ to, state, deletedAt }) => deletedAt === null && (state !== "read" || isOpen(to)),
		),
		turn: new Grouped<number, TurnState, AgentId>(
			({ agent }) => agent,
			({ agent, state }) => state === "open" || isOpen(agent),
		),
		approval: new Grouped<number, ApprovalState, AgentId>(
			({ agent }) => agent,
			({ state }) => state === "pending",
		),
		wait: new Grouped<number, WaitState, AgentId | null>(
			({ agent }) => agent,
			({ state }) => state === "open",
		),
		issue: board,
		run: new Grouped<number, RunState, number>(
			({ issueId }) => issueId,
			({ issueId }) => board.has(issueId),
		),
		entry: new Grouped<number, EntryState, number>(
			({ issueId }) => issueId,
			() => false,
		),
	};
	for (const row of initial.agents) rows.agent.set(row.id, row);
	for (const row of initial.projects) rows.project.set(row.slug, row);
	for (const row of initial.subscriptions) rows.subscription.set(row.name, row);
	for (const row of initial.turnLeases) rows.turnLease.set(row.turn, row);
	for (const row of initial.nodes) rows.node.set(row.id, row);
	for (const row of initial.prompts) rows.prompt.set(row.id, row);
	for (const row of initial.turns) rows.turn.set(row.id, row);
	for (const row of initial.approvals) rows.approval.set(row.id, row);
	for (const row of initial.waits) rows.wait.set(row.id, row);
	for (const row of initial.mails) rows.mail.set(row.id, row);
	for (const row of initial.issues) rows.issue.set(row.id, row);
	for (const row of initial.runs) rows.run.set(row.id, row);
	return rows;
}
