// All of the store's questions, on either database: here those about prompts, turns and mail.
import type { AgentState } from "#contract/agent.ts";
import type { AgentId } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { TurnState } from "#contract/turn.ts";
import type { Counts, QueueEnds, Reads } from "#engine/ports.ts";
import { JournalReads } from "./journal-reads.ts";
import { agentFrom, mailFrom, promptFrom, turnFrom } from "./rows.ts";
import * as queries from "./turn-queries.ts";

export class SqlReads extends JournalReads implements Reads {
	async prompts(agent: AgentId): Promise<PromptState[]> {
		return (await this.connection.all(queries.promptsOfAgent, { agent })).map((row) => promptFrom(row, agent));
	}

	async queue(agent: AgentId): Promise<QueueEnds> {
		const [ends] = await this.connection.all(queries.queueEnds, { agent });
		return { length: Number(ends?.length ?? 0), first: ends?.first ?? null, last: ends?.last ?? null, lastFront: ends?.lastFront ?? null };
	}

	async counts(): Promise<Map<AgentId, Counts>> {
		const counts = new Map<AgentId, Counts>();
		for (const { id, count } of await this.connection.all(queries.promptCounts, {})) counts.set(id, { queueLength: Number(count), unreadMail: 0 });
		for (const { id, count } of await this.connection.all(queries.mailCounts, {}))
			counts.set(id, { queueLength: counts.get(id)?.queueLength ?? 0, unreadMail: Number(count) });
		return counts;
	}

	async agentsWithPrompts(): Promise<AgentState[]> {
		return (await this.connection.all(queries.agentsWithPrompts, {})).map(agentFrom);
	}

	async turn(id: number): Promise<TurnState | undefined> {
		return (await this.connection.all(queries.turnById, { id })).map(turnFrom)[0];
	}

	async turns(agent: AgentId): Promise<TurnState[]> {
		return (await this.connection.all(queries.turnsOfAgent, { agent })).map(turnFrom);
	}

	async openTurns(): Promise<TurnState[]> {
		return (await this.connection.all(queries.openTurns, {})).map(turnFrom);
	}

	async callsOfTurn(agent: AgentId, turn: number): Promise<{ kind: string; data: unknown }[]> {
		const rows = await this.connection.all(queries.callsOfTurn, { agent, turn });
		return rows.map(({ kind, data }) => ({ kind, data: data === null ? null : JSON.parse(data) }));
	}

	async mail(id: number): Promise<MailState | undefined> {
		return (await this.connection.all(queries.mailById, { id })).map(mailFrom)[0];
	}

	async mails(agent: AgentId): Promise<MailState[]> {
		return (await this.connection.all(queries.mailsOfAgent, { agent })).map(mailFrom);
	}

	async unreadMail(agent: AgentId): Promise<number> {
		return Number((await this.connection.all(queries.unreadMail, { agent }))[0]?.length ?? 0);
	}

	async agentsWithNewMail(): Promise<AgentState[]> {
		return (await this.connection.all(queries.agentsWithNewMail, {})).map(agentFrom);
	}
}
