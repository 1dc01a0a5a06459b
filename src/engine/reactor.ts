// Side effects live in reactors: they look at the rows, act on the world and come back as commands.
//
// Rows are the truth, wake-ups are hints. A reactor keeps no cursor: whenever an event that concerns it is
// published, or it was cut off from them, or it starts, it looks at the rows again and does what is due.
// So a crash between an event and its effect is repaired by the next look.
import type { Event } from "#contract/event.ts";
import { isRefusal } from "#contract/refusal.ts";
import type { Publisher } from "./publish.ts";
import type { Running } from "./supervisor.ts";

export interface Reactor {
	readonly name: string;
	/** whether the event may have given this reactor something to do */
	wakes(event: Event): boolean;
	/** looks at the rows and does what is due; must be safe to repeat and to abandon at any point */
	look(signal: AbortSignal): Promise<void>;
}

export async function startReactor(reactor: Reactor, publisher: Publisher): Promise<Running> {
	const stop = new AbortController();
	const ended = watch(reactor, publisher, stop.signal);
	// the supervisor looks at it; until then a failure must not count as unhandled
	ended.catch(() => {});
	return {
		ended,
		async [Symbol.asyncDispose]() {
			stop.abort();
			await ended.catch(() => {});
		},
	};
}

async function watch(reactor: Reactor, publisher: Publisher, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const subscription = publisher.subscribe("reactor");
		if (isRefusal(subscription)) throw new Error(subscription.message);
		const close = (): void => subscription[Symbol.dispose]();
		signal.addEventListener("abort", close, { once: true });
		try {
			// subscribed before the first look, so that nothing can happen in between unseen
			await reactor.look(signal);
			for (let events = await subscription.next(); events !== null; events = await subscription.next()) {
				if (events.some((event) => reactor.wakes(event))) await reactor.look(signal);
			}
		} finally {
			signal.removeEventListener("abort", close);
			close();
		}
	}
}
