// The rows that a client mirrors, as of one event of the journal, and the state that is not in the journal.
import { z } from "zod";
import type { AgentState } from "./agent.ts";
import type { ApprovalState } from "./approval.ts";
import type { Event } from "./event.ts";
import { type AgentId, agentOf, type ProjectSlug } from "./ids.ts";
import type { IssueState, RunState } from "./issue.ts";
import type { MailState } from "./mail.ts";
import type { NodeState } from "./node.ts";
import { boardDoneMax } from "./overviews.ts";
import type { ProjectState } from "./project.ts";
import type { PromptState } from "./prompt.ts";
import type { SubscriptionState, TurnLease } from "./subscription.ts";
import { phases, type TurnState } from "./turn.ts";
import type { WaitState } from "./wait.ts";
import { HealthProblem } from "./workspace.ts";

/** Rows may change with every version, so the API document only says that they are objects. */
const rowsOf = <T>() => z.array(z.looseObject({}) as unknown as z.ZodType<T>);

export const MirroredRows = z.object({
	/** the newest event that they include */
	last: z.int(),
	/** those that were not reaped and whoever is above them, and all that the issues and conversations name */
	agents: rowsOf<AgentState>(),
	projects: rowsOf<ProjectState>(),
	subscriptions: rowsOf<SubscriptionState>(),
	leases: rowsOf<TurnLease>(),
	nodes: rowsOf<NodeState>(),
	/** queued or running; with their texts only for the requested agents */
	prompts: rowsOf<PromptState>(),
	/** open ones, and the latest of the requested agents */
	turns: rowsOf<TurnState>(),
	approvals: rowsOf<ApprovalState>(),
	waits: rowsOf<WaitState>(),
	/** unread ones without their texts, and the latest of the requested agents */
	mails: rowsOf<MailState>(),
	/** of the requested projects: open ones, and those that were done last */
	issues: rowsOf<IssueState>(),
	runs: rowsOf<RunState>(),
	/** the last ones of the requested agents */
	items: rowsOf<Event>(),
});
export type MirroredRows = z.infer<typeof MirroredRows>;

/** One more than a board has tells whether there are older ones. */
export const mirroredDoneMax = boardDoneMax + 1;

/** The agents whose names issues and conversations show; they may have been reaped. */
export function agentsNamedIn({
	issues,
	runs,
	mails,
	prompts,
	items,
}: Pick<MirroredRows, "issues" | "runs" | "mails" | "prompts" | "items">): AgentId[] {
	const actors = [
		...mails.map(({ from }) => from),
		...prompts.map(({ createdBy }) => createdBy),
		...items.map(({ actor }) => actor),
	];
	const working = [...issues.flatMap(({ assignee }) => assignee ?? []), ...runs.map(({ agent }) => agent)];
	return [...new Set([...working, ...actors.flatMap((actor) => agentOf(actor) ?? [])])];
}

/** What a screen shows besides the agents: boards of projects, conversations of agents. */
export interface MirrorRequest {
	boards: readonly ProjectSlug[];
	threads: readonly AgentId[];
	/** of each thread */
	itemsMax: number;
	/** only the rows of these boards and threads, for a client that has the others */
	isPart: boolean;
}

export const Unjournaled = z.object({
	/** the phase that the process of an open turn reported, by turn */
	phases: z.record(z.string(), z.enum(phases)),
	/** problems of projects and of subscriptions' credentials, as of the last check */
	projects: z.record(z.string(), HealthProblem),
	subscriptions: z.record(z.string(), z.string()),
});
export type Unjournaled = z.infer<typeof Unjournaled>;
