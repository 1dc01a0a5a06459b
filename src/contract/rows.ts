// The rows that a client mirrors, as of one event of the journal, and the state that is not in the journal.
import { z } from "zod";
import type { AgentState } from "./agent.ts";
import type { ApprovalState } from "./approval.ts";
import type { Event } from "./event.ts";
import type { IssueState, RunState } from "./issue.ts";
import type { MailState } from "./mail.ts";
import type { NodeState } from "./node.ts";
import type { ProjectState } from "./project.ts";
import type { PromptState } from "./prompt.ts";
import type { SubscriptionState, TurnLease } from "./subscription.ts";
import { Phases, type TurnState } from "./turn.ts";
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
	turnLeases: rowsOf<TurnLease>(),
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

export const Unjournaled = z.object({
	/** the phase that the process of an open turn reported, by turn */
	phases: Phases,
	/** problems of projects and of subscriptions' credentials, as of the last check */
	projectProblems: z.record(z.string(), HealthProblem),
	subscriptionProblems: z.record(z.string(), z.string()),
});
export type Unjournaled = z.infer<typeof Unjournaled>;
