// What is remembered of a request under its idempotency key. A key belongs to its actor: the same key of two actors is
// two keys.
import type { Actor, AgentId, Key, ProjectSlug, SubscriptionName } from "./ids.ts";
import type { Refusal } from "./refusal.ts";

/** The name of the noun that a command made or changed. */
export interface Subject {
	agent?: AgentId;
	project?: ProjectSlug;
	subscription?: SubscriptionName;
	event?: number;
}

/** What must be known after a crash to find out whether a step outside the store was taken. */
export interface StartedStep {
	step: string;
	/** the commit that the agent's branch was on */
	head?: string | null;
	/** of an approve: the commit that was pinned; and the merge, once it was made */
	commit?: string;
	merged?: unknown;
	/** of a restore: the newest snapshot that there was */
	newest?: string | null;
	/** of a commit: what its trailers say */
	turn?: number;
	stage?: string;
}

export type ReceiptAnswer =
	/** done: by a command, whose first and last event are named, or outside the store */
	| { subject: Subject; events?: readonly [first: number, last: number] }
	| { refused: Refusal }
	/** a step outside the store is about to be taken, or was */
	| { begun: StartedStep };

export interface Receipt {
	/** tells a retry from another payload under the same key */
	fingerprint: string;
	answer: ReceiptAnswer;
	/** the data that was answered, word for word; absent until then, and for what is too long to be kept */
	given?: unknown;
}

export interface StoredReceipt extends Receipt {
	actor: Actor;
	key: Key;
	at: number;
}
