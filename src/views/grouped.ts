// A map whose rows can also be found by group, in insertion order.
export class Grouped<K, V, G> extends Map<K, V> {
	readonly #groupOf: (row: V) => G;
	readonly #keeps: (row: V) => boolean;
	readonly #groups = new Map<G, Map<K, V>>();

	/** A row that `keeps` rejects is removed. */
	constructor(groupOf: (row: V) => G, keeps: (row: V) => boolean = () => true) {
		super();
		this.#groupOf = groupOf;
		this.#keeps = keeps;
	}

	of(group: G): readonly V[] {
		return [...(this.#groups.get(group)?.values() ?? [])];
	}

	sizeOf(group: G): number {
		return this.#groups.get(group)?.size ?? 0;
	}

	override set(key: K, row: V): this {
		if (!this.#keeps(row)) {
			this.delete(key);
			return this;
		}
		const group = this.#groupOf(row);
		const rows = this.#groups.get(group) ?? new Map<K, V>();
		rows.set(key, row);
		this.#groups.set(group, rows);
		return super.set(key, row);
	}

	/** Removes the rows that `keeps` rejects by now. */
	sweep(): void {
		for (const [key, row] of this) if (!this.#keeps(row)) this.delete(key);
	}

	override delete(key: K): boolean {
		const row = super.get(key);
		if (row !== undefined) this.#groups.get(this.#groupOf(row))?.delete(key);
		return super.delete(key);
	}
}
