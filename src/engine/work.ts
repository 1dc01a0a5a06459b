// One command's unit of work: the rows it read, the events it led to, and what they did to those rows.
// A row is read once, evolved in memory and written once.
import type { AgentFact, AgentState } from "#contract/agent.ts";
import type { Envelope } from "#contract/command.ts";
import type { Event, Fact, Happened } from "#contract/event.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { ProjectFact, ProjectState } from "#contract/project.ts";
import { evolveAgent } from "#domain/agent/evolve.ts";
import type { Decision } from "#domain/decision.ts";
import { evolveProject } from "#domain/project.ts";
import type { Answer, Subject, Tx } from "./ports.ts";

/** A decision and the noun that it is about. */
export interface Decided {
	decision: Decision;
	subject: Subject;
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

	/** Lets the facts happen: rows first, so that an event never names an agent that is not there. */
	async apply(facts: readonly Fact[]): Promise<Event[]> {
		const { actor, at } = this.envelope;
		const agents = new Set<AgentId>();
		const projects = new Set<ProjectSlug>();
		for (const fact of facts) {
			if (isAgentFact(fact)) {
				this.#agents.set(fact.agent, evolveAgent(await this.agent(fact.agent), { ...fact, actor, at }));
				agents.add(fact.agent);
			} else if (isProjectFact(fact)) {
				this.#projects.set(fact.data.slug, evolveProject(await this.project(fact.data.slug), { ...fact, actor, at }));
				projects.add(fact.data.slug);
			}
		}
		for (const id of agents) await this.#putAgent(id);
		for (const slug of projects) await this.#putProject(slug);
		return await this.tx.append(facts.map((fact) => this.#event({ ...fact, actor, at })));
	}

	/** The noun that the command made or changed, as it is now. */
	async answer(subject: Subject): Promise<Answer> {
		const agent = subject.agent === undefined ? undefined : await this.agent(subject.agent);
		const project = subject.project === undefined ? undefined : await this.project(subject.project);
		return { ...(agent && { agent }), ...(project && { project }), ...(subject.item !== undefined && { item: subject.item }) };
	}

	async #putAgent(id: AgentId): Promise<void> {
		const state = this.#agents.get(id);
		if (state !== undefined) await this.tx.putAgent(state);
	}

	async #putProject(slug: ProjectSlug): Promise<void> {
		const state = this.#projects.get(slug);
		if (state !== undefined) await this.tx.putProject(state);
	}

	#event(fact: Happened<Fact>): Omit<Event, "id"> {
		return {
			agent: fact.agent,
			turn: null,
			kind: fact.kind,
			text: "text" in fact ? (fact.text ?? null) : null,
			data: "data" in fact ? (fact.data ?? null) : null,
			at: fact.at,
			actor: fact.actor,
			command: this.envelope.key,
		};
	}
}

const isAgentFact = (fact: Fact): fact is AgentFact & { agent: AgentId } => fact.kind.startsWith("agent.");
const isProjectFact = (fact: Fact): fact is ProjectFact & { agent: null } => fact.kind.startsWith("project.");
