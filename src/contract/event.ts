// The journal's row, and what a decision may put into it.
import { z } from "zod";
import type { AgentFact } from "./agent.ts";
import type { ApprovalFact } from "./approval.ts";
import type { WorkspaceFact } from "./cycle.ts";
import { Actor, AgentId, EventId } from "./ids.ts";
import type { IssueFact, RunFact } from "./issue.ts";
import type { ItemFact } from "./item.ts";
import { Json } from "./json.ts";
import type { MailFact } from "./mail.ts";
import type { GitFact, ProjectFact } from "./project.ts";
import type { PromptFact } from "./prompt.ts";
import type { SessionFact } from "./session.ts";
import type { SubscriptionFact } from "./subscription.ts";
import type { TurnFact } from "./turn.ts";
import type { WaitFact } from "./wait.ts";

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

/** A fact of a noun: its kind is `noun.happened`. */
export type NounFact =
	| ((AgentFact | PromptFact | TurnFact | ApprovalFact | WorkspaceFact | MailFact | RunFact | SessionFact) & { agent: AgentId })
	| (WaitFact & { agent: AgentId | null })
	| ((ProjectFact | GitFact | SubscriptionFact | IssueFact) & { agent: null });

/** What `decide` answers with: the events to be, before time, actor and id are known. */
export type Fact = NounFact | (ItemFact & { agent: AgentId });

/** What happens to a fact on its way into the journal: it gets its id, a time and an actor. */
export type Happened<F> = F & { id: number; at: number; actor: Actor };
/** An item as it is in the journal. */
export type ItemEvent = Happened<ItemFact & { agent: AgentId }>;
