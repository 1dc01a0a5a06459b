// The one way to wait for something that a command, a reactor or a person will do.
//
// The rows say whether it has happened; events only say when to look at them again. So nothing is missed between a look
// and the next event, and a waiter that falls behind and is cut off begins again with a look.
import type { Event } from "#contract/event.ts";
import type { Publisher } from "./publish.ts";

interface Until {
	/** whether the event may have changed what is looked at; any event if absent */
	matters?(event: Event): boolean;
	deadlineMs?: number;
	/** whoever aborts one of these ends the wait */
	signals?: readonly AbortSignal[];
}

/**
 * Looks now, and again after every event that matters, until the look answers; null once the deadline or a signal came
 * first.
 */
export async function until<T>(
	publisher: Publisher,
	look: () => Promise<T | null>,
	options: Until = {},
): Promise<T | null> {
	const { matters = () => true, deadlineMs, signals = [] } = options;
	const late = new AbortController();
	const timer = deadlineMs === undefined ? undefined : setTimeout(() => late.abort(), deadlineMs);
	const signal = AbortSignal.any([late.signal, ...signals]);
	try {
		while (!signal.aborted) {
			using events = publisher.follow();
			signal.addEventListener("abort", () => events[Symbol.dispose](), { once: true });
			for (let news: readonly Event[] | null = []; news !== null; news = await events.next()) {
				if (news.length > 0 && !news.some(matters)) continue;
				const found = await look();
				if (found !== null) return found;
			}
		}
		return null;
	} finally {
		clearTimeout(timer);
	}
}
