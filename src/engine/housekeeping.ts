// What has to be done now and then for as long as the daemon lives: receipts whose time is over are forgotten.
import type { Limits } from "#contract/limits.ts";
import { caught, type Log } from "./log.ts";
import type { Clock, Store } from "./ports.ts";
import type { Running } from "./supervisor.ts";

const everyMs = 60 * 60 * 1000;

export async function startHousekeeping({ store, clock, limits, log }: { store: Store; clock: Clock; limits: Limits; log: Log }): Promise<Running> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let stopped = false;
	const tidy = async (): Promise<void> => {
		// a store without room or reach is tried again the next time; a broken one ends the engine by itself
		await store.dropReceipts(clock.now() - limits.receiptsKeptMs).catch(caught(log, "housekeeping", "Old receipts could not be dropped"));
		if (!stopped) timer = setTimeout(() => void tidy(), everyMs);
	};
	await tidy();
	return {
		ended: new Promise(() => {}),
		async [Symbol.asyncDispose]() {
			stopped = true;
			clearTimeout(timer);
		},
	};
}
