// The rows that a client mirrors, all as they were at one event of the journal; and what is shown beside them that no
// event tells.
import { z } from "zod";
import type { AgentState } from "./agent.ts";
import type { ApprovalState } from "./approval.ts";
import type { Event } from "./event.ts";
import type { AgentId, ProjectSlug } from "./ids.ts";
import type { IssueState, RunState } from "./issue.ts";
import type { MailState } from "./mail.ts";
import type { ProjectState } from "./project.ts";
import type { PromptState } from "./prompt.ts";
import type { LeaseState, SubscriptionState } from "./subscription.ts";
import { phases, type TurnState } from "./turn.ts";
import type { WaitState } from "./wait.ts";
import { HealthIssue } from "./workspace.ts";

/**
 * Rows are the daemon's own and may change with every version, so the API document says no more of them than that they
 * are objects.
 */
const rowsOf = <T>() => z.array(z.looseObject({}) as unknown as z.ZodType<T>);

export const MirroredRows = z.object({
	/** the newest event that is in them */
	last: z.int(),
	agents: rowsOf<AgentState>(),
	projects: rowsOf<ProjectState>(),
	subscriptions: rowsOf<SubscriptionState>(),
	leases: rowsOf<LeaseState>(),
	/** those that wait or are being run; without their words, but of the agents that were asked for */
	prompts: rowsOf<PromptState>(),
	/** those that are open, and all of the agents that were asked for */
	turns: rowsOf<TurnState>(),
	approvals: rowsOf<ApprovalState>(),
	waits: rowsOf<WaitState>(),
	/** unread ones without their words, and all of the agents that were asked for */
	mails: rowsOf<MailState>(),
	/** of the projects that were asked for */
	issues: rowsOf<IssueState>(),
	runs: rowsOf<RunState>(),
	/** the last ones of the agents that were asked for */
	items: rowsOf<Event>(),
});
export type MirroredRows = z.infer<typeof MirroredRows>;

/** What a screen shows beside the agents: the boards of projects, and the conversations of agents. */
export interface MirrorRequest {
	boards: readonly ProjectSlug[];
	threads: readonly AgentId[];
	/** of each thread */
	itemsMax: number;
}

export const Unjournaled = z.object({
	/** what the processes of open turns are doing, by turn */
	heard: z.record(z.string(), z.enum(phases)),
	/** what is wrong with projects and with the credentials of subscriptions, as of the last look */
	projects: z.record(z.string(), HealthIssue),
	subscriptions: z.record(z.string(), z.string()),
});
export type Unjournaled = z.infer<typeof Unjournaled>;
