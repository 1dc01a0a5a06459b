// When agents worked and wrote to each other: read once from the journal, then continued whenever events have arrived.

import { useEffect, useRef, useState } from "react";
import { dataOf } from "#contract/event-data.ts";
import type { AgentId } from "#contract/ids.ts";
import type { Agent, WireEvent } from "#contract/wire.ts";
import { useSeen, useStore } from "../../store/hooks.ts";
import { useTries } from "../../store/tries.ts";

export interface TurnBar {
	turn: number;
	/** 0 if it began before the events that were read */
	from: number;
	/** null while it is open */
	to: number | null;
	state: string;
}

export interface AgentTimeline {
	bars: TurnBar[];
	mails: number[];
}

export type Timelines = ReadonlyMap<AgentId, AgentTimeline>;

/** the fewest milliseconds between two reads */
const restMs = 700;
const kinds = "turn.started,turn.ended,mail.sent";

interface Reading {
	/** the last event that was read */
	last: number;
	since: string;
	isBusy: boolean;
	/** where the events stood when they were read */
	until: number;
	/** null if the last read did not fail */
	failedTry: number | null;
}

export function useTimelines(since: string): { timelines: Timelines; isFailed: boolean } {
	const { client } = useStore();
	const { at } = useSeen();
	const [timelines, setTimelines] = useState<Timelines>(new Map());
	const [isFailed, setFailed] = useState(false);
	const tries = useTries(isFailed);
	const reading = useRef<Reading>({ last: 0, since: "", isBusy: false, until: 0, failedTry: null });
	// biome-ignore lint/correctness/useExhaustiveDependencies: a change of the timelines lets the next read begin
	useEffect(() => {
		const state = reading.current;
		if (state.since !== since) Object.assign(state, { last: 0, since, until: 0, failedTry: null });
		// what arrives after a read that failed begins no other one: the next try does
		if (state.isBusy || at <= state.until || state.failedTry === tries) return;
		state.isBusy = true;
		const read = async (): Promise<void> => {
			for (let next: number | null = state.last; next !== null; ) {
				const isFresh = next === 0;
				const page: { events: WireEvent[]; next: number | null } = await client.call("journal", {
					query: { kind: kinds, since, after: next, limit: 10_000 },
				});
				const { events } = page;
				state.last = events.at(-1)?.id ?? state.last;
				if (events.length > 0 || isFresh) setTimelines((before) => withEvents(isFresh ? new Map() : before, events));
				next = page.next;
			}
			state.until = at;
		};
		const rest = (): unknown =>
			setTimeout(() => {
				state.isBusy = false;
				// whatever arrived meanwhile
				setTimelines((before) => new Map(before));
			}, restMs);
		read().then(
			() => {
				state.failedTry = null;
				setFailed(false);
				rest();
			},
			() => {
				Object.assign(state, { isBusy: false, failedTry: tries });
				setFailed(true);
			},
		);
	}, [client, at, since, timelines, tries]);
	return { timelines, isFailed };
}

export function withEvents(before: Timelines, events: readonly WireEvent[]): Timelines {
	const after = new Map(before);
	const fresh = new Set<AgentId>();
	const of = (agent: AgentId): AgentTimeline => {
		const known = after.get(agent);
		if (known !== undefined && fresh.has(agent)) return known;
		const made = { bars: [...(known?.bars ?? [])], mails: [...(known?.mails ?? [])] };
		after.set(agent, made);
		fresh.add(agent);
		return made;
	};
	for (const event of events) {
		const { id, agent, kind, at } = event;
		if (agent === null) continue;
		if (kind === "turn.started") of(agent).bars.push({ turn: id, from: Date.parse(at), to: null, state: "open" });
		else if (kind === "mail.sent") of(agent).mails.push(Date.parse(at));
		else {
			const { bars } = of(agent);
			const ended = dataOf(event, "turn.ended");
			if (ended === undefined) continue;
			const { turn, state } = ended;
			const index = bars.findIndex((bar) => bar.turn === turn);
			const bar = { turn, from: bars[index]?.from ?? 0, to: Date.parse(at), state };
			if (index < 0) bars.push(bar);
			else bars[index] = bar;
		}
	}
	return after;
}

/** With the turns that are open now: they may have begun before the events that were read. */
export function withOpenTurns(timelines: Timelines, agents: readonly Pick<Agent, "id" | "turn">[]): Timelines {
	const all = new Map(timelines);
	for (const { id, turn } of agents) {
		if (turn === null) continue;
		const { bars, mails } = timelines.get(id) ?? { bars: [], mails: [] };
		if (bars.some((bar) => bar.turn === turn.id)) continue;
		const open = { turn: turn.id, from: Date.parse(turn.startedAt), to: null, state: "open" };
		all.set(id, { bars: [...bars, open], mails });
	}
	return all;
}
