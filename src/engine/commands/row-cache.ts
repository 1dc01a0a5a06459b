// The rows that one command has read or changed: each is loaded once and written once.
import type { KeyOf, RowKind, StateOf } from "#domain/fold/change.ts";
import { type RowName, type RowTable, rowKinds } from "#domain/fold/fold.ts";
import type { Tx } from "../ports/store.ts";

interface Stored<K, V> {
	load(key: K): Promise<V | undefined>;
	put(row: V): Promise<void>;
	remove?(key: K): Promise<void>;
}

export type RowCache = { readonly [R in RowKind]: CachedRows<KeyOf<R>, StateOf<R>> };

export const rowCache = (tx: Tx): RowCache => ({
	agent: new CachedRows({ load: (id) => tx.agent(id), put: (row) => tx.putAgent(row) }),
	project: new CachedRows({ load: (slug) => tx.project(slug), put: (row) => tx.putProject(row) }),
	subscription: new CachedRows({
		load: async (name) => (await tx.subscriptions()).find((each) => each.name === name),
		put: (row) => tx.putSubscription(row),
	}),
	person: new CachedRows({
		load: async (name) => (await tx.persons()).find((each) => each.name === name),
		put: (row) => tx.putPerson(row),
	}),
	node: new CachedRows({ load: (id) => tx.node(id), put: (row) => tx.putNode(row) }),
	prompt: new CachedRows({
		load: (id) => tx.prompt(id),
		put: (row) => tx.putPrompt(row),
		remove: (id) => tx.removePrompt(id),
	}),
	turn: new CachedRows({ load: (id) => tx.turn(id), put: (row) => tx.putTurn(row) }),
	turnLease: new CachedRows({
		load: async (turn) => (await tx.turnLeases()).find((each) => each.turn === turn),
		put: (row) => tx.putTurnLease(row),
		remove: (turn) => tx.dropTurnLease(turn),
	}),
	approval: new CachedRows({ load: (id) => tx.approval(id), put: (row) => tx.putApproval(row) }),
	wait: new CachedRows({ load: (id) => tx.wait(id), put: (row) => tx.putWait(row) }),
	mail: new CachedRows({ load: (id) => tx.mail(id), put: (row) => tx.putMail(row) }),
	issue: new CachedRows({ load: (id) => tx.issue(id), put: (row) => tx.putIssue(row) }),
	run: new CachedRows({ load: (id) => tx.run(id), put: (row) => tx.putRun(row) }),
	entry: new CachedRows({ load: (id) => tx.entry(id), put: (row) => tx.putEntry(row) }),
});

/** Reads a row that an event needs. */
export async function loadRow(cache: RowCache, { kind, key }: RowName): Promise<void> {
	const rows: { load(key: never): Promise<unknown> } = cache[kind];
	await Reflect.apply(rows.load, rows, [key]);
}

/** Writes what changed since the last time. */
export async function writeRows(cache: RowCache): Promise<void> {
	for (const kind of rowKinds) if (cache[kind].isChanged) await cache[kind].write();
}

export class CachedRows<K, V> implements RowTable<K, V> {
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

	get isChanged(): boolean {
		return this.#changed.size > 0;
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
