// Rows that a batch has decided on but not written yet. Each row is kept once, as the last write left it.
import type { RowWrite, Value } from "../sql/prepared.ts";

export type Row = Readonly<Record<string, Value>>;

interface PendingRow {
	/** whether the row that may be there goes first */
	removed: boolean;
	row: Row | null;
}

export interface PendingTable {
	readonly writes: RowWrite;
	readonly rows: Map<string, PendingRow & { key: Row }>;
}

export class PendingWrites {
	readonly events: Row[] = [];
	/** by `seq`: the state, and the columns that repeat some of it if they change */
	readonly agents = new Map<number, Row>();
	/** by the table's name, in the order of their first write */
	readonly tables = new Map<string, PendingTable>();

	get isEmpty(): boolean {
		return this.events.length === 0 && this.agents.size === 0 && this.tables.size === 0;
	}

	write(writes: RowWrite, args: Row): void {
		const key = Object.fromEntries(writes.key.map((column) => [column, args[column] ?? null]));
		if (writes.put === undefined) this.#set(writes, key, { removed: true, row: null });
		else this.#put({ ...writes, put: writes.put }, key, args);
	}

	updateAgent(seq: number, row: Row): void {
		this.agents.set(seq, { ...this.agents.get(seq), ...row });
	}

	/** Takes over what came later. */
	add(later: PendingWrites): void {
		this.events.push(...later.events);
		for (const [seq, row] of later.agents) this.updateAgent(seq, row);
		for (const { writes, rows } of later.tables.values())
			for (const { key, removed, row } of rows.values()) {
				if (removed) this.#set(writes, key, { removed, row });
				else if (row !== null && writes.put !== undefined) this.#put({ ...writes, put: writes.put }, key, row);
			}
	}

	#put(writes: RowWrite & { put: NonNullable<RowWrite["put"]> }, key: Row, args: Row): void {
		const before = this.#table(writes).rows.get(JSON.stringify(key));
		const changed = Object.fromEntries(writes.put.changes.map((column) => [column, args[column] ?? null]));
		this.#set(writes, key, {
			removed: before?.removed ?? false,
			row: before?.row == null ? args : { ...before.row, ...changed },
		});
	}

	#set(writes: RowWrite, key: Row, pending: PendingRow): void {
		const table = this.#table(writes);
		// a removal does not know the columns
		if (writes.put !== undefined && table.writes.put === undefined) this.tables.set(writes.table, { ...table, writes });
		table.rows.set(JSON.stringify(key), { ...pending, key });
	}

	#table(writes: RowWrite): PendingTable {
		const known = this.tables.get(writes.table);
		if (known !== undefined) return known;
		const made = { writes, rows: new Map() };
		this.tables.set(writes.table, made);
		return made;
	}
}

/** What the commands of a batch know of rows: taken back with the command, kept with its release. */
export class KnownRows<V> {
	readonly #kept = new Map<string, V>();
	readonly #own = new Map<string, V>();

	get(key: string): V | undefined {
		return this.#own.get(key) ?? this.#kept.get(key);
	}

	set(key: string, value: V): void {
		this.#own.set(key, value);
	}

	release(): void {
		for (const [key, value] of this.#own) this.#kept.set(key, value);
		this.#own.clear();
	}

	rollback(): void {
		this.#own.clear();
	}
}
