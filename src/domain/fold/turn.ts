// What events do to the rows of turns, and to the leases of running ones.
import type { TurnLease } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import { withUsage } from "../usage.ts";
import type { Changes, EventOf } from "./change.ts";
import { usedIn } from "./used.ts";

const named = (event: { data: { turn: number } }): number[] => [event.data.turn];

export const turnChanges = {
	"turn.started": { keys: ({ id }) => [id], make: started },
	"turn.handed": { keys: named, change: (row, { at }) => ({ ...row, handedAt: at }) },
	"turn.stopping": {
		keys: named,
		change: (row, { at, data }) => ({ ...row, stoppingAt: at, stoppingFor: data.why ?? "interrupt" }),
	},
	"agent.moved": {
		keys: ({ data }) => (data.turn === undefined ? [] : [data.turn]),
		change: (row, { data }) => ({ ...row, node: data.node, epoch: null }),
	},
	"turn.ended": {
		keys: named,
		change: (row, { at, data }) => ({ ...row, state: data.state, reason: data.reason, endedAt: at }),
	},
	final: {
		keys: ({ turn }) => (turn == null ? [] : [turn]),
		change: (row, { id }) => ({ ...row, finalItem: id }),
		ifThere: true,
	},
	usage: {
		keys: (event) => (usedIn(event) === null || event.turn == null ? [] : [event.turn]),
		change: (row, event) => ({ ...row, usage: withUsage(row.usage, usedIn(event)?.usage ?? {}) }),
		ifThere: true,
	},
	"workspace.committed": {
		keys: ({ data }) => (data.turn === null ? [] : [data.turn]),
		change: (row, { data }) => ({ ...row, commit: data.commit }),
		ifThere: true,
	},
	"prompt.queued": {
		keys: ({ data }) => (data.retries === undefined ? [] : [data.retries.turn]),
		change: (row, { id }) => ({ ...row, retriedAs: id }),
		ifThere: true,
	},
} satisfies Changes<"turn">;

function started({ id, agent, data, at }: EventOf<"turn.started">): TurnState {
	const { prompt, textEvent = prompt, source, manual = false, subscription = null, node = null, epoch = null } = data;
	return {
		...{ id, agent, prompt, textEvent, source, manual, subscription, node, epoch, state: "open", startedAt: at },
		...{ handedAt: null, stoppingAt: null, stoppingFor: null, endedAt: null, reason: null },
		...{ finalItem: null, commit: null, usage: null, retriedAs: null },
	};
}

const leased = ({ subscription = null, node = null }: Partial<Pick<TurnLease, "subscription" | "node">>) => ({
	subscription,
	node,
});

/** A turn that begins to wait gives back its place and its slot with the same event. */
export const turnLeaseChanges = {
	"turn.started": {
		keys: ({ id, data }) => (data.place === true ? [id] : []),
		make: ({ id, agent, data, at }) => ({ turn: id, agent, ...leased(data), at }),
	},
	"turn.continued": {
		keys: ({ data }) => (data.place === true ? [data.turn] : []),
		make: ({ agent, data, at }) => ({ turn: data.turn, agent, ...leased(data), at }),
	},
	"turn.ended": { keys: named, gone: true },
	"wait.opened": { keys: ({ data }) => (data.blocking && data.turn !== null ? [data.turn] : []), gone: true },
} satisfies Changes<"turnLease">;
