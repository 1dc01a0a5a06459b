// One command's unit of work: the rows it read, the events it led to, and what they did to those rows.
// It knows no noun: which rows an event changes, and how, is in `domain/fold`.
import type { AgentState } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { Event, NewEvent } from "#contract/event.ts";
import type { AgentId, ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { Subject } from "#contract/receipt.ts";
import type { SubscriptionState } from "#contract/subscription.ts";
import type { Decision } from "#domain/decision.ts";
import { fold, needed } from "#domain/fold/fold.ts";
import type { Answer } from "../ports/dispatch.ts";
import type { Tx } from "../ports/store.ts";
import { keptIn, load, type RowCache, write } from "./row-cache.ts";

/** A decision and the noun that it is about. */
export interface Decided {
	decision: Decision;
	/** "the event" stands for whatever id the first event will get */
	subject: Subject | "the event";
}

export class Work {
	readonly tx: Tx;
	readonly envelope: Envelope;
	readonly #kept: RowCache;

	constructor(tx: Tx, envelope: Envelope) {
		this.tx = tx;
		this.envelope = envelope;
		this.#kept = keptIn(tx);
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return await this.#kept.agent.load(id);
	}

	async project(slug: ProjectSlug) {
		return await this.#kept.project.load(slug);
	}

	async subscription(name: SubscriptionName): Promise<SubscriptionState | undefined> {
		return await this.#kept.subscription.load(name);
	}

	async turn(id: number) {
		return await this.#kept.turn.load(id);
	}

	async issue(id: number) {
		return await this.#kept.issue.load(id);
	}

	/** Lets the facts happen: into the journal, and into the rows that they change. */
	async apply(newEvents: readonly NewEvent[]): Promise<Event[]> {
		// a new agent's row comes before the events that refer to it; nothing in it depends on their ids
		const newAgents = newEvents.filter(({ kind }) => kind === "agent.spawned");
		for (const fact of newAgents) await this.#change(fact, 0);
		if (newAgents.length > 0) await write(this.#kept);
		const events = await this.tx.append(newEvents.map((fact) => this.#event(fact)));
		for (const [index, fact] of newEvents.entries())
			if (!newAgents.includes(fact)) await this.#change(fact, events[index]?.id ?? 0);
		await write(this.#kept);
		return events;
	}

	/** The noun that the command made or changed, as it is now. */
	async answer(subject: Subject): Promise<Answer> {
		const agent = subject.agent === undefined ? undefined : await this.agent(subject.agent);
		const project = subject.project === undefined ? undefined : await this.project(subject.project);
		const subscription = subject.subscription === undefined ? undefined : await this.subscription(subject.subscription);
		return {
			...(agent && { agent }),
			...(project && { project }),
			...(subscription && { subscription }),
			...(subject.event !== undefined && { event: subject.event }),
		};
	}

	async #change(fact: NewEvent, id: number): Promise<void> {
		const { actor, at } = this.envelope;
		const event = { ...fact, id, actor, at };
		for (const row of needed(event)) await load(this.#kept, row);
		fold(event, this.#kept, ({ kind, key }) => {
			throw new Error(`${event.kind} of ${kind} ${key}, which there is not`);
		});
	}

	#event(fact: NewEvent): Omit<Event, "id"> {
		return {
			agent: fact.agent,
			turn: "turn" in fact ? (fact.turn ?? null) : null,
			kind: fact.kind,
			text: "text" in fact ? (fact.text ?? null) : null,
			data: "data" in fact ? (fact.data ?? null) : null,
			at: this.envelope.at,
			actor: this.envelope.actor,
			// what the daemon says to itself has no key; its own id says as well what was done together
			command: this.envelope.key ?? this.envelope.freshId,
		};
	}
}
