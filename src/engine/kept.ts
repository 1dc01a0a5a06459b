// Rows that one command has read or changed: each is loaded once and written once, however often it is asked for.
export class Kept<K, V> {
	readonly #load: (key: K) => Promise<V | undefined>;
	readonly #save: (value: V) => Promise<void>;
	readonly #rows = new Map<K, V | undefined>();
	readonly #changed = new Set<K>();

	constructor(load: (key: K) => Promise<V | undefined>, save: (value: V) => Promise<void>) {
		this.#load = load;
		this.#save = save;
	}

	async get(key: K): Promise<V | undefined> {
		if (!this.#rows.has(key)) this.#rows.set(key, await this.#load(key));
		return this.#rows.get(key);
	}

	set(key: K, value: V): void {
		this.#rows.set(key, value);
		this.#changed.add(key);
	}

	/** Writes what changed since the last time. */
	async write(): Promise<void> {
		for (const key of this.#changed) {
			const row = this.#rows.get(key);
			if (row !== undefined) await this.#save(row);
		}
		this.#changed.clear();
	}
}
