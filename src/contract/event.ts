// The journal's row, and what a decision may put into it.
import { z } from "zod";
import type { AgentEvent } from "./agent.ts";
import type { ApprovalEvent } from "./approval.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import type { IssueEvent, RunEvent } from "./issue.ts";
import type { ItemEvent } from "./item.ts";
import type { itemKinds } from "./item-kinds.ts";
import { Json } from "./json.ts";
import type { MailEvent } from "./mail.ts";
import type { NodeEvent } from "./node.ts";
import type { PersonEvent } from "./person.ts";
import type { GitEvent, ProjectEvent } from "./project.ts";
import type { PromptEvent } from "./prompt.ts";
import type { SessionEvent } from "./session.ts";
import type { SubscriptionEvent } from "./subscription.ts";
import type { TurnEvent } from "./turn.ts";
import type { WaitEvent } from "./wait.ts";
import type { WorkspaceEvent } from "./workspace-step.ts";

/** One row of the one append-only journal. Nothing in it is ever changed or deleted. */
export const Event = z.object({
	id: EventId,
	agent: AgentId.nullable(),
	/** the turn that it belongs to */
	turn: EventId.nullable(),
	/** `noun.happened` for what the system did; a word without a dot is an item of the conversation */
	kind: z.string(),
	text: z.string().nullable(),
	data: Json,
	at: z.int(),
	actor: Actor,
	/** the command that caused it: its key, or an id of its own */
	command: z.string(),
});
export type Event = z.infer<typeof Event>;

/** An event that is not an item: its kind is `noun.happened`. */
export type NounEvent =
	| ((AgentEvent | PromptEvent | TurnEvent | ApprovalEvent | WorkspaceEvent | MailEvent | RunEvent | SessionEvent) & {
			agent: AgentId;
	  })
	| (WaitEvent & { agent: AgentId | null })
	| ((ProjectEvent | GitEvent | SubscriptionEvent | IssueEvent | PersonEvent | NodeEvent) & { agent: null });

/** What a decision returns: an event without id, time and actor. */
export type NewEvent = NounEvent | (ItemEvent & { agent: AgentId });

/** Every kind of event that this version knows. */
export type EventKind = NounEvent["kind"] | (typeof itemKinds)[number];

/** A new event once it has its id, time and actor. */
export type Stamped<F> = F & { id: number; at: number; actor: Actor };
/** An item as it is in the journal. */
export type StampedItemEvent = Stamped<ItemEvent & { agent: AgentId }>;
