// Returns memory to the system while a thread has nothing to do. V8 collects garbage when it allocates, and an idle
// daemon does not allocate: the garbage of its start, or of a busy hour, would stay for days.
import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const everyMs = 5000;
/** a thread that used less of the last interval is idle */
const idleShare = 0.02;
/** a heap that has grown by less than a tenth is left alone */
const growth = 1.1;

export interface Heap {
	usedBytes(): number;
	collect(): void;
}

/** In every thread: each has a heap of its own. */
export function collectWhenIdle(heap: Heap = ownHeap()): NodeJS.Timeout {
	const collectIfIdle = collections(heap);
	let before = performance.eventLoopUtilization();
	return setInterval(() => {
		const now = performance.eventLoopUtilization();
		const { utilization } = performance.eventLoopUtilization(now, before);
		before = now;
		collectIfIdle(utilization);
	}, everyMs).unref();
}

/** Collects in an idle interval, if the heap has grown since the last collection. */
export function collections(heap: Heap): (utilization: number) => void {
	let left = 0;
	return (utilization) => {
		if (utilization > idleShare || heap.usedBytes() < left * growth) return;
		heap.collect();
		left = heap.usedBytes();
	};
}

function ownHeap(): Heap {
	setFlagsFromString("--expose-gc");
	const collect: (options: { type: string; flavor: string }) => void = runInNewContext("gc");
	return {
		usedBytes: () => getHeapStatistics().used_heap_size,
		// the flavour that also shrinks the heap
		collect: () => collect({ type: "major", flavor: "last-resort" }),
	};
}
