// How components read the store, ask the daemon for what is not mirrored, and act.
import { createContext, useCallback, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Refused } from "#client/client.ts";
import type { Input } from "#client/input.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { propertiesOf, type Refusal } from "#contract/refusal.ts";
import type { AnswerOf, RouteName } from "#contract/routes.ts";
import { localNow } from "./connection.ts";
import type { ConversationSeen } from "./conversations.ts";
import { refusalOf } from "./refusal-of.ts";
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

/** What was answered, and stays until something else is. */
type Answered<T> = { state: "ready"; data: T } | { state: "failed"; refusal: Refusal; data?: T };

export type Read<T> =
	| { state: "loading"; data?: T }
	| Extract<Answered<T>, { state: "ready" }>
	| (Extract<Answered<T>, { state: "failed" }> & { again(): Promise<void> });

interface LastRead<T> {
	key: string;
	read: Answered<T>;
	/** nobody answered */
	isLost: boolean;
}

/**
 * Asks once, and again when the input or `again` changes, until a daemon that did not answer is back, and when one that
 * refused for a moment is; null asks nothing. What was answered before stays meanwhile.
 */
export function useRead<N extends RouteName>(name: N, input: Input<N> | null, again: unknown = 0): Read<AnswerOf<N>> {
	const store = useStore();
	const { client } = store;
	const isLive = useSyncExternalStore(store.subscribe, () => store.seen.connection.state === "live");
	const [last, setLast] = useState<LastRead<AnswerOf<N>> | null>(null);
	const key = JSON.stringify([name, input]);
	const asked = useRef(0);
	const ask = async (): Promise<void> => {
		if (input === null) return;
		const question = ++asked.current;
		const next = await client.call(name, input).then(
			(data) => (): LastRead<AnswerOf<N>> => ({ key, read: { state: "ready", data }, isLost: false }),
			(error: unknown) => (before: LastRead<AnswerOf<N>> | null) => failed(key, error, before),
		);
		if (question === asked.current) setLast(next);
	};
	const tries = useTries(last?.isLost === true);
	// biome-ignore lint/correctness/useExhaustiveDependencies: the input is compared by what it contains
	useEffect(() => {
		void ask();
		return () => {
			asked.current++;
		};
	}, [client, key, again, tries]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when the connection comes back
	useEffect(() => {
		if (isLive && last?.key === key && mayHeal(last)) void ask();
	}, [isLive]);
	if (last?.key !== key) return { state: "loading" };
	return last.read.state === "failed" ? { ...last.read, again: ask } : last.read;
}

function failed<T>(key: string, error: unknown, before: LastRead<T> | null): LastRead<T> {
	const isLost = !(error instanceof Refused);
	const refusal = refusalOf(error, "The page asks again by itself.");
	return isLost && before?.key === key && before.read.data !== undefined
		? { ...before, isLost }
		: { key, read: { state: "failed", refusal }, isLost };
}

const mayHeal = <T>({ read, isLost }: LastRead<T>): boolean =>
	isLost || (read.state === "failed" && propertiesOf(read.refusal.code).retryable);

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
				const unknown = "Whether this took effect is not known.";
				const refusal = refusalOf(error, happensOnce(name) ? `${unknown} ${sameRequest}` : unknown);
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
