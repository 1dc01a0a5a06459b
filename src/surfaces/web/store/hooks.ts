// How components read the store, ask the daemon for what is not mirrored, and act.
import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { type Input, Refused } from "#client/client.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { AnswerOf, RouteName } from "#contract/routes.ts";
import { localNow } from "./connection.ts";
import type { ConversationSeen } from "./conversations.ts";
import type { Seen } from "./seen.ts";
import type { Store } from "./store.ts";
import { dismissAbout, toast } from "./toasts.ts";
import { useTries } from "./tries.ts";
import { happensOnce, sendOnce } from "./unanswered.ts";

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
	const store = useContext(StoreContext);
	if (store === null) throw new Error("a component is outside of the store's provider");
	return store;
}

/** The rows as they are now. */
export function useSeen(): Seen {
	const store = useStore();
	return useSyncExternalStore(store.subscribe, () => store.seen);
}

export function useConversation(agent: AgentId): ConversationSeen {
	const { conversations } = useStore();
	const subscribe = useCallback(
		(listener: () => void) => conversations.subscribe(agent, listener),
		[conversations, agent],
	);
	return useSyncExternalStore(subscribe, () => conversations.seen(agent));
}

/** The last line of an agent, as it is said; null if nothing has been heard of it. */
export function useLastLine(agent: AgentId): string | null {
	const { conversations } = useStore();
	return useSyncExternalStore(conversations.subscribeLines, () => conversations.lastLine(agent));
}

/** Keeps threads, boards and last lines up to date while the component is shown. */
export function useNeeds({
	threads = [],
	boards = [],
	lines = [],
}: {
	threads?: readonly AgentId[];
	boards?: readonly ProjectSlug[];
	lines?: readonly AgentId[];
}): void {
	const store = useStore();
	const wanted = [threads.join(), boards.join(), lines.join()].join("|");
	// biome-ignore lint/correctness/useExhaustiveDependencies: the lists are compared by what they contain
	useEffect(() => store.need({ threads, boards, lines }), [store, wanted]);
}

export type Read<T> =
	| { state: "loading"; data?: T }
	| { state: "ready"; data: T }
	| { state: "failed"; refusal: Refusal; data?: T };

interface LastRead<T> {
	key: string;
	read: Read<T>;
	/** nobody answered */
	isLost: boolean;
}

/**
 * Asks once, and again when the input or `again` changes, and until a daemon that did not answer is back; null asks
 * nothing. What was answered before stays meanwhile.
 */
export function useRead<N extends RouteName>(name: N, input: Input<N> | null, again: unknown = 0): Read<AnswerOf<N>> {
	const store = useStore();
	const { client } = store;
	const isLive = useSyncExternalStore(store.subscribe, () => store.seen.connection.state === "live");
	const [last, setLast] = useState<LastRead<AnswerOf<N>> | null>(null);
	const key = JSON.stringify([name, input]);
	const isBack = isLive && last?.isLost === true;
	const tries = useTries(last?.isLost === true);
	// biome-ignore lint/correctness/useExhaustiveDependencies: the input is compared by what it contains
	useEffect(() => {
		if (input === null) return;
		let isCurrent = true;
		client.call(name, input).then(
			(data) => isCurrent && setLast({ key, read: { state: "ready", data }, isLost: false }),
			(error: unknown) => {
				const isLost = !(error instanceof Refused);
				const refusal = refusalOf(error, "The daemon does not answer. This is loaded again as soon as it does.");
				if (isCurrent)
					setLast((before) =>
						isLost && before?.key === key && before.read.data !== undefined
							? { ...before, isLost }
							: { key, read: { state: "failed", refusal }, isLost },
					);
			},
		);
		return () => {
			isCurrent = false;
		};
	}, [client, key, again, isBack, tries]);
	return last?.key === key ? last.read : { state: "loading" };
}

export const refusalOf = (error: unknown, silence: string): Refusal =>
	error instanceof Refused ? error.refusal : refuse("DAEMON_UNREACHABLE", silence);

const sameRequest = "Sent again unchanged, it is the same request and happens once.";

/** Does something, once; a refusal that `answers` does not take becomes a toast. Answers null if it was refused. */
export function useAct(): <N extends RouteName>(
	name: N,
	input: Input<N>,
	done?: string,
	answers?: (refusal: Refusal) => boolean,
) => Promise<AnswerOf<N> | null> {
	const { client } = useStore();
	return useCallback(
		async (name, input, done, answers) => {
			const about = JSON.stringify([name, input.params]);
			try {
				const { answer, isAgain } = await sendOnce(name, input, (key) => client.call(name, { ...input, key }));
				dismissAbout(about);
				const text = isAgain ? "Sent again as the same request: it happens once." : done;
				if (text !== undefined) toast({ tone: "ok", text });
				return answer;
			} catch (error) {
				const silence = "The daemon did not answer. Whether this took effect is not known.";
				const refusal = refusalOf(error, happensOnce(name) ? `${silence} ${sameRequest}` : silence);
				const { code, message, suggestions } = refusal;
				if (answers?.(refusal) !== true) toast({ tone: "bad", text: message, code, suggestions, about });
				return null;
			}
		},
		[client],
	);
}

/** The daemon's time, renewed every so often: for ages and countdowns. */
export function useNow(everyMs = 1000): number {
	const store = useStore();
	useTicks(everyMs);
	const seen = store.seen;
	return localNow() + seen.ahead;
}

/** How often this time has passed since the component was shown. */
export function useTicks(everyMs: number): number {
	const [ticks, tick] = useState(0);
	useEffect(() => {
		const timer = setInterval(() => tick((count) => count + 1), everyMs);
		return () => clearInterval(timer);
	}, [everyMs]);
	return ticks;
}
