// Runs work that has to see the latest state, one execution per key at a time. Callers during an execution share the
// next one, which begins when the current one has ended.

interface Execution<R> {
	result: Promise<R>;
	next: Promise<R> | null;
}

export class Successive<K, R> {
	readonly #running = new Map<K, Execution<R>>();

	/** `work` must not reject. */
	async run(key: K, work: () => Promise<R>): Promise<R> {
		const current = this.#running.get(key);
		if (current === undefined) return await this.#start(key, work);
		current.next ??= current.result.then(() => this.#start(key, work));
		return await current.next;
	}

	async #start(key: K, work: () => Promise<R>): Promise<R> {
		const run: Execution<R> = { result: work(), next: null };
		this.#running.set(key, run);
		const result = await run.result;
		if (run.next === null) this.#running.delete(key);
		return result;
	}
}
