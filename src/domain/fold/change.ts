// What an event does to a row, as data. Rows change nowhere else: the engine applies these changes in its transaction,
// clients apply the same ones to the rows that they mirror.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { NewEvent, NounEvent, Stamped, StampedItemEvent } from "#contract/event.ts";
import type { AgentId, PersonName, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { EntryState, IssueState, RunState } from "#contract/issue.ts";
import type { rowChangingItems } from "#contract/item-kinds.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeId, NodeState } from "#contract/node.ts";
import type { PersonState } from "#contract/person.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { SubscriptionState, TurnLease } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";

/** Every kind of row with its key. A number is the id of the event that created the row, or of its turn. */
export interface RowTypes {
	agent: { key: AgentId; state: AgentState };
	project: { key: ProjectSlug; state: ProjectState };
	subscription: { key: SubscriptionName; state: SubscriptionState };
	person: { key: PersonName; state: PersonState };
	node: { key: NodeId; state: NodeState };
	prompt: { key: number; state: PromptState };
	turn: { key: number; state: TurnState };
	turnLease: { key: number; state: TurnLease };
	approval: { key: number; state: ApprovalState };
	wait: { key: number; state: WaitState };
	mail: { key: number; state: MailState };
	issue: { key: number; state: IssueState };
	run: { key: number; state: RunState };
	entry: { key: number; state: EntryState };
}

export type RowKind = keyof RowTypes;
export type KeyOf<R extends RowKind> = RowTypes[R]["key"];
export type StateOf<R extends RowKind> = RowTypes[R]["state"];

type RowChangingItem = (typeof rowChangingItems)[number];
export type ChangingKind = NounEvent["kind"] | RowChangingItem;
export type EventOf<K extends ChangingKind> = K extends RowChangingItem
	? StampedItemEvent
	: Stamped<Extract<NewEvent, { kind: K }>>;

/** Creates a row; it may read the row of the agent that `agent` names. */
interface Makes<R extends RowKind, E> {
	keys(event: E): readonly KeyOf<R>[];
	make(event: E, agent: AgentState | undefined): StateOf<R>;
	agent?(event: E): AgentId;
}

/** Changes a row. With `ifThere`, it may be missing. */
interface Alters<R extends RowKind, E> {
	keys(event: E): readonly KeyOf<R>[];
	change(row: StateOf<R>, event: E): StateOf<R>;
	ifThere?: true;
}

/** Removes a row, if there is one. */
interface Removes<R extends RowKind, E> {
	keys(event: E): readonly KeyOf<R>[];
	gone: true;
}

export type Change<R extends RowKind, E> = Makes<R, E> | Alters<R, E> | Removes<R, E>;

/** For one kind of row: the change by each kind of event. */
export type Changes<R extends RowKind> = { readonly [K in ChangingKind]?: Change<R, EventOf<K>> };
