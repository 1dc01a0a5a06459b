// All of the store's questions, on either database: here those about prompts, turns, approvals, waits and mail.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import { type AgentId, ProjectSlug } from "#contract/ids.ts";
import type { MailState } from "#contract/mail.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";
import type { LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Counts, QueueEnds, QueueHead, Reads } from "#engine/ports/store.ts";
import { IssueReads } from "./issue-reads.ts";
import * as mails from "./mail-queries.ts";
import { mirroredBy } from "./mirrored.ts";
import * as open from "./open-queries.ts";
import { placeInQueue } from "./queue-queries.ts";
import {
	agentFrom,
	approvalFrom,
	headFrom,
	mailFrom,
	promptFrom,
	subscriptionFrom,
	turnFrom,
	waitFrom,
} from "./rows.ts";
import * as slots from "./slot-queries.ts";
import * as queries from "./turn-queries.ts";

export class SqlReads extends IssueReads implements Reads {
	async prompts(agent: AgentId): Promise<PromptState[]> {
		return (await this.connection.all(queries.promptsOfAgent, { agent })).map(promptFrom);
	}

	async prompt(id: number): Promise<PromptState | undefined> {
		return (await this.connection.all(queries.promptById, { id })).map(promptFrom)[0];
	}

	async placeInQueue(id: number): Promise<number> {
		return Number((await this.connection.all(placeInQueue, { id }))[0]?.place ?? 0);
	}

	async queue(agent: AgentId): Promise<QueueEnds> {
		const [ends] = await this.connection.all(queries.queueEnds, { agent });
		return {
			length: Number(ends?.length ?? 0),
			first: ends?.first ?? null,
			last: ends?.last ?? null,
			lastFront: ends?.lastFront ?? null,
		};
	}

	async counts(): Promise<Map<AgentId, Counts>> {
		const counts = new Map<AgentId, Counts>();
		for (const { id, count } of await this.connection.all(queries.promptCounts, {}))
			counts.set(id, { queueLength: Number(count), unreadMail: 0 });
		for (const { id, count } of await this.connection.all(mails.mailCounts, {}))
			counts.set(id, { queueLength: counts.get(id)?.queueLength ?? 0, unreadMail: Number(count) });
		return counts;
	}

	async queueHeads(now: number): Promise<{ agent: AgentState; head: QueueHead }[]> {
		return (await this.connection.all(queries.queueHeads, { now })).map(headFrom);
	}

	async subscriptions(): Promise<SubscriptionState[]> {
		return (await this.connection.all(slots.allSubscriptions, {})).map(subscriptionFrom);
	}

	async leases(): Promise<LeaseState[]> {
		return await this.connection.all(slots.allLeases, {});
	}

	async nextPromptAt(now: number): Promise<number | null> {
		return (await this.connection.all(queries.nextPromptAt, { now }))[0]?.at ?? null;
	}

	async approval(id: number): Promise<ApprovalState | undefined> {
		return (await this.connection.all(open.approvalById, { id })).map(approvalFrom)[0];
	}

	async pendingApprovals(agent?: AgentId): Promise<ApprovalState[]> {
		const rows =
			agent === undefined
				? await this.connection.all(open.pendingApprovals, {})
				: await this.connection.all(open.pendingApprovalsOf, { agent });
		return rows.map(approvalFrom);
	}

	async wait(id: number): Promise<WaitState | undefined> {
		return (await this.connection.all(open.waitById, { id })).map(waitFrom)[0];
	}

	async openWaits(): Promise<WaitState[]> {
		return (await this.connection.all(open.openWaits, {})).map(waitFrom);
	}

	async turn(id: number): Promise<TurnState | undefined> {
		return (await this.connection.all(queries.turnById, { id })).map(turnFrom)[0];
	}

	async turns(agent: AgentId): Promise<TurnState[]> {
		return (await this.connection.all(queries.turnsOfAgent, { agent })).map(turnFrom);
	}

	async latestTurns(agent: AgentId, limit: number): Promise<TurnState[]> {
		return (await this.connection.all(queries.latestTurns, { agent, limit })).map(turnFrom).reverse();
	}

	async lastServed(): Promise<Map<ProjectSlug | null, number>> {
		const rows = await this.connection.all(slots.latestTurnOfEachProject, {});
		return new Map(
			rows.map((row) => [row.project === null ? null : ProjectSlug.parse(row.project), turnFrom(row).startedAt]),
		);
	}

	async openTurns(): Promise<TurnState[]> {
		return (await this.connection.all(queries.openTurns, {})).map(turnFrom);
	}

	async agentsAboutToBegin(): Promise<AgentState[]> {
		const agents: (AgentState | undefined)[] = [];
		for (const turn of await this.openTurns()) if (turn.handedAt === null) agents.push(await this.agent(turn.agent));
		return agents.filter((agent) => agent !== undefined);
	}

	async callsOfTurn(agent: AgentId, turn: number): Promise<{ kind: string; data: unknown }[]> {
		const rows = await this.connection.all(queries.callsOfTurn, { agent, turn });
		return rows.map(({ kind, data }) => ({ kind, data: data === null ? null : JSON.parse(data) }));
	}

	async mail(id: number): Promise<MailState | undefined> {
		return (await this.connection.all(mails.mailById, { id })).map(mailFrom)[0];
	}

	async mails(agent: AgentId): Promise<MailState[]> {
		return (await this.connection.all(mails.mailsOfAgent, { agent })).map(mailFrom);
	}

	async unreadMail(agent: AgentId): Promise<number> {
		return Number((await this.connection.all(mails.unreadMail, { agent }))[0]?.length ?? 0);
	}

	async agentsWithUrgentMail(): Promise<AgentId[]> {
		return (await this.connection.all(mails.agentsWithUrgentMail, {})).map((row) => row.id);
	}

	async agentsWithNewMail(): Promise<AgentState[]> {
		return (await this.connection.all(mails.agentsWithNewMail, {})).map(agentFrom);
	}

	/** From one moment only inside a transaction: whoever asks from outside brings one along. */
	async mirrored(request: MirrorRequest): Promise<MirroredRows> {
		return await mirroredBy(this, this.connection, request);
	}
}
