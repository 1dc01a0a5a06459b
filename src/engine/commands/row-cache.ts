// The rows that one command has read or changed: each is loaded once and written once, however often it is asked for.
import type { KeyOf, RowKind, StateOf } from "#domain/fold/change.ts";
import { type RowName, rowKinds, type Shelf } from "#domain/fold/fold.ts";
import type { Tx } from "../ports/store.ts";

interface Stored<K, V> {
	load(key: K): Promise<V | undefined>;
	put(row: V): Promise<void>;
	remove?(key: K): Promise<void>;
}

/** Where the rows of each kind are kept. */
const storedIn = (tx: Tx): { [R in RowKind]: Stored<KeyOf<R>, StateOf<R>> } => ({
	agent: { load: (id) => tx.agent(id), put: (row) => tx.putAgent(row) },
	project: { load: (slug) => tx.project(slug), put: (row) => tx.putProject(row) },
	subscription: {
		load: async (name) => (await tx.subscriptions()).find((each) => each.name === name),
		put: (row) => tx.putSubscription(row),
	},
	prompt: { load: (id) => tx.prompt(id), put: (row) => tx.putPrompt(row), remove: (id) => tx.removePrompt(id) },
	turn: { load: (id) => tx.turn(id), put: (row) => tx.putTurn(row) },
	lease: {
		load: async (turn) => (await tx.leases()).find((each) => each.turn === turn),
		put: (row) => tx.putLease(row),
		remove: (turn) => tx.dropLease(turn),
	},
	approval: { load: (id) => tx.approval(id), put: (row) => tx.putApproval(row) },
	wait: { load: (id) => tx.wait(id), put: (row) => tx.putWait(row) },
	mail: { load: (id) => tx.mail(id), put: (row) => tx.putMail(row) },
	issue: { load: (id) => tx.issue(id), put: (row) => tx.putIssue(row) },
	run: { load: (id) => tx.run(id), put: (row) => tx.putRun(row) },
	note: { load: (id) => tx.note(id), put: (row) => tx.putNote(row) },
});

export type RowCache = { readonly [R in RowKind]: KeptRows<KeyOf<R>, StateOf<R>> };

export function keptIn(tx: Tx): RowCache {
	const stored = storedIn(tx);
	return {
		...{
			agent: new KeptRows(stored.agent),
			project: new KeptRows(stored.project),
			subscription: new KeptRows(stored.subscription),
		},
		...{ prompt: new KeptRows(stored.prompt), turn: new KeptRows(stored.turn), lease: new KeptRows(stored.lease) },
		...{ approval: new KeptRows(stored.approval), wait: new KeptRows(stored.wait), mail: new KeptRows(stored.mail) },
		...{ issue: new KeptRows(stored.issue), run: new KeptRows(stored.run), note: new KeptRows(stored.note) },
	};
}

/** Reads a row that an event needs. */
export async function load(kept: RowCache, { kind, key }: RowName): Promise<void> {
	const rows: { load(key: never): Promise<unknown> } = kept[kind];
	await Reflect.apply(rows.load, rows, [key]);
}

/** Writes what changed since the last time. */
export async function write(kept: RowCache): Promise<void> {
	for (const kind of rowKinds) await kept[kind].write();
}

export class KeptRows<K, V> implements Shelf<K, V> {
	readonly #stored: Stored<K, V>;
	readonly #rows = new Map<K, V | undefined>();
	readonly #changed = new Set<K>();

	constructor(stored: Stored<K, V>) {
		this.#stored = stored;
	}

	async load(key: K): Promise<V | undefined> {
		if (!this.#rows.has(key)) this.#rows.set(key, await this.#stored.load(key));
		return this.#rows.get(key);
	}

	get(key: K): V | undefined {
		return this.#rows.get(key);
	}

	set(key: K, row: V): void {
		this.#rows.set(key, row);
		this.#changed.add(key);
	}

	delete(key: K): void {
		this.#rows.set(key, undefined);
		this.#changed.add(key);
	}

	async write(): Promise<void> {
		for (const key of this.#changed) {
			const row = this.#rows.get(key);
			if (row !== undefined) await this.#stored.put(row);
			else await this.#stored.remove?.(key);
		}
		this.#changed.clear();
	}
}
