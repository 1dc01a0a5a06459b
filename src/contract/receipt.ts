// What is stored of a request under its idempotency key. The same key of two actors is two keys.
import type { Actor, AgentId, IdempotencyKey, PersonName, ProjectSlug, SubscriptionName } from "./ids.ts";
import type { Refusal } from "./refusal.ts";

/** What a command created or changed. */
export interface Subject {
	agent?: AgentId;
	project?: ProjectSlug;
	subscription?: SubscriptionName;
	person?: PersonName;
	event?: number;
}

/** What is needed after a crash to find out whether a step outside the store was done. */
export interface StartedStep {
	step: string;
	/** the commit that the agent's branch was on */
	head?: string | null;
	/** of the step `approve`: the reviewed commit; and the merge, once it was made */
	commit?: string;
	merged?: unknown;
	/** of a restore: the newest snapshot before it */
	newest?: string | null;
	/** of a commit: for its trailers */
	turn?: number;
	stage?: string;
}

/** What became of a request. */
export type ReceiptOutcome =
	/** done: by a command with its first and last event, or outside the store */
	| { subject: Subject; events?: readonly [first: number, last: number] }
	| { refused: Refusal }
	/** a step outside the store was begun and may be done */
	| { begun: StartedStep };

export interface Receipt {
	/** tells a retry from another payload under the same key */
	fingerprint: string;
	outcome: ReceiptOutcome;
	/** what was answered, word for word; absent before that, or if it is too long to keep */
	answer?: unknown;
}

export interface StoredReceipt extends Receipt {
	actor: Actor;
	key: IdempotencyKey;
	at: number;
}
