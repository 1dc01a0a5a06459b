// Time and chance of a simulated world.

/** What happens when, the earliest first: a binary heap. */
export class Agenda {
	now = 0;
	#count = 0;
	readonly #heap: { at: number; order: number; does: () => void }[] = [];

	add(at: number, does: () => void): void {
		const heap = this.#heap;
		heap.push({ at, order: this.#count++, does });
		for (let child = heap.length - 1; child > 0; ) {
			const parent = (child - 1) >> 1;
			if (!this.#swap(parent, child)) break;
			child = parent;
		}
	}

	run(until: number): void {
		for (let next = this.#take(); next !== undefined && next.at <= until; next = this.#take()) {
			this.now = next.at;
			next.does();
		}
	}

	#take(): { at: number; does: () => void } | undefined {
		const heap = this.#heap;
		const [first, last] = [heap[0], heap.pop()];
		if (first === undefined || last === undefined || first === last) return first;
		heap[0] = last;
		for (let parent = 0; ; ) {
			const [left, right] = [2 * parent + 1, 2 * parent + 2];
			const child = right < heap.length && this.#isLater(left, right) ? right : left;
			if (child >= heap.length || !this.#swap(parent, child)) return first;
			parent = child;
		}
	}

	#isLater(a: number, b: number): boolean {
		const [one, other] = [this.#heap[a], this.#heap[b]];
		if (one === undefined || other === undefined) return false;
		return one.at > other.at || (one.at === other.at && one.order > other.order);
	}

	#swap(parent: number, child: number): boolean {
		if (!this.#isLater(parent, child)) return false;
		const [one, other] = [this.#heap[parent], this.#heap[child]];
		if (one === undefined || other === undefined) return false;
		[this.#heap[parent], this.#heap[child]] = [other, one];
		return true;
	}
}

/** The same numbers for the same seed. */
export function mulberry(start: number): () => number {
	let seed = start | 0;
	return () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}
