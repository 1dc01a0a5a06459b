// Side effects live in reactors: they look at the rows, act on the world and come back as commands.
//
// Rows are the truth, wake-ups are hints. A reactor keeps no cursor: whenever an event that concerns it is
// published, or it was cut off from them, or it starts, it looks at the rows again and does what is due.
// So a crash between an event and its effect is repaired by the next look.
import type { CommandInput } from "#contract/command.ts";
import type { Event } from "#contract/event.ts";
import { system } from "#contract/ids.ts";
import { expected } from "#contract/log.ts";
import type { Dispatch } from "../ports/dispatch.ts";
import type { EventReader, Publisher } from "./publish.ts";
import { retryWhile } from "./retry.ts";
import type { Running } from "./supervisor.ts";

/** "again" if there was more to do than could be done now; a time, if there will be something to do then. */
export type Looked = "done" | "again" | { inMs: number };

/** Wall clocks jump: nobody sleeps for longer than this without looking at one again. */
const sleepMs = { shortest: 5, longest: 60_000 };

export interface Reactor {
	readonly name: string;
	/** whether the event may have given this reactor something to do; with all that was heard in the same moment */
	wakes(event: Event, together: readonly Event[]): boolean;
	/** Looks at the rows and does what is due; must be safe to repeat and to abandon at any point. */
	look(signal: AbortSignal): Promise<Looked>;
}

/** Dispatches commands in small groups; "again" if the store's queue was full. */
export async function dispatchAll(dispatch: Dispatch, commands: readonly CommandInput[]): Promise<"done" | "again"> {
	for (let at = 0; at < commands.length; at += crowd) {
		const said = commands.slice(at, at + crowd).map((command) => dispatch({ actor: system, key: null, command }));
		const outcomes = await Promise.all(said);
		if (outcomes.some((outcome) => "refused" in outcome && outcome.refused.code === "QUEUE_FULL")) return "again";
	}
	return "done";
}

const crowd = 64;

export async function startReactor(reactor: Reactor, publisher: Publisher): Promise<Running> {
	const stop = new AbortController();
	const ended = watch(reactor, publisher, stop.signal);
	ended.catch(expected("the supervisor looks at it; until then it must not count as unhandled"));
	return {
		ended,
		async [Symbol.asyncDispose]() {
			stop.abort();
			await ended.catch(expected("the supervisor has heard of it"));
		},
	};
}

async function watch(reactor: Reactor, publisher: Publisher, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const reader = publisher.follow();
		const close = (): void => reader[Symbol.dispose]();
		signal.addEventListener("abort", close, { once: true });
		try {
			// subscribed before the first look, so that nothing can happen in between unseen
			let timer = await lookWithRetries(reactor, signal, reader);
			for (let events = await reader.next(); events !== null; events = await reader.next()) {
				// no events at all means that the time has come
				if (events.length > 0 && !events.some((event) => reactor.wakes(event, events))) continue;
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

/**
 * The look is repeated, more and more slowly, until it could do all that was due. Answers with the timer for the next
 * one.
 */
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
