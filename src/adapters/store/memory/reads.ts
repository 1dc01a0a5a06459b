// The store's reads of rows in memory.
import { type AgentState, hasStrayFiles, workspaceFolderName } from "#contract/agent.ts";
import type { AgentId, ProjectSlug } from "#contract/ids.ts";
import { isItem } from "#contract/item-kinds.ts";
import type { Reads } from "#engine/ports/store.ts";
import { historyIn, rangesIn } from "./history.ts";
import { memoryIssueReads } from "./issue-reads.ts";
import { eventsIn, itemsIn } from "./journal.ts";
import { listReads, lookupReads } from "./list-reads.ts";
import { mirroredIn } from "./mirrored.ts";
import { isNew, isUnread, mailsIn, queueIn, type Read, type Rows, receiptName } from "./rows.ts";
import { hitsIn } from "./search.ts";

/** `settled` resolves when no batch is half done. */
export function memoryReads(rows: Rows, settled: () => Promise<unknown>): Reads {
	const read: Read = async (pick) => {
		await settled();
		return pick(rows);
	};
	return {
		...memoryIssueReads(read),
		...agentReads(read),
		...journalReads(read),
		...promptReads(read),
		...turnReads(read),
		...mailReads(read),
		...listReads(read),
		...lookupReads(read),
		search: (request) => read((all) => hitsIn(all, request)),
		mirrored: (request) => read((all) => mirroredIn(all, request)),
		receipt: (actor, key) => read(({ receipts }) => receipts.get(receiptName(actor, key))),
	};
}

function agentReads(read: Read) {
	const where = (wanted: (agent: AgentState) => boolean): Promise<AgentState[]> =>
		read(({ agents }) => [...agents.values()].filter(wanted));
	return {
		agent: (id) => read(({ agents }) => agents.get(id)),
		agentByHandle: async (project, handle) =>
			(await where((agent) => agent.project === project && agent.handle === handle))[0],
		agentsNamed: (reference) => {
			const tail = reference.slice(reference.indexOf("/") + 1);
			return where(({ id, handle }) => id.startsWith(reference) || handle === reference || handle === tail);
		},
		agents: ({ project, life }) =>
			where(
				(agent) =>
					(project === undefined || agent.project === project) &&
					(life === "living" ? agent.life !== "ended" : agent.life === life),
			),
		agentIds: async (project) => (await where((agent) => agent.project === project)).map(({ id }) => id),
		agentsWithLeasedWorkspace: () => where(({ lease }) => lease !== null),
		agentsWithStrayFiles: () => where(hasStrayFiles),
		agentsWithFolders: (project) => where((agent) => agent.project === project && workspaceFolderName(agent) !== null),
		agentsInFolder: (project, folder) =>
			where((agent) => agent.project === project && workspaceFolderName(agent) === folder),
		livingAgentsByNode: async () => {
			const living = await where((agent) => agent.life !== "ended");
			return new Map(
				Map.groupBy(living, ({ node }) => node)
					.entries()
					.map(([node, { length }]) => [node, length]),
			);
		},
		heldAgents: () => where((agent) => agent.life !== "ended" && agent.holds.length > 0),
		livingAgentCount: async () => (await where((agent) => agent.life !== "ended")).length,
		children: (supervisor) => where((agent) => agent.supervisor === supervisor && agent.life !== "ended"),
		descendants: async (supervisor) => {
			const generations: AgentState[][] = [];
			for (let above = new Set([supervisor]); above.size > 0; ) {
				const parents = above;
				const next = await where(
					(agent) => agent.supervisor !== null && parents.has(agent.supervisor) && agent.life !== "ended",
				);
				generations.unshift(next);
				above = new Set(next.map((agent) => agent.id));
			}
			return generations.flat();
		},
		above: (id) =>
			read(({ agents }) => {
				const found: AgentId[] = [];
				const supervisorOf = (each: AgentId): AgentId | null => agents.get(each)?.supervisor ?? null;
				for (let next = supervisorOf(id); next !== null; next = supervisorOf(next)) found.push(next);
				return found;
			}),
		project: (slug) => read(({ projects }) => projects.get(slug)),
		projects: () => read(({ projects }) => [...projects.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1))),
	} satisfies Partial<Reads>;
}

function journalReads(read: Read) {
	return {
		event: (id) => read(({ events }) => events[id - 1]),
		lastEvent: () => read(({ events }) => events.length),
		events: (range) => read((rows) => eventsIn(rows, range)),
		usageReports: ({ at, id }, limit) =>
			read(({ events }) =>
				events
					.filter((event) => event.kind === "usage" && (event.at - at || event.id - id) > 0)
					.toSorted((a, b) => a.at - b.at || a.id - b.id)
					.slice(0, limit),
			),
		itemsBefore: (agent, before, limit) => read((rows) => itemsIn(rows, agent, before ?? undefined).slice(-limit)),
		newestItem: (agent) => read(({ events }) => events.findLast((event) => event.agent === agent && isItem(event))),
		newestOfKind: (agent, kind, upTo) =>
			read(({ events }) =>
				events.findLast((event) => event.agent === agent && event.kind === kind && event.id <= upTo),
			),
		ranges: (leaf) => read((rows) => rangesIn(rows, leaf)),
		history: (agent) => read((rows) => historyIn(rows, agent)),
		controls: (agent) =>
			read((rows) => historyIn(rows, agent).items.filter(({ kind }) => kind === "mark" || kind === "rewind")),
		callsOfTurn: (agent, turn) =>
			read(({ events }) =>
				events.filter((event) => event.agent === agent && event.turn === turn && event.kind.startsWith("tool_")),
			),
	} satisfies Partial<Reads>;
}

