// One batch's transaction, on either database.
import { isDeepStrictEqual } from "node:util";
import { type AgentState, hasStrayFiles, workspaceFolderName } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import { hasStepDue, isOpen, needsPerson } from "#contract/issue.ts";
import { isItem } from "#contract/item-kinds.ts";
import { isActive } from "#contract/node.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import { searchWords } from "#contract/search-words.ts";
import type { Reads, Tx } from "#engine/ports/store.ts";
import type { Connection } from "./connection.ts";
import { endErrands } from "./errand-queries.ts";
import * as issues from "./issue-queries.ts";
import { putMail } from "./mail-queries.ts";
import * as nodes from "./node-queries.ts";
import * as open from "./open-queries.ts";
import { putPerson } from "./person-queries.ts";
import type { Query, Value } from "./prepared.ts";
import * as queries from "./queries.ts";
import { sqlReads } from "./reads.ts";
import * as search from "./search-queries.ts";
import * as slots from "./slot-queries.ts";
import type { Tables } from "./tables.ts";
import * as turns from "./turn-queries.ts";

/** A batch's transaction, and what a store writes between two batches. */
export interface SqlTx extends Tx {
	/** Writes receipts, with the response data where there is any. */
	keepReceipts(receipts: readonly StoredReceipt[]): Promise<void>;
	index(eventsMax: number): Promise<number>;
}

/** A connection that stays gives its `reads`: they are a hundred functions, too many to make for each batch. */
export function sqlTx(connection: Connection, reads: Reads = sqlReads(connection)): SqlTx {
	/** the `seq` and the indexed columns of each agent that this batch has read or written */
	const known = new Map<AgentId, { seq: number; indexed: Indexed }>();
	const writes = rowWrites(connection);
	const release = (): Promise<void> => connection.exec("release savepoint command");
	const agent: Tx["agent"] = async (id) => {
		const [row] = await connection.all(queries.agentById, { id });
		if (row === undefined) return undefined;
		const state: AgentState = JSON.parse(row.state);
		known.set(id, { seq: row.seq, indexed: indexedOf(state) });
		return state;
	};
	const rowOf = async (id: AgentId) => {
		if (!known.has(id)) await agent(id);
		return known.get(id);
	};
	return {
		...reads,
		...writes,
		agent,
		// nobody else writes to a SQLite file; PostgreSQL overrides this
		isOverdue: () => false,
		failsBatch: (error) => connection.failsBatch(error),
		savepoint: () => connection.exec("savepoint command"),
		release,
		async rollback() {
			known.clear();
			await connection.exec("rollback to savepoint command");
			await release();
		},
		async putAgent(row) {
			const before = await rowOf(row.id);
			const [state, indexed] = [JSON.stringify(row), indexedOf(row)];
			const seq = before?.seq ?? (await insert(connection, row, state));
			known.set(row.id, { seq, indexed });
			if (before === undefined) return;
			const same = isDeepStrictEqual(before.indexed, indexed);
			await (same
				? connection.all(queries.updateAgentState, { seq, state })
				: connection.all(queries.updateAgent, { seq, ...indexed, state }));
		},
		async append(events) {
			const appended = [];
			for (const event of events) {
				const seq = event.agent === null ? null : (await rowOf(event.agent))?.seq;
				if (seq === undefined) throw new Error(`an event of ${event.agent}, which is not in the store`);
				const data = event.data === null ? null : JSON.stringify(event.data);
				const [row] = await connection.all(queries.insertEvent, { ...event, agent: seq, data });
				if (row === undefined) throw new Error("an inserted event has no id");
				appended.push({ ...event, id: row.id });
			}
			return appended;
		},
		async keepReceipts(receipts) {
			for (const receipt of receipts)
				if (receipt.answer === undefined) await writes.putReceipt(receipt);
				else await connection.all(queries.putAnswer, receiptRow(receipt));
		},
		index: (eventsMax) => index(connection, eventsMax),
	};
}

/** What the table repeats of an agent's state, as far as it changes. */
const indexedOf = (agent: AgentState) => {
	const column: Tables["agent"]["life"] = agent.reapedAt === null ? agent.life : "reaped";
	const { handle, life, supervisor, holds, lease } = agent;
	return {
		...{ handle, supervisor, folder: workspaceFolderName(agent) },
		life: column,
		held: flag(life !== "ended" && holds.length > 0),
		leased: flag(lease !== null),
		stray: flag(hasStrayFiles(agent)),
	};
};
type Indexed = ReturnType<typeof indexedOf>;

const flag = (set: boolean): number => (set ? 1 : 0);

