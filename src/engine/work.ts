// One command's unit of work: the rows it read, the events it led to, and what they did to those rows.
// A row is read once, evolved in memory and written once.
import type { AgentFact, AgentState } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { Event, Fact } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { ProjectFact, ProjectState } from "#contract/project.ts";
import type { PromptFact } from "#contract/prompt.ts";
import { evolveAgent } from "#domain/agent/evolve.ts";
import type { Decision } from "#domain/decision.ts";
import { evolveProject } from "#domain/project.ts";
import { evolvePrompt } from "#domain/prompt.ts";
import type { Answer, Subject, Tx } from "./ports.ts";

/** A decision and the noun that it is about. */
export interface Decided {
	decision: Decision;
	/** "the event" stands for whatever id the first event will get */
	subject: Subject | "the event";
}

export class Work {
	readonly tx: Tx;
	readonly envelope: Envelope;
	readonly #agents = new Map<AgentId, AgentState | undefined>();
	readonly #projects = new Map<ProjectSlug, ProjectState | undefined>();

	constructor(tx: Tx, envelope: Envelope) {
		this.tx = tx;
		this.envelope = envelope;
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		if (!this.#agents.has(id)) this.#agents.set(id, await this.tx.agent(id));
		return this.#agents.get(id);
	}

	async project(slug: ProjectSlug): Promise<ProjectState | undefined> {
		if (!this.#projects.has(slug)) this.#projects.set(slug, await this.tx.project(slug));
		return this.#projects.get(slug);
	}

	/** Lets the facts happen: into the journal, and into the rows that they change. */
	async apply(facts: readonly Fact[]): Promise<Event[]> {
		const { actor, at } = this.envelope;
		// a new agent's row comes before the events that refer to it; nothing in it depends on their ids
		for (const fact of facts) {
			if (fact.kind === "agent.spawned" && isAgentFact(fact)) await this.#saveAgent(evolveAgent(undefined, { ...fact, id: 0, actor, at }));
		}
		const events = await this.tx.append(facts.map((fact) => this.#event(fact)));
		const changed = new Map<AgentId, AgentState>();
		for (const [index, fact] of facts.entries()) {
			const happened = { id: events[index]?.id ?? 0, actor, at };
			if (isPromptFact(fact)) await this.tx.putPrompt(evolvePrompt({ ...fact, ...happened }));
			else if (isProjectFact(fact)) await this.#saveProject(evolveProject(await this.project(fact.data.slug), { ...fact, ...happened }));
			else if (isAgentFact(fact) && fact.kind !== "agent.spawned") {
				const state = evolveAgent(changed.get(fact.agent) ?? (await this.agent(fact.agent)), { ...fact, ...happened });
				changed.set(fact.agent, state);
			}
		}
		for (const state of changed.values()) await this.#saveAgent(state);
		return events;
	}

	/** The noun that the command made or changed, as it is now. */
	async answer(subject: Subject): Promise<Answer> {
		const agent = subject.agent === undefined ? undefined : await this.agent(subject.agent);
		const project = subject.project === undefined ? undefined : await this.project(subject.project);
		return { ...(agent && { agent }), ...(project && { project }), ...(subject.event !== undefined && { event: subject.event }) };
	}

	async #saveAgent(state: AgentState): Promise<void> {
		this.#agents.set(state.id, state);
		await this.tx.putAgent(state);
	}

	async #saveProject(state: ProjectState): Promise<void> {
		this.#projects.set(state.slug, state);
		await this.tx.putProject(state);
	}

	#event(fact: Fact): Omit<Event, "id"> {
		return {
			agent: fact.agent,
			turn: null,
			kind: fact.kind,
			text: "text" in fact ? (fact.text ?? null) : null,
			data: "data" in fact ? (fact.data ?? null) : null,
			at: this.envelope.at,
			actor: this.envelope.actor,
			command: this.envelope.key,
		};
	}
}

const isAgentFact = (fact: Fact): fact is AgentFact & { agent: AgentId } => fact.kind.startsWith("agent.");
const isPromptFact = (fact: Fact): fact is PromptFact & { agent: AgentId } => fact.kind.startsWith("prompt.");
const isProjectFact = (fact: Fact): fact is ProjectFact & { agent: null } => fact.kind.startsWith("project.");
