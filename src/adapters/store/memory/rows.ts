// Rows in memory.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Errand } from "#contract/errand.ts";
import type { Event } from "#contract/event.ts";
import type { Actor, AgentId, IdempotencyKey, PersonName, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeId, NodeState } from "#contract/node.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import type { SubscriptionState, TurnLease } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";

export interface Rows {
	/** in the order in which they were made */
	agents: Map<AgentId, AgentState>;
	projects: Map<ProjectSlug, ProjectState>;
	/** the event with id n is at n - 1 */
	events: Event[];
	prompts: Map<number, PromptState>;
	approvals: Map<number, ApprovalState>;
	waits: Map<number, WaitState>;
	turns: Map<number, TurnState>;
	mails: Map<number, MailState>;
	issues: Map<number, IssueState>;
	runs: Map<number, RunState>;
	entries: Map<number, EntryState>;
	subscriptions: Map<SubscriptionName, SubscriptionState>;
	turnLeases: Map<number, TurnLease>;
	persons: Map<PersonName, PersonState>;
	nodes: Map<NodeId, NodeState>;
	errands: Map<string, Errand & { state: "asked" | "taken" | "done"; answer: string | null }>;
	/** by actor and key, see `receiptName` */
	receipts: Map<string, StoredReceipt>;
}

export const noRows = (): Rows => ({
	...{ agents: new Map(), projects: new Map(), events: [], receipts: new Map() },
	...{ prompts: new Map(), turns: new Map(), approvals: new Map(), waits: new Map(), mails: new Map() },
	...{ subscriptions: new Map(), turnLeases: new Map(), persons: new Map(), nodes: new Map() },
	...{ errands: new Map() },
	...{ issues: new Map(), runs: new Map(), entries: new Map() },
});

/** Picks from the rows, while no batch is half done. */
export type Read = <T>(pick: (rows: Rows) => T) => Promise<T>;

/** No actor has a space in its name. */
export const receiptName = (actor: Actor, key: IdempotencyKey): string => `${actor} ${key}`;

export const queueIn = ({ prompts }: Rows, agent: AgentId): PromptState[] =>
	[...prompts.values()].filter((prompt) => prompt.agent === agent && prompt.taken === null).sort(byStart);

/** The same order as in the databases' queries. */
function byStart(a: PromptState, b: PromptState): number {
	if (a.position < 0 || b.position < 0) return a.position - b.position;
	return b.priority - a.priority || a.position - b.position;
}

export const mailsIn = ({ mails }: Rows, agent: AgentId): MailState[] =>
	[...mails.values()].filter((mail) => mail.to === agent && mail.deletedAt === null);

export const isUnread = ({ state }: MailState): boolean => state !== "read";

export const isNew = ({ state, deletedAt }: MailState): boolean => state === "accepted" && deletedAt === null;
