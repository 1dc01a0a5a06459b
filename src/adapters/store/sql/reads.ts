// All of the store's reads, on either database: here those of prompts, turns, approvals, waits and mail.
import { ProjectSlug } from "#contract/ids.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Reads } from "#engine/ports/store.ts";
import type { Connection } from "./connection.ts";
import { issueReads } from "./issue-reads.ts";
import { agentReads, journalReads } from "./journal-reads.ts";
import { listReads, lookupReads } from "./list-reads.ts";
import * as mails from "./mail-queries.ts";
import { mirroredBy } from "./mirrored.ts";
import * as nodes from "./node-queries.ts";
import * as open from "./open-queries.ts";
import * as persons from "./person-queries.ts";
import { queueOrder, queuePosition } from "./queue-queries.ts";
import { headFrom, mailFrom, promptFrom, statesIn } from "./rows.ts";
import * as slots from "./slot-queries.ts";
import * as queries from "./turn-queries.ts";

export function sqlReads(connection: Connection): Reads {
	const reads = {
		...agentReads(connection),
		...journalReads(connection),
		...issueReads(connection),
		...promptReads(connection),
		...turnReads(connection),
		...mailReads(connection),
		...listReads(connection),
		...lookupReads(connection),
	};
	return {
		...reads,
		agentsAboutToBegin: async () => {
			const agents = [];
			for (const turn of await reads.openTurns())
				if (turn.handedAt === null) agents.push(await reads.agent(turn.agent));
			return agents.filter((agent) => agent !== undefined);
		},
		/** The rows are of one moment only inside a transaction; the caller begins one. */
		mirrored: (request) => mirroredBy(reads, connection, request),
	};
}

function promptReads(connection: Connection) {
	return {
		prompts: async (agent) => (await connection.all(queries.promptsOfAgent, { agent })).map(promptFrom),
		queueOrder: (agent) => connection.all(queueOrder, { agent }),
		nextPrompt: async (agent, now) => (await connection.all(queries.nextPrompt, { agent, now })).map(promptFrom)[0],
		promptsFrom: (agent, source) => connection.all(queries.promptsFrom, { agent, source }),
		prompt: async (id) => (await connection.all(queries.promptById, { id })).map(promptFrom)[0],
		queuePosition: async (id) => Number((await connection.all(queuePosition, { id }))[0]?.position ?? 0),
		queueEnds: async (agent) => {
			const [ends] = await connection.all(queries.queueEnds, { agent });
			const { length = 0, first = null, last = null, lastFront = null } = ends ?? {};
			return { length: Number(length), first, last, lastFront };
		},
		queueHeads: async (now) => (await connection.all(queries.queueHeads, { now })).map(headFrom),
		nextPromptAt: async (now) => (await connection.all(queries.nextPromptAt, { now }))[0]?.at ?? null,
	} satisfies Partial<Reads>;
}

function turnReads(connection: Connection) {
	const { all, one } = statesIn(connection);
	return {
		subscriptions: () => all(slots.allSubscriptions, {}),
		persons: () => all(persons.allPersons, {}),
		turnLeases: () => connection.all(slots.allTurnLeases, {}),
		node: (id) => one(nodes.nodeById, { id }),
		nodes: () => all(nodes.allNodes, {}),
		approval: (id) => one(open.approvalById, { id }),
		pendingApprovals: (agent) =>
			agent === undefined ? all(open.pendingApprovals, {}) : all(open.pendingApprovalsOf, { agent }),
		wait: (id) => one(open.waitById, { id }),
		openWaits: () => all(open.openWaits, {}),
		turn: (id) => one(queries.turnById, { id }),
		turnsBefore: (event, { sinceMax }) => all(queries.turnsBefore, { event, sinceMax }),
		latestTurns: async (agent, limit) => {
			const newestFirst: TurnState[] = await all(queries.latestTurns, { agent, limit });
			return newestFirst.reverse();
		},
		lastServed: async () => {
			const rows = await connection.all(queries.latestTurnOfEachProject, {});
			return new Map(
				rows.map(({ project, state }) => {
					const { startedAt }: TurnState = JSON.parse(state);
					return [project === null ? null : ProjectSlug.parse(project), startedAt];
				}),
			);
		},
		openTurns: () => all(queries.openTurns, {}),
		callsOfTurn: async (agent, turn) =>
			(await connection.all(queries.callsOfTurn, { agent, turn })).map(({ id, kind, data }) => ({
				id: Number(id),
				kind,
				data: data === null ? null : JSON.parse(data),
			})),
	} satisfies Partial<Reads>;
}

function mailReads(connection: Connection) {
	return {
		mail: async (id) => (await connection.all(mails.mailById, { id })).map(mailFrom)[0],
		latestMails: async (agent, limit) =>
			(await connection.all(mails.latestMails, { agent, limit })).map(mailFrom).reverse(),
		lastMail: async (agent) => (await connection.all(mails.lastMail, { agent }))[0]?.id ?? 0,
		unreadMails: async (agent) => (await connection.all(mails.unreadMails, { agent })).map(mailFrom),
		unreadMailCount: async (agent) => Number((await connection.all(mails.unreadMailCount, { agent }))[0]?.length ?? 0),
		newMailCount: async (agent) => {
			const [{ mails: all, urgent } = { mails: 0, urgent: 0 }] = await connection.all(mails.newMailCount, { agent });
			return { mails: Number(all), urgent: Number(urgent) };
		},
		agentsWithUrgentMail: async () => (await connection.all(mails.agentsWithUrgentMail, {})).map(({ id }) => id),
		agentsWithNewMail: () => statesIn(connection).all(mails.agentsWithNewMail, {}),
	} satisfies Partial<Reads>;
}
