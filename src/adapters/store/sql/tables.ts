// The tables as both databases have them. JSON is kept as text: the same bytes on both, parsed when asked for.
import type { Generated } from "kysely";
import type { AgentState } from "#contract/agent.ts";
import type { Actor, AgentId, SubscriptionName } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { NodeId } from "#contract/node.ts";

export interface Tables {
	agent: {
		/** stands for the agent inside the store: an eighth of the id's size in the journal's index */
		seq: Generated<number>;
		id: AgentId;
		project: string | null;
		handle: string;
		/** as in its state, or `reaped` */
		life: AgentState["life"] | "reaped";
		supervisor: AgentId | null;
		/** the `seq` of the agent whose context it inherited, and up to which event */
		lineage: number | null;
		fork_point: number | null;
		/** 1 while it lives and has a hold */
		held: Generated<number>;
		/** 1 while a git step runs in its workspace */
		leased: Generated<number>;
		/** 1 while a former node still has its files, or the database its bundles after it was deleted */
		stray: Generated<number>;
		/** the name of its workspace's folder, empty if it has none; null once that was removed */
		folder: string | null;
		/** an `AgentState`; the columns above repeat what queries look for */
		state: string;
	};
	event: {
		id: Generated<number>;
		agent: number | null;
		turn: number | null;
		kind: string;
		/** apart from `data`, so that reading a conversation parses no JSON for its texts */
		text: string | null;
		data: string | null;
		at: number;
		actor: Actor;
		command: string;
	};
	/** the text, its author and its time are in the event of the same id */
	prompt: {
		id: number;
		agent: number;
		position: number;
		priority: number;
		not_before: number | null;
		/** 1 or 0 */
		manual: number;
		/** the turn that is running it */
		taken: number | null;
		/** the event with its text, if that is not the event of the same id */
		text_event: number | null;
		edited_by: Actor | null;
		edited_at: number | null;
	};
	/** `open` is 1 or 0; `state` is a `TurnState` */
	turn: { id: number; agent: number; open: number; state: string };
	/** `open` is 1 or 0; `state` is an `ApprovalState` or a `WaitState` */
	approval: { id: number; agent: number; open: number; state: string };
	wait: { id: number; open: number; state: string };
	/** body, sender and time are in the event of the same id */
	mail: {
		id: number;
		agent: number;
		state: MailState["state"];
		urgent: number;
		delivered_in: number | null;
		read_at: number | null;
		deleted_at: number | null;
	};
	/**
	 * the words of items; SQLite keeps them in an index that calls `event` its `rowid`. `indexed` has one row: how far it
	 * goes
	 */
	search: { event: number; rowid: number; words: string };
	indexed: { up_to: number };
	/**
	 * `step_due` is 1 where a reactor may have something to do, `needs_person` where a person has; `open` is 1 until it
	 * is done or deleted, `done_at` null for a deleted one; `state` is an `IssueState`
	 */
	issue: {
		id: number;
		project: string;
		number: number;
		step_due: number;
		needs_person: number;
		open: number;
		done_at: number | null;
		state: string;
	};
	run: { id: number; issue_id: number; turn: number; open: number; state: string };
	/** the text is in the event of the same id; `state` is the rest of an `EntryState` */
	entry: { id: number; issue_id: number; state: string };
	project: { slug: string; state: string };
	/** `state` is a `SubscriptionState` */
	subscription: { name: string; state: string };
	/** `state` is a `PersonState` */
	person: { name: string; state: string };
	/** one for every turn that is at work; `subscription` is whose slot it has */
	turn_lease: { turn: number; agent: number; subscription: SubscriptionName | null; node: NodeId | null; at: number };
	/** `active` is 1 while it is up or draining; `state` is a `NodeState` */
	node: { id: NodeId; epoch: number; active: number; state: string };
	/** PostgreSQL writes no log for it: after a crash of the database everybody beats again */
	beat: {
		node: NodeId;
		epoch: number;
		beats: number;
		alone: number;
		/** in milliseconds: a round trip to the database, and by how much its clock is ahead */
		round_trip_ms: number | null;
		clock_offset_ms: number | null;
		at: number;
	};
	/** `state` is asked, taken or done; `request` is an `ErrandRequest`, `answer` an `ErrandAnswer` */
	errand: {
		id: string;
		node: NodeId;
		epoch: number;
		asker: NodeId | null;
		request: string;
		state: "asked" | "taken" | "done";
		answer: string | null;
		at: number;
	};
	/** `outcome` is a `ReceiptOutcome`, `answer` the data that was answered, word for word */
	receipt: { actor: string; key: string; fingerprint: string; outcome: string; answer: string | null; at: number };
	migration: { version: number; name: string; at: number };
}
