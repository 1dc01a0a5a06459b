// A batch in memory. Every change notes how to undo it.
import type { Tx } from "#engine/ports/store.ts";
import { memoryReads } from "./reads.ts";
import { type Rows, receiptName } from "./rows.ts";

export interface MemoryTx extends Tx {
	/** Undoes the whole batch. */
	abandon(): void;
}

export function memoryTx(rows: Rows): MemoryTx {
	const undo: (() => void)[] = [];
	let savedAt = 0;
	const undoFrom = (at: number): void => {
		for (const step of undo.splice(at).reverse()) step();
	};
	const put = async <K, V>(map: Map<K, V>, key: K, value: V): Promise<void> => {
		const before = map.get(key);
		map.set(key, value);
		undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
	};
	const remove = async <K, V>(map: Map<K, V>, key: K): Promise<void> => {
		const before = map.get(key);
		map.delete(key);
		if (before !== undefined) undo.push(() => map.set(key, before));
	};
	return {
		...memoryReads(rows, async () => {}),
		isOverdue: () => false,
		failsBatch: () => false,
		savepoint: async () => {
			savedAt = undo.length;
		},
		release: async () => {},
		rollback: async () => undoFrom(savedAt),
		abandon: () => undoFrom(0),
		putAgent: (row) => put(rows.agents, row.id, row),
		putProject: (row) => put(rows.projects, row.slug, row),
		putSubscription: (row) => put(rows.subscriptions, row.name, row),
		putPerson: (row) => put(rows.persons, row.name, row),
		putTurnLease: (row) => put(rows.turnLeases, row.turn, row),
		dropTurnLease: (turn) => remove(rows.turnLeases, turn),
		putNode: (row) => put(rows.nodes, row.id, row),
		// one process has this store, so its node never beats
		beatsOf: async () => 0,
		endErrands: async (node, answer) => {
			for (const each of rows.errands.values())
				if (each.node === node && each.state !== "done")
					await put(rows.errands, each.id, { ...each, state: "done", answer });
		},
		putPrompt: (row) => put(rows.prompts, row.id, row),
		removePrompt: (id) => remove(rows.prompts, id),
		putTurn: (row) => put(rows.turns, row.id, row),
		putApproval: (row) => put(rows.approvals, row.id, row),
		putWait: (row) => put(rows.waits, row.id, row),
		putMail: (row) => put(rows.mails, row.id, row),
		putIssue: (row) => put(rows.issues, row.id, row),
		putRun: (row) => put(rows.runs, row.id, row),
		putEntry: (row) => put(rows.entries, row.id, row),
		putReceipt: (receipt) => put(rows.receipts, receiptName(receipt.actor, receipt.key), receipt),
		async append(events) {
			const { length } = rows.events;
			const appended = events.map((event, at) => ({ ...event, id: length + at + 1 }));
			rows.events.push(...appended);
			undo.push(() => rows.events.splice(length));
			return appended;
		},
	};
}
