// The one fold: from events to rows, for the engine and for every client.
//
// `changes` has, for each kind of row, what each kind of event does to it. An event is folded in two steps: `needed`
// names the rows that must be at hand, and `fold` makes of them what they are afterwards. Between the two, the engine
// reads rows from its transaction; a client that mirrors only some of them has the others missing, and leaves them so.
import type { NounEvent, Stamped } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { agentChanges } from "./agent.ts";
import type { Changes, KeyOf, RowKind, StateOf } from "./change.ts";
import { issueChanges, noteChanges, runChanges } from "./issue.ts";
import { approvalChanges, mailChanges, waitChanges } from "./open.ts";
import { projectChanges, subscriptionChanges } from "./project.ts";
import { promptChanges } from "./prompt.ts";
import { leaseChanges, turnChanges } from "./turn.ts";

const changes = {
	agent: agentChanges,
	project: projectChanges,
	subscription: subscriptionChanges,
	prompt: promptChanges,
	turn: turnChanges,
	lease: leaseChanges,
	approval: approvalChanges,
	wait: waitChanges,
	mail: mailChanges,
	issue: issueChanges,
	run: runChanges,
	note: noteChanges,
} satisfies { [R in RowKind]: Changes<R> };

/** An agent comes before whatever refers to it. */
export const rowKinds: readonly RowKind[] = [
	...(["agent", "project", "subscription", "turn", "prompt", "lease"] as const),
	...(["approval", "wait", "mail", "issue", "run", "note"] as const),
];

type Handled = { [R in RowKind]: keyof (typeof changes)[R] }[RowKind];

/** These change no row. A kind of event that is neither here nor in a table above does not compile. */
const silent: { readonly [K in Exclude<NounEvent["kind"], Handled>]: true } = {
	"git.ran": true,
	"workspace.snapshotted": true,
	"workspace.merged": true,
	"workspace.pushed": true,
};

/** Rows of one kind that are at hand; a `Map` is one. */
export interface Shelf<K, V> {
	get(key: K): V | undefined;
	set(key: K, row: V): unknown;
	delete(key: K): unknown;
}
export type Shelves = { readonly [R in RowKind]: Shelf<KeyOf<R>, StateOf<R>> };

/** An event of the journal, or a fact that has just got its id. */
export type Folded = Stamped<{ kind: string; agent: AgentId | null }>;

export type Key = string | number;
export interface RowName {
	kind: RowKind;
	key: Key;
}

/** The rows that have to be at hand before the event is folded. */
export function needed(event: Folded): RowName[] {
	return stepsFor(event.kind).flatMap((step): RowName[] => {
		const { kind, agent } = step;
		if (agent !== undefined) return [{ kind: "agent", key: ask(agent, event) }];
		return step.change === undefined ? [] : keysOf(step, event).map((key) => ({ kind, key }));
	});
}

/** All rows that the event makes, changes or removes. */
export const touched = (event: Folded): RowName[] =>
	stepsFor(event.kind).flatMap((step) => keysOf(step, event).map((key) => ({ kind: step.kind, key })));

/** What the event makes of the rows. `missing` is told of a row that the event changes and that is not at hand. */
export function fold(event: Folded, rows: Shelves, missing: (row: RowName) => void): void {
	for (const step of stepsFor(event.kind)) {
		const shelf: AnyShelf = rows[step.kind];
		for (const key of keysOf(step, event)) {
			const row = step.change === undefined ? undefined : Reflect.apply(shelf.get, shelf, [key]);
			if (step.gone) Reflect.apply(shelf.delete, shelf, [key]);
			else if (step.make !== undefined)
				Reflect.apply(shelf.set, shelf, [
					key,
					ask(step.make, event, step.agent && rows.agent.get(ask(step.agent, event))),
				]);
			else if (row !== undefined && step.change !== undefined)
				Reflect.apply(shelf.set, shelf, [key, ask(step.change, row, event)]);
			else if (step.ifThere !== true) missing({ kind: step.kind, key });
		}
	}
}

/** Any change of any row: which event and which row it takes is known from where it stands in the tables. */
interface AnyChange {
	keys: (event: never) => readonly Key[];
	make?: (event: never, agent: never) => object;
	change?: (row: never, event: never) => object;
	agent?: (event: never) => AgentId;
	gone?: true;
	ifThere?: true;
}

interface AnyShelf {
	get: (key: never) => object | undefined;
	set: (key: never, row: never) => unknown;
	delete: (key: never) => unknown;
}

type Step = AnyChange & { kind: RowKind };

// biome-ignore lint/complexity/noBannedTypes: the tables say what each takes
const ask = (change: Function, ...args: unknown[]) => Reflect.apply(change, undefined, args);

const keysOf = (step: Step, event: Folded): readonly Key[] => ask(step.keys, event);

const steps = new Map<string, Step[]>();
for (const kind of rowKinds) {
	for (const [event, change] of Object.entries<AnyChange>(changes[kind]))
		steps.set(event, [...(steps.get(event) ?? []), { ...change, kind }]);
}

const stepsFor = (kind: string): readonly Step[] => (Object.hasOwn(silent, kind) ? none : (steps.get(kind) ?? none));
const none: readonly Step[] = [];
