// SQLite whose reads are counted: the rows that the database gave out, and their length as JSON.
import path from "node:path";
import { openMemory } from "#adapters/store/memory/store.ts";
import type { Query, Value } from "#adapters/store/sql/prepared.ts";
import { sqlReads } from "#adapters/store/sql/reads.ts";
import { sqlTx } from "#adapters/store/sql/tx.ts";
import { SqliteConnection } from "#adapters/store/sqlite/connection.ts";
import { openForWriting } from "#adapters/store/sqlite/file.ts";
import type { Limits } from "#contract/limits.ts";
import { batchRunner } from "#engine/commands/execute.ts";
import type { Store } from "#engine/ports/store.ts";
import { freshFolder } from "./stores.ts";

export interface Count {
	rows: number;
	length: number;
}

export class CountingConnection extends SqliteConnection {
	readonly #count: Count;

	constructor(file: string, options: { readOnly: boolean; count: Count }) {
		super(file, options);
		this.#count = options.count;
	}

	override async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const found = await super.all(query, args);
		this.#count.rows += found.length;
		this.#count.length += JSON.stringify(found).length;
		return found;
	}
}

export async function counted(count: Count, work: () => Promise<unknown>): Promise<Count> {
	const { rows, length } = count;
	await work();
	return { rows: count.rows - rows, length: count.length - length };
}

/** A store without threads: what decisions read in its transaction is counted, and what is read outside of it apart. */
export function countedStore(limits: Limits): { store: Store; inWriter: Count; outside: Count } {
	const file = path.join(freshFolder(), "brood.db");
	openForWriting(file)[Symbol.dispose]();
	const [inWriter, outside] = [
		{ rows: 0, length: 0 },
		{ rows: 0, length: 0 },
	];
	const writer = new CountingConnection(file, { readOnly: false, count: inWriter });
	const reader = new CountingConnection(file, { readOnly: true, count: outside });
	const [run, reads] = [batchRunner(limits), sqlReads(writer)];
	const store: Store = {
		...openMemory(run),
		reads: sqlReads(reader),
		commit: async (batch) => {
			await writer.exec("begin immediate");
			const results = await run(sqlTx(writer, reads), batch);
			await writer.exec("commit");
			return results;
		},
		async [Symbol.asyncDispose]() {
			writer[Symbol.dispose]();
			reader[Symbol.dispose]();
		},
	};
	return { store, inWriter, outside };
}
