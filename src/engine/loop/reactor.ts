// Side effects live in reactors: they read the rows, act on the world and dispatch commands.
//
// Rows are the truth, events are hints. A reactor keeps no cursor: when it starts, when an event concerns it, and when
// it was cut off from the events, it reads the rows again and does what is due. So a crash between an event and its
// effect is repaired by the next look.
import type { CommandInput } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { expected } from "#contract/log.ts";
import { bySystem, type Dispatch } from "../ports/dispatch.ts";
import type { Running } from "./part-runner.ts";
import type { EventReader, Publisher } from "./publish.ts";
import { retryWhile } from "./retry.ts";

/** "again" if not everything that is due could be done; `inMs` if something is due at that time. */
export type LookResult = "done" | "again" | { inMs: number };

/** A timer is never longer than this, since wall clocks jump; without one, the next event wakes the reactor. */
const sleepMs = { shortest: 5, longest: 60_000 };

export interface Reactor {
	readonly name: string;
	/** whether the event may have given this reactor something to do; `together` has all events that came with it */
	wakes(event: Event, together: readonly Event[]): boolean;
	/** whether a plain item may wake it now; never if absent */
	items?(): boolean;
	/** Looks at the rows and does what is due; must be safe to repeat and to abandon at any point. */
	look(signal: AbortSignal): Promise<LookResult>;
}

/** Dispatches commands in small groups; "again" if the store's queue was full. */
export async function dispatchAll(dispatch: Dispatch, commands: readonly CommandInput[]): Promise<"done" | "again"> {
	for (let at = 0; at < commands.length; at += groupSize) {
		const group = commands.slice(at, at + groupSize);
		const outcomes = await Promise.all(group.map((command) => dispatch(bySystem(command))));
		if (outcomes.some((outcome) => "refused" in outcome && outcome.refused.code === "QUEUE_FULL")) return "again";
	}
	return "done";
}

const groupSize = 64;

export async function startReactor(reactor: Reactor, publisher: Publisher): Promise<Running> {
	const stop = new AbortController();
	const ended = watch(reactor, publisher, stop.signal);
	ended.catch(expected("the part runner handles it; until then it must not count as unhandled"));
	return {
		ended,
		async [Symbol.asyncDispose]() {
			stop.abort();
			await ended.catch(expected("the part runner has handled it"));
		},
	};
}

async function watch(reactor: Reactor, publisher: Publisher, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const reader = publisher.follow({ items: () => reactor.items?.() ?? false });
		const close = (): void => reader[Symbol.dispose]();
		signal.addEventListener("abort", close, { once: true });
		try {
			// it follows events before the first look, so that nothing can happen in between unseen
			let timer = await lookWithRetries(reactor, signal, reader);
			for (let events = await reader.next(); events !== null; events = await reader.next()) {
				// every event is shown, also after one that wakes: some reactors note what it is about
				const waking = events.filter((event) => reactor.wakes(event, events));
				// without events it was nudged by the timer
				if (events.length > 0 && waking.length === 0) continue;
				clearTimeout(timer);
				timer = await lookWithRetries(reactor, signal, reader);
			}
			clearTimeout(timer);
		} finally {
			signal.removeEventListener("abort", close);
			close();
		}
	}
}

/** Repeats the look with growing pauses until everything due is done. Returns the timer for the next look. */
async function lookWithRetries(
	reactor: Reactor,
	signal: AbortSignal,
	reader: EventReader,
): Promise<ReturnType<typeof setTimeout> | undefined> {
	const looked = await retryWhile(
		() => reactor.look(signal),
		(result) => result === "again",
		signal,
	);
	if (looked === null || typeof looked === "string") return undefined;
	return setTimeout(() => reader.nudge(), Math.min(Math.max(looked.inMs, sleepMs.shortest), sleepMs.longest));
}
