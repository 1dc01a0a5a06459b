// Waiting for work that may take for ever.

/** time after the grace period in which the files of ended turns can be kept */
const haltMs = 5000;

/**
 * Waits for `work`. Calls `halt` when it is done, or `haltMs` after `grace`: git may wait for ever for a pipe that an
 * agent left in place of a file.
 */
export async function haltAfter(grace: Promise<unknown>, work: Promise<void>, halt: () => void): Promise<void> {
	let over = false;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = (): void => {
		if (!over) timer = setTimeout(halt, haltMs);
	};
	grace.then(begin, begin);
	try {
		await work;
	} finally {
		over = true;
		clearTimeout(timer);
		halt();
	}
}

/** Waits for `work`, but not longer than this; whether it was done in time. */
export async function doneWithin(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
	const late = Promise.withResolvers<boolean>();
	const timer = setTimeout(() => late.resolve(false), timeoutMs);
	return await Promise.race([work.then(() => true), late.promise]).finally(() => clearTimeout(timer));
}