function promptReads(read: Read) {
	return {
		prompt: (id) => read(({ prompts }) => prompts.get(id)),
		prompts: (agent) => read((rows) => queueIn(rows, agent)),
		queueOrder: (agent) =>
			read((rows) => queueIn(rows, agent).map(({ id, position, priority }) => ({ id, position, priority }))),
		nextPrompt: (agent, now) => read((rows) => queueIn(rows, agent).find(({ notBefore }) => (notBefore ?? now) <= now)),
		promptsFrom: (agent, source) => read((rows) => queueIn(rows, agent).filter((prompt) => prompt.source === source)),
		queuePosition: (id) =>
			read((rows) => {
				const agent = rows.prompts.get(id)?.agent;
				return agent === undefined ? 0 : queueIn(rows, agent).findIndex((prompt) => prompt.id === id) + 1;
			}),
		queueEnds: (agent) =>
			read((rows) => {
				const positions = queueIn(rows, agent)
					.map(({ position }) => position)
					.sort((a, b) => a - b);
				const lastFront = positions.findLast((position) => position < 0) ?? null;
				return { length: positions.length, first: positions[0] ?? null, last: positions.at(-1) ?? null, lastFront };
			}),
		queueHeads: (now) =>
			read((rows) =>
				[...rows.agents.values()].flatMap((agent) => {
					const next = queueIn(rows, agent.id).find(({ notBefore }) => (notBefore ?? now) <= now);
					if (next === undefined) return [];
					const { id: prompt, priority, manual, source, createdAt, notBefore } = next;
					return [{ agent, head: { prompt, priority, manual, source, since: Math.max(createdAt, notBefore ?? 0) } }];
				}),
			),
		nextPromptAt: (now) =>
			read(({ prompts }) => {
				const queued = [...prompts.values()].filter(({ taken }) => taken === null);
				const later = queued.flatMap(({ notBefore }) => (notBefore !== null && notBefore > now ? [notBefore] : []));
				return later.length === 0 ? null : Math.min(...later);
			}),
	} satisfies Partial<Reads>;
}

function turnReads(read: Read) {
	return {
		node: (id) => read(({ nodes }) => nodes.get(id)),
		nodes: () => read(({ nodes }) => [...nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1))),
		subscriptions: () =>
			read(({ subscriptions }) => [...subscriptions.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
		persons: () => read(({ persons }) => [...persons.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
		turnLeases: () => read(({ turnLeases }) => [...turnLeases.values()].sort((a, b) => a.turn - b.turn)),
		approval: (id) => read(({ approvals }) => approvals.get(id)),
		pendingApprovals: (agent) =>
			read(({ approvals }) =>
				[...approvals.values()].filter(
					(approval) => approval.state === "pending" && (agent === undefined || approval.agent === agent),
				),
			),
		wait: (id) => read(({ waits }) => waits.get(id)),
		openWaits: () => read(({ waits }) => [...waits.values()].filter(({ state }) => state === "open")),
		turn: (id) => read(({ turns }) => turns.get(id)),
		turnsBefore: (event, { sinceMax }) =>
			read(({ turns, agents }) =>
				[...Map.groupBy(turns.values(), ({ agent }) => agent)].flatMap(([agent, all]) => {
					const before = all.filter(({ id }) => id <= event);
					const isShown = agents.get(agent)?.life !== "ended" && all.length - before.length <= sinceMax;
					return isShown ? before.slice(-1) : [];
				}),
			),
		latestTurns: (agent, limit) =>
			read(({ turns }) => [...turns.values()].filter((turn) => turn.agent === agent).slice(-limit)),
		lastServed: () =>
			read(({ turns, agents }) => {
				const served = new Map<ProjectSlug | null, number>();
				for (const { agent, startedAt } of turns.values()) served.set(agents.get(agent)?.project ?? null, startedAt);
				return served;
			}),
		openTurns: () => read(({ turns }) => [...turns.values()].filter(({ state }) => state === "open")),
		agentsAboutToBegin: () =>
			read(({ turns, agents }) =>
				[...turns.values()].flatMap(({ state, handedAt, agent }) =>
					state === "open" && handedAt === null ? (agents.get(agent) ?? []) : [],
				),
			),
	} satisfies Partial<Reads>;
}

function mailReads(read: Read) {
	return {
		mail: (id) => read(({ mails }) => mails.get(id)),
		latestMails: (agent, limit) => read((rows) => mailsIn(rows, agent).slice(-limit)),
		lastMail: (agent) => read((rows) => mailsIn(rows, agent).at(-1)?.id ?? 0),
		unreadMails: (agent) => read((rows) => mailsIn(rows, agent).filter(isUnread)),
		unreadMailCount: (agent) => read((rows) => mailsIn(rows, agent).filter(isUnread).length),
		newMailCount: (agent) =>
			read((rows) => {
				const waiting = mailsIn(rows, agent).filter(isNew);
				return { mails: waiting.length, urgent: waiting.filter(({ urgent }) => urgent).length };
			}),
		agentsWithUrgentMail: () =>
			read(({ mails }) => [...mails.values()].filter((mail) => mail.urgent && isNew(mail)).map(({ to }) => to)),
		agentsWithNewMail: () =>
			read(({ mails, agents }) => {
				const waiting = new Set(
					mails
						.values()
						.filter(isNew)
						.map(({ to }) => to),
				);
				return [...agents.values()].filter(({ id }) => waiting.has(id));
			}),
	} satisfies Partial<Reads>;
}
