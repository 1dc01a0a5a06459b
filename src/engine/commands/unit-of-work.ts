// One command's unit of work: the rows that it reads, its events, and their effect on the rows. Which rows an event
// changes, and how, is in `domain/fold`.
import type { AgentState } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { Event, EventKind, NewEvent } from "#contract/event.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import type { Subject } from "#contract/receipt.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Decision } from "#domain/decision.ts";
import { fold, needed } from "#domain/fold/fold.ts";
import type { Answer } from "../ports/dispatch.ts";
import type { Tx } from "../ports/store.ts";
import { endErrands } from "./end-errands.ts";
import { loadRow, type RowCache, rowCache, writeRows } from "./row-cache.ts";

/** A decision and the noun that it is about. */
export interface Decided {
	decision: Decision;
	/** "the event" stands for whatever id the first event will get */
	subject: Subject | "the event";
}

/**
 * An agent's row is written before the events that refer to it, and its name has to be free. These changes do not
 * depend on the ids of their events, so an agent without a workspace is inserted as it stays.
 */
const changesFirst: ReadonlySet<string> = new Set<EventKind>(["agent.spawned", "agent.provisioned", "agent.renamed"]);

export class UnitOfWork {
	readonly tx: Tx;
	readonly envelope: Envelope;
	readonly #rows: RowCache;

	constructor(tx: Tx, envelope: Envelope) {
		this.tx = tx;
		this.envelope = envelope;
		this.#rows = rowCache(tx);
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return await this.#rows.agent.load(id);
	}

	async project(slug: ProjectSlug) {
		return await this.#rows.project.load(slug);
	}

	async subscription(name: SubscriptionName): Promise<SubscriptionState | undefined> {
		return await this.#rows.subscription.load(name);
	}

	async turn(id: number) {
		return await this.#rows.turn.load(id);
	}

	async node(id: NodeId) {
		return await this.#rows.node.load(id);
	}

	async issue(id: number) {
		return await this.#rows.issue.load(id);
	}

	/** Appends the events to the journal and folds them into the rows. */
	async apply(newEvents: readonly NewEvent[]): Promise<Event[]> {
		const named = newEvents.filter(({ kind }) => changesFirst.has(kind));
		for (const event of named) await this.#change(event, 0);
		if (named.length > 0) await writeRows(this.#rows);
		const events = await this.tx.append(newEvents.map((event) => this.#event(event)));
		for (const [index, event] of newEvents.entries())
			if (!changesFirst.has(event.kind)) await this.#change(event, events[index]?.id ?? 0);
		await writeRows(this.#rows);
		await endErrands(this.tx, newEvents);
		return events;
	}

	/** The noun that the command made or changed, as it is now. */
	async answer(subject: Subject): Promise<Answer> {
		const agent = subject.agent === undefined ? undefined : await this.agent(subject.agent);
		const project = subject.project === undefined ? undefined : await this.project(subject.project);
		const subscription = subject.subscription === undefined ? undefined : await this.subscription(subject.subscription);
		const person = subject.person === undefined ? undefined : await this.#rows.person.load(subject.person);
		return {
			...(agent && { agent }),
			...(project && { project }),
			...(subscription && { subscription }),
			...(person && { person }),
			...(subject.event !== undefined && { event: subject.event }),
		};
	}

	async #change(newEvent: NewEvent, id: number): Promise<void> {
		const { actor, at } = this.envelope;
		const event = { ...newEvent, id, actor, at };
		for (const row of needed(event)) await loadRow(this.#rows, row);
		fold(event, this.#rows, ({ kind, key }) => {
			throw new Error(`${event.kind} of ${kind} ${key}, which does not exist`);
		});
	}

	#event(event: NewEvent): Omit<Event, "id"> {
		const { at, actor, key, freshId } = this.envelope;
		return {
			...{ agent: event.agent, kind: event.kind, at, actor },
			turn: "turn" in event ? (event.turn ?? null) : null,
			text: "text" in event ? (event.text ?? null) : null,
			data: "data" in event ? (event.data ?? null) : null,
			// the daemon's own commands have no key; a fresh id groups their events as well
			command: key ?? freshId,
		};
	}
}
