// The one way to wait for an effect of a command, a reactor or a person.
//
// The rows say whether it has happened; events only say when to read them again. So nothing is missed between a look
// and the next event, and a waiter that is cut off starts again with a look.
import type { Event } from "#contract/event.ts";
import type { Publisher } from "./publish.ts";

interface Until {
	/** whether the event may have changed the result; any event if absent */
	matters?(event: Event): boolean;
	timeoutMs?: number;
	/** aborting any of these ends the wait */
	signals?: readonly AbortSignal[];
}

/**
 * Looks now, and again after every event that matters, until the look returns a result; null if the deadline or a
 * signal comes first.
 */
export async function until<T>(
	publisher: Publisher,
	look: () => Promise<T | null>,
	options: Until = {},
): Promise<T | null> {
	const { matters = () => true, timeoutMs, signals = [] } = options;
	const late = new AbortController();
	const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs);
	const signal = AbortSignal.any([late.signal, ...signals]);
	try {
		while (!signal.aborted) {
			using reader = publisher.follow();
			signal.addEventListener("abort", () => reader[Symbol.dispose](), { once: true });
			for (let events: readonly Event[] | null = []; events !== null; events = await reader.next()) {
				if (events.length > 0 && !events.some(matters)) continue;
				const found = await look();
				if (found !== null) return found;
			}
		}
		return null;
	} finally {
		clearTimeout(timer);
	}
}
