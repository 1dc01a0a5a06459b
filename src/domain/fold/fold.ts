// The fold from events to rows, for the engine and for every client.
//
// `changes` has, for each kind of row, the change by each kind of event. An event is folded in two steps: `needed`
// names the rows to load, `fold` changes them. The engine loads them from its transaction; a client that mirrors only
// some rows skips the others.
import type { NounEvent, Stamped } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { agentChanges } from "./agent.ts";
import type { Changes, KeyOf, RowKind, StateOf } from "./change.ts";
import { entryChanges, issueChanges, runChanges } from "./issue.ts";
import { approvalChanges, mailChanges, waitChanges } from "./messaging.ts";
import { nodeChanges } from "./node.ts";
import { personChanges } from "./person.ts";
import { projectChanges, subscriptionChanges } from "./project.ts";
import { promptChanges } from "./prompt.ts";
import { turnChanges, turnLeaseChanges } from "./turn.ts";

const changes = {
	agent: agentChanges,
	project: projectChanges,
	subscription: subscriptionChanges,
	person: personChanges,
	node: nodeChanges,
	prompt: promptChanges,
	turn: turnChanges,
	turnLease: turnLeaseChanges,
	approval: approvalChanges,
	wait: waitChanges,
	mail: mailChanges,
	issue: issueChanges,
	run: runChanges,
	entry: entryChanges,
} satisfies { [R in RowKind]: Changes<R> };

/** Agents come before the rows that refer to them. */
export const rowKinds: readonly RowKind[] = [
	...(["agent", "project", "subscription", "person", "node", "turn", "prompt", "turnLease"] as const),
	...(["approval", "wait", "mail", "issue", "run", "entry"] as const),
];

type Handled = { [R in RowKind]: keyof (typeof changes)[R] }[RowKind];

/** Events that change no row. An event that is neither here nor in a table above does not compile. */
const withoutRows: { readonly [K in Exclude<NounEvent["kind"], Handled>]: true } = {
	"git.ran": true,
	"agent.processesEnded": true,
	"workspace.snapshotted": true,
	"workspace.merged": true,
	"workspace.pushed": true,
};

/** The loaded rows of one kind; a `Map` is one. */
export interface RowTable<K, V> {
	get(key: K): V | undefined;
	set(key: K, row: V): unknown;
	delete(key: K): unknown;
}
export type RowTables = { readonly [R in RowKind]: RowTable<KeyOf<R>, StateOf<R>> };

/** An event of the journal, or a new event that has its id. */
export type Folded = Stamped<{ kind: string; agent: AgentId | null }>;

export type RowKey = string | number;
export interface RowName {
	kind: RowKind;
	key: RowKey;
}

/** The rows to load before the event is folded. */
export function needed(event: Folded): RowName[] {
	return stepsFor(event.kind).flatMap((step): RowName[] => {
		const { kind, agent } = step;
		if (agent !== undefined) return [{ kind: "agent", key: ask(agent, event) }];
		return step.change === undefined ? [] : keysOf(step, event).map((key) => ({ kind, key }));
	});
}

/** All rows that the event creates, changes or removes. */
export const touched = (event: Folded): RowName[] =>
	stepsFor(event.kind).flatMap((step) => keysOf(step, event).map((key) => ({ kind: step.kind, key })));

/** Applies the event to the rows. `missing` is called for a row that the event changes but that is not loaded. */
export function fold(event: Folded, rows: RowTables, missing: (row: RowName) => void): void {
	for (const step of stepsFor(event.kind)) {
		const table: AnyRowTable = rows[step.kind];
		for (const key of keysOf(step, event)) {
			const row = step.change === undefined ? undefined : Reflect.apply(table.get, table, [key]);
			const set = (made: unknown): void => void Reflect.apply(table.set, table, [key, made]);
			if (step.gone) Reflect.apply(table.delete, table, [key]);
			else if (step.make !== undefined)
				set(ask(step.make, event, step.agent && rows.agent.get(ask(step.agent, event))));
			else if (row !== undefined && step.change !== undefined) set(ask(step.change, row, event));
			else if (step.ifThere !== true) missing({ kind: step.kind, key });
		}
	}
}

/** Any change of any row; the tables above pair each with its event and row. */
interface AnyChange {
	keys: (event: never) => readonly RowKey[];
	make?: (event: never, agent: never) => object;
	change?: (row: never, event: never) => object;
	agent?: (event: never) => AgentId;
	gone?: true;
	ifThere?: true;
}

interface AnyRowTable {
	get: (key: never) => object | undefined;
	set: (key: never, row: never) => unknown;
	delete: (key: never) => unknown;
}

type FoldStep = AnyChange & { kind: RowKind };

/** Calls a function of the tables, which say what each takes. */
const ask = <T>(change: (...args: never[]) => T, ...args: unknown[]): T => Reflect.apply(change, undefined, args);

const keysOf = (step: FoldStep, event: Folded): readonly RowKey[] => ask(step.keys, event);

const steps = new Map<string, FoldStep[]>();
for (const kind of rowKinds) {
	for (const [event, change] of Object.entries<AnyChange>(changes[kind]))
		steps.set(event, [...(steps.get(event) ?? []), { ...change, kind }]);
}

const stepsFor = (kind: string): readonly FoldStep[] =>
	Object.hasOwn(withoutRows, kind) ? none : (steps.get(kind) ?? none);
const none: readonly FoldStep[] = [];
