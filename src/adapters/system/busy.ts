// Notices that a thread has real work to do, as opposed to a program that has started and waits.
import { performance } from "node:perf_hooks";

const everyMs = 1000;
/** a thread that used more of the last interval is busy */
const busyShare = 0.25;

export interface Loop {
	/** the share of the time since the last call in which the thread worked */
	utilization(): number;
}

/** Calls `work` once, after the first busy interval. */
export function whenBusy(work: () => void, loop: Loop = ownLoop()): NodeJS.Timeout {
	const timer = setInterval(() => {
		if (loop.utilization() < busyShare) return;
		clearInterval(timer);
		work();
	}, everyMs).unref();
	return timer;
}

function ownLoop(): Loop {
	let before = performance.eventLoopUtilization();
	return {
		utilization() {
			const now = performance.eventLoopUtilization();
			const { utilization } = performance.eventLoopUtilization(now, before);
			before = now;
			return utilization;
		},
	};
}
