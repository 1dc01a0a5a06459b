// The store's reads of agents, projects and the journal, on either database.
import type { AgentState } from "#contract/agent.ts";
import type { Event } from "#contract/event.ts";
import { snippetOf } from "#contract/search-words.ts";
import type { EventRange, Reads } from "#engine/ports/store.ts";
import * as agents from "./agent-queries.ts";
import type { Connection } from "./connection.ts";
import * as history from "./history-queries.ts";
import * as queries from "./queries.ts";
import { type EventRow, eventFrom, receiptFrom, statesIn } from "./rows.ts";
import { itemsFound, termsFor } from "./search-queries.ts";
import * as wanted from "./wanted-queries.ts";

export function agentReads(connection: Connection) {
	const { all, one } = statesIn(connection);
	return {
		agent: (id) => one(queries.agentById, { id }),
		agentByHandle: (project, handle) => one(queries.agentByHandle, { project: project ?? "", handle }),
		agentsNamed: (reference) =>
			all(agents.agentsNamed, {
				handle: reference,
				tail: reference.slice(reference.indexOf("/") + 1),
				from: reference,
				// "~" sorts after every character of an id
				upTo: `${reference}~`,
			}),
		agents: async ({ project, life }) => {
			const found: AgentState[] = await (life === "provisioning"
				? all(agents.agentsBeingProvisioned, {})
				: project === undefined
					? all(agents.allLivingAgents, {})
					: all(agents.livingAgentsOfProject, { project }));
			const isOf = (agent: AgentState): boolean => project === undefined || agent.project === project;
			return found.filter((agent) => isOf(agent) && (life === "living" || agent.life === life));
		},
		agentIds: async (project) => (await connection.all(agents.agentIdsOfProject, { project })).map(({ id }) => id),
		agentsWithLeasedWorkspace: () => all(agents.agentsWithLeasedWorkspace, {}),
		agentsWithStrayFiles: () => all(agents.agentsWithStrayFiles, {}),
		agentsWithFolders: (project) => all(agents.agentsWithFolders, { project }),
		agentsInFolder: (project, folder) => all(agents.agentsInFolder, { project, folder }),
		heldAgents: () => all(agents.heldAgents, {}),
		children: (supervisor) => all(agents.livingChildren, { supervisor }),
		descendants: (supervisor) => all(agents.livingDescendants, { supervisor }),
		above: async (id) =>
			(await connection.all(agents.agentsAbove, { id })).flatMap(({ supervisor }) => supervisor ?? []),
		livingAgentCount: async () => Number((await connection.all(agents.livingAgentCount, {}))[0]?.count ?? 0),
		livingAgentsByNode: async () => {
			const rows = await connection.all(agents.livingAgentsByNode, {});
			return new Map(rows.map(({ node, count }) => [node, Number(count)]));
		},
		project: (slug) => one(queries.projectBySlug, { slug }),
		projects: () => all(queries.allProjects, {}),
	} satisfies Partial<Reads>;
}

export function journalReads(connection: Connection) {
	const itemsBefore: Reads["itemsBefore"] = async (agent, before, limit) =>
		(await connection.all(history.itemsBefore, { agent, before: before ?? history.endless, limit }))
			.map((row) => eventFrom({ ...row, agent }))
			.reverse();
	return {
		event: async (id) => (await connection.all(queries.eventById, { id })).map(eventFrom)[0],
		itemsBefore,
		newestItem: async (agent) => (await itemsBefore(agent, null, 1))[0],
		newestOfKind: async (agent, kind, upTo) =>
			(await connection.all(queries.newestOfKind, { agent, kind, upTo })).map(eventFrom)[0],
		ranges: async (agent) => {
			const rows = await connection.all(history.walkUp, { agent });
			const ranges = rows.map(({ id, clear, up_to: upTo }) => ({ agent: id, after: clear ?? 0, upTo }));
			return { ranges, whole: isWholeWalk(rows) };
		},
		history: async (agent) => {
			const rows = await connection.all(history.walkUp, { agent });
			return { items: await eventsAlong(connection, rows, history.itemsOfRange), whole: isWholeWalk(rows) };
		},
		controls: async (agent) =>
			await eventsAlong(connection, await connection.all(history.walkUp, { agent }), history.controlsOfRange),
		lastEvent: async () => (await connection.all(queries.lastEvent, {}))[0]?.id ?? 0,
		usageReports: async ({ at, id }, limit) =>
			(await connection.all(queries.usageReports, { at, id, limit })).map(eventFrom),
		events: async (range) => (await rowsIn(connection, range)).map(eventFrom),
		search: async ({ terms, agent = null, project, limit }) => {
			if (terms.length === 0) return [];
			const words = termsFor(connection.dialect, terms);
			const slug = project === undefined ? null : (project ?? "");
			const rows = await connection.all(itemsFound, { words, agent, project: slug, limit });
			return rows.map(({ text, ...row }) => ({ ...row, snippet: snippetOf(text ?? "", terms) }));
		},
		receipt: async (actor, key) => (await connection.all(queries.receiptByKey, { actor, key })).map(receiptFrom)[0],
	} satisfies Partial<Reads>;
}

async function eventsAlong(
	connection: Connection,
	rows: readonly history.WalkRow[],
	query: typeof history.itemsOfRange,
): Promise<Event[]> {
	const found: Event[] = [];
	for (const { seq, id, clear, up_to } of rows) {
		const part = await connection.all(query, { seq, after: clear ?? 0, upTo: up_to ?? history.endless });
		for (const row of part) found.push(eventFrom({ ...row, agent: id }));
	}
	return found;
}

async function rowsIn(connection: Connection, range: EventRange): Promise<EventRow[]> {
	const { after, limit, upTo, agent, project, kinds, itemsOf, plainItems, since } = range;
	const plain = [upTo, project, kinds, itemsOf, plainItems, since].every((each) => each === undefined);
	if (plain && agent === undefined) return await connection.all(queries.eventsAfter, { after, limit });
	if (plain && agent !== undefined) return await connection.all(queries.eventsOfAgentAfter, { agent, after, limit });
	const lists = {
		kinds: kinds === undefined ? null : JSON.stringify(kinds),
		itemsOf: itemsOf === undefined ? null : JSON.stringify(itemsOf),
	};
	const noPlain = plainItems === false ? 1 : 0;
	const args = { after, limit, upTo: upTo ?? history.endless, since: since ?? 0, noPlain, ...lists };
	if (agent !== undefined) return await connection.all(wanted.eventsOfAgentWanted, { ...args, agent });
	if (project !== undefined) return await connection.all(wanted.eventsOfProjectWanted, { ...args, project });
	return await connection.all(wanted.eventsWanted, args);
}

/** Whether the walk ended at a clear or at an agent without a lineage. */
export function isWholeWalk(rows: readonly history.WalkRow[]): boolean {
	const [oldest] = rows;
	return oldest !== undefined && (oldest.clear !== null || oldest.lineage === null);
}