async function insert(connection: Connection, row: AgentState, state: string): Promise<number> {
	const { id, project } = row;
	const { agent: lineage, forkPoint } = row.lineage ?? { agent: null, forkPoint: null };
	const inserted = { id, project, ...indexedOf(row), lineage, forkPoint, state };
	const [made] = await connection.all(queries.insertAgent, inserted);
	if (made === undefined) throw new Error("an inserted agent has no number");
	return made.seq;
}

function rowWrites(connection: Connection) {
	const run = async <P extends Record<string, Value>>(query: Query<P, unknown>, args: P): Promise<void> =>
		void (await connection.all(query, args));
	return {
		putProject: (row) => run(queries.putProject, { slug: row.slug, state: JSON.stringify(row) }),
		putSubscription: (row) => run(slots.putSubscription, { name: row.name, state: JSON.stringify(row) }),
		putPerson: (row) => run(putPerson, { name: row.name, state: JSON.stringify(row) }),
		putTurnLease: ({ turn, agent, subscription, node, at }) =>
			run(slots.putTurnLease, { turn, agent, subscription, node, at }),
		dropTurnLease: (turn) => run(slots.dropTurnLease, { turn }),
		putNode: (row) => {
			const { id, epoch } = row;
			return run(nodes.putNode, { id, epoch, active: flag(isActive(row)), state: JSON.stringify(row) });
		},
		beatsOf: async (node, epoch) => {
			await run(nodes.lockNode, { id: node });
			const [row] = await connection.all(nodes.beatsOfNode, { node, epoch });
			return Number(row?.beats ?? 0);
		},
		endErrands: (node, answer) => run(endErrands, { node, answer }),
		putPrompt: ({ id, agent, position, priority, notBefore, manual, textEvent, editedBy, editedAt, taken }) =>
			run(turns.putPrompt, {
				...{ id, agent, position, priority, not_before: notBefore, manual: flag(manual), taken },
				...{ text_event: textEvent === id ? null : textEvent, edited_by: editedBy, edited_at: editedAt },
			}),
		removePrompt: (id) => run(turns.deletePrompt, { id }),
		putApproval: (row) => run(open.putApproval, { ...keysOf(row), open: flag(row.state === "pending") }),
		putWait: (row) => run(open.putWait, { id: row.id, open: flag(row.state === "open"), state: JSON.stringify(row) }),
		putTurn: (row) => run(turns.putTurn, { ...keysOf(row), open: flag(row.state === "open") }),
		putMail: ({ id, to, urgent, state, deliveredIn, readAt, deletedAt }) =>
			run(putMail, {
				...{ id, agent: to, urgent: flag(urgent), state },
				...{ delivered_in: deliveredIn, read_at: readAt, deleted_at: deletedAt },
			}),
		putIssue: (row) => {
			const { id, project, number, doneAt, deletedAt } = row;
			return run(issues.putIssue, {
				...{ id, project, number, state: JSON.stringify(row) },
				...{ step_due: flag(hasStepDue(row)), needs_person: flag(needsPerson(row)), open: flag(isOpen(row)) },
				done_at: deletedAt === null ? doneAt : null,
			});
		},
		putRun: (row) => {
			const { id, issueId, turn, state } = row;
			return run(issues.putRun, {
				id,
				issue_id: issueId,
				turn,
				open: flag(state === "open"),
				state: JSON.stringify(row),
			});
		},
		putEntry: ({ text: _, ...row }) =>
			run(issues.putEntry, { id: row.id, issue_id: row.issueId, state: JSON.stringify(row) }),
		putReceipt: (receipt) => run(queries.putReceipt, receiptRow(receipt)),
	} satisfies Partial<Tx>;
}

const keysOf = <R extends { id: number; agent: AgentId }>(row: R) => ({
	id: row.id,
	agent: row.agent,
	state: JSON.stringify(row),
});

const receiptRow = ({ actor, key, fingerprint, outcome, answer, at }: StoredReceipt) => ({
	...{ actor, key, fingerprint, at, outcome: JSON.stringify(outcome) },
	answer: answer === undefined ? null : JSON.stringify(answer),
});

async function index(connection: Connection, eventsMax: number): Promise<number> {
	const [cursor] = await connection.all(search.indexedUpTo, {});
	const events = await connection.all(search.textsAfter, { after: cursor?.up_to ?? 0, limit: eventsMax });
	const indexed = events.flatMap(({ id, kind, text }) => {
		const words = text === null || !isItem({ kind }) ? "" : searchWords(text).join(" ");
		return words === "" ? [] : [connection.all(search.insertWords, { event: id, words })];
	});
	await Promise.all(indexed);
	const last = events.at(-1)?.id;
	if (last !== undefined) await connection.all(search.moveCursor, { upTo: last });
	return events.length;
}
