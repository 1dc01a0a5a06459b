// The store's questions about agents, projects and the journal, on either database.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import type { Actor, AgentId, Handle, Key, ProjectSlug } from "#contract/ids.ts";
import type { ProjectState } from "#contract/project.ts";
import type { Receipt } from "#contract/receipt.ts";
import { type Hit, type SearchQuery, snippetOf } from "#contract/search.ts";
import type { EventRange, Ranges } from "#engine/ports/store.ts";
import type { Connection } from "./connection.ts";
import * as history from "./history-queries.ts";
import * as queries from "./queries.ts";
import { agentFrom, type EventRow, eventFrom, projectFrom, receiptFrom } from "./rows.ts";
import { itemsFound, termsFor } from "./search-queries.ts";
import * as wanted from "./wanted-queries.ts";

export class JournalReads {
	protected readonly connection: Connection;

	constructor(connection: Connection) {
		this.connection = connection;
	}

	async agent(id: AgentId): Promise<AgentState | undefined> {
		return (await this.connection.all(queries.agentById, { id })).map(agentFrom)[0];
	}

	async agentByHandle(project: ProjectSlug | null, handle: Handle): Promise<AgentState | undefined> {
		return (await this.connection.all(queries.agentByHandle, { project: project ?? "", handle })).map(agentFrom)[0];
	}

	async agentsNamed(reference: string): Promise<AgentState[]> {
		// no id has a "~", which sorts behind every character of one
		const args = {
			handle: reference,
			tail: reference.slice(reference.indexOf("/") + 1),
			from: reference,
			upTo: `${reference}~`,
		};
		return (await this.connection.all(queries.agentsNamed, args)).map(agentFrom);
	}

	async agents(filter: { project?: ProjectSlug; life?: AgentState["life"] } = {}): Promise<AgentState[]> {
		const { project, life } = filter;
		const rows =
			life === "provisioning"
				? await this.connection.all(queries.agentsBeingProvisioned, {})
				: project === undefined
					? await this.connection.all(queries.allAgents, {})
					: await this.connection.all(queries.agentsOfProject, { project });
		const wanted = (agent: AgentState): boolean =>
			(project === undefined || agent.project === project) && (life === undefined || agent.life === life);
		return rows.map(agentFrom).filter(wanted);
	}

	async children(supervisor: AgentId): Promise<AgentState[]> {
		return (await this.connection.all(queries.livingChildren, { supervisor })).map(agentFrom);
	}

	async descendants(supervisor: AgentId): Promise<AgentState[]> {
		return (await this.connection.all(queries.livingDescendants, { supervisor })).map(agentFrom);
	}

	async above(id: AgentId): Promise<AgentId[]> {
		const rows = await this.connection.all(queries.agentsAbove, { id });
		return rows.flatMap((row) => row.supervisor ?? []);
	}

	async project(slug: ProjectSlug): Promise<ProjectState | undefined> {
		return (await this.connection.all(queries.projectBySlug, { slug })).map(projectFrom)[0];
	}

	async projects(): Promise<ProjectState[]> {
		return (await this.connection.all(queries.allProjects, {})).map(projectFrom);
	}

	async event(id: number): Promise<Event | undefined> {
		return (await this.connection.all(queries.eventById, { id })).map(eventFrom)[0];
	}

	async itemsBefore(agent: AgentId, before: number, limit: number): Promise<Event[]> {
		return (await this.connection.all(history.itemsBefore, { agent, before, limit }))
			.map((row) => eventFrom({ ...row, agent }))
			.reverse();
	}

	async newestItem(agent: AgentId): Promise<Event | undefined> {
		const [row] = await this.connection.all(history.newestItem, { agent });
		return row && eventFrom({ ...row, agent });
	}

	async newestOfKind(agent: AgentId, kind: string, upTo: number): Promise<Event | undefined> {
		return (await this.connection.all(queries.newestOfKind, { agent, kind, upTo })).map(eventFrom)[0];
	}

	async ranges(agent: AgentId): Promise<Ranges> {
		const rows = await this.connection.all(history.walkUp, { agent });
		return {
			ranges: rows.map(({ id, clear, up_to: upTo }) => ({ agent: id, after: clear ?? 0, upTo })),
			whole: isWhole(rows),
		};
	}

	async history(agent: AgentId): Promise<{ items: Event[]; whole: boolean }> {
		const rows = await this.connection.all(history.walkUp, { agent });
		return { items: await this.#alongRanges(rows, history.itemsOfRange), whole: isWhole(rows) };
	}

	async controls(agent: AgentId): Promise<Event[]> {
		return await this.#alongRanges(await this.connection.all(history.walkUp, { agent }), history.controlsOfRange);
	}

	async #alongRanges(rows: readonly history.WalkRow[], query: typeof history.itemsOfRange): Promise<Event[]> {
		const found: Event[] = [];
		for (const { seq, id, clear, up_to } of rows) {
			const part = await this.connection.all(query, { seq, after: clear ?? 0, upTo: up_to ?? history.endless });
			for (const row of part) found.push(eventFrom({ ...row, agent: id }));
		}
		return found;
	}

	async livingAgents(): Promise<number> {
		return Number((await this.connection.all(queries.livingAgents, {}))[0]?.count ?? 0);
	}

	async lastEvent(): Promise<number> {
		return (await this.connection.all(queries.lastEvent, {}))[0]?.id ?? 0;
	}

	async events(range: EventRange): Promise<Event[]> {
		return (await this.#rowsIn(range)).map(eventFrom);
	}

	async #rowsIn({ after, limit, upTo, agent, project, kinds, itemsOf, since }: EventRange): Promise<EventRow[]> {
		const plain = [upTo, project, kinds, itemsOf, since].every((each) => each === undefined);
		if (plain && agent === undefined) return await this.connection.all(queries.eventsAfter, { after, limit });
		if (plain && agent !== undefined)
			return await this.connection.all(queries.eventsOfAgentAfter, { agent, after, limit });
		const lists = {
			kinds: kinds === undefined ? null : JSON.stringify(kinds),
			itemsOf: itemsOf === undefined ? null : JSON.stringify(itemsOf),
		};
		const args = { after, limit, upTo: upTo ?? history.endless, since: since ?? 0, ...lists };
		if (agent !== undefined) return await this.connection.all(wanted.eventsOfAgentWanted, { ...args, agent });
		if (project !== undefined) return await this.connection.all(wanted.eventsOfProjectWanted, { ...args, project });
		return await this.connection.all(wanted.eventsWanted, args);
	}

	async search({ terms, agent, project, limit }: SearchQuery): Promise<Hit[]> {
		if (terms.length === 0) return [];
		const words = termsFor(this.connection.flavor, terms);
		const rows = await this.connection.all(itemsFound, {
			words,
			agent: agent ?? null,
			project: project === undefined ? null : (project ?? ""),
			limit,
		});
		return rows.map(({ text, ...row }) => ({ ...row, snippet: snippetOf(text ?? "", terms) }));
	}

	async receipt(actor: Actor, key: Key): Promise<Receipt | undefined> {
		return (await this.connection.all(queries.receiptByKey, { actor, key })).map(receiptFrom)[0];
	}
}

/** The walk reached a clear or an agent without a lineage, and not a lineage that leads nowhere. */
export function isWhole(rows: readonly history.WalkRow[]): boolean {
	const [oldest] = rows;
	return oldest !== undefined && (oldest.clear !== null || oldest.lineage === null);
}
