// The store in memory: for tests, and the plainest statement of what a store has to do.
import type { Envelope } from "#contract/command.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import type { CommandResult } from "#engine/ports/dispatch.ts";
import { type RunBatch, type Store, StoreFault } from "#engine/ports/store.ts";
import { memoryErrands } from "./errands.ts";
import { memoryReads } from "./reads.ts";
import { noRows, receiptName } from "./rows.ts";
import { memoryTx } from "./tx.ts";

export function openMemory(run: RunBatch): Store {
	const rows = noRows();
	let previous: Promise<unknown> = Promise.resolve();

	async function commit(batch: readonly Envelope[]): Promise<CommandResult[]> {
		const tx = memoryTx(rows);
		try {
			return await run(tx, batch);
		} catch (error) {
			tx.abandon();
			throw new StoreFault("rejected", `The store could not carry out the command: ${messageOf(error)}.`, error);
		}
	}

	return {
		kind: "memory",
		batchesMax: 1,
		notifications: null,
		reads: memoryReads(rows, () => previous),
		// memory does not break
		broken: new Promise(() => {}),
		commit(batch) {
			const mine = previous.then(() => commit(batch));
			previous = mine.catch(expected("its caller gets the error"));
			return mine;
		},
		async keepReceipts(receipts) {
			await previous;
			for (const receipt of receipts) {
				const name = receiptName(receipt.actor, receipt.key);
				const before = rows.receipts.get(name);
				rows.receipts.set(
					name,
					before === undefined || receipt.answer === undefined ? receipt : { ...before, answer: receipt.answer },
				);
			}
		},
		async dropReceipts(before, atMost) {
			await previous;
			const old = [...rows.receipts].filter(([, receipt]) => receipt.at < before).slice(0, atMost);
			for (const [name] of old) rows.receipts.delete(name);
			return old.length;
		},
		// a search reads every item
		index: async () => 0,
		trim: async () => {},
		fence: () => {},
		beats: null,
		errands: memoryErrands(rows, () => previous),
		backup: async () => {
			throw new StoreFault("rejected", "The store is in memory only: there is nothing to copy.");
		},
		async [Symbol.asyncDispose]() {
			await previous;
		},
	};
}
