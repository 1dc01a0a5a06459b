// One batch's transaction, on either database.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { type IssueState, isMoving, type NoteState, type RunState } from "#contract/issue.ts";
import { isItem } from "#contract/item.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import { searchWords } from "#contract/search.ts";
import type { LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Locks, Tx } from "#engine/ports/store.ts";
import * as issues from "./issue-queries.ts";
import { putMail } from "./mail-queries.ts";
import * as open from "./open-queries.ts";
import * as queries from "./queries.ts";
import { SqlReads } from "./reads.ts";
import { agentFrom } from "./rows.ts";
import * as search from "./search-queries.ts";
import * as slots from "./slot-queries.ts";
import * as turns from "./turn-queries.ts";

export class SqlTx extends SqlReads implements Tx {
	/** the store's own numbers of the agents that this batch has met */
	readonly #seqs = new Map<AgentId, number>();

	/** One writer holds the whole database; PostgreSQL overrides this. */
	async lock(_: Locks): Promise<void> {}

	failsBatch(error: unknown): boolean {
		return this.connection.failsBatch(error);
	}

	async savepoint(): Promise<void> {
		await this.connection.exec("savepoint command");
	}

	async release(): Promise<void> {
		await this.connection.exec("release savepoint command");
	}

	async rollback(): Promise<void> {
		this.#seqs.clear();
		await this.connection.exec("rollback to savepoint command");
		await this.release();
	}

	override async agent(id: AgentId): Promise<AgentState | undefined> {
		const [row] = await this.connection.all(queries.agentById, { id });
		if (row === undefined) return undefined;
		this.#seqs.set(id, row.seq);
		return agentFrom(row);
	}

	async putAgent(state: AgentState): Promise<void> {
		const { id, project, handle, life, supervisor } = state;
		const seq = await this.#seqOf(id);
		const json = JSON.stringify(state);
		if (seq !== undefined) {
			await this.connection.all(queries.updateAgent, { seq, life, supervisor, state: json });
			return;
		}
		const { agent: lineage, forkPoint } = state.lineage ?? { agent: null, forkPoint: null };
		const [row] = await this.connection.all(queries.insertAgent, {
			id,
			project,
			handle,
			life,
			supervisor,
			lineage,
			forkPoint,
			state: json,
		});
		if (row !== undefined) this.#seqs.set(id, row.seq);
	}

	async putProject(state: ProjectState): Promise<void> {
		await this.connection.all(queries.putProject, { slug: state.slug, state: JSON.stringify(state) });
	}

	async putSubscription(state: SubscriptionState): Promise<void> {
		await this.connection.all(slots.putSubscription, { name: state.name, state: JSON.stringify(state) });
	}

	async putLease({ turn, agent, subscription, at }: LeaseState): Promise<void> {
		await this.connection.all(slots.putLease, { turn, agent, subscription, at });
	}

	async dropLease(turn: number): Promise<void> {
		await this.connection.all(slots.dropLease, { turn });
	}

	async putPrompt({
		id,
		agent,
		position,
		priority,
		notBefore,
		manual,
		words,
		editedBy,
		editedAt,
		taken,
	}: PromptState): Promise<void> {
		const row = {
			id,
			agent,
			position,
			priority,
			notBefore,
			manual: manual ? 1 : 0,
			words: words === id ? null : words,
			editedBy,
			editedAt,
			taken,
		};
		await this.connection.all(turns.putPrompt, row);
	}

	async removePrompt(id: number): Promise<void> {
		await this.connection.all(turns.deletePrompt, { id });
	}

	async putApproval(state: ApprovalState): Promise<void> {
		const { id, agent } = state;
		await this.connection.all(open.putApproval, {
			id,
			agent,
			open: state.state === "pending" ? 1 : 0,
			state: JSON.stringify(state),
		});
	}

	async putWait(state: WaitState): Promise<void> {
		await this.connection.all(open.putWait, {
			id: state.id,
			open: state.state === "open" ? 1 : 0,
			state: JSON.stringify(state),
		});
	}

	async putTurn(state: TurnState): Promise<void> {
		const { id, agent } = state;
		await this.connection.all(turns.putTurn, {
			id,
			agent,
			open: state.state === "open" ? 1 : 0,
			state: JSON.stringify(state),
		});
	}

	async putMail({ id, to, urgent, state, deliveredIn, readAt, deletedAt }: MailState): Promise<void> {
		await this.connection.all(putMail, {
			id,
			agent: to,
			urgent: urgent ? 1 : 0,
			state,
			deliveredIn,
			readAt,
			deletedAt,
		});
	}

	async putIssue(state: IssueState): Promise<void> {
		const { id, project, number } = state;
		await this.connection.all(issues.putIssue, {
			id,
			project,
			number,
			moving: isMoving(state) ? 1 : 0,
			state: JSON.stringify(state),
		});
	}

	async putRun(state: RunState): Promise<void> {
		const { id, issue } = state;
		await this.connection.all(issues.putRun, {
			id,
			issue,
			open: state.state === "open" ? 1 : 0,
			state: JSON.stringify(state),
		});
	}

	async putNote({ text: _, ...state }: NoteState): Promise<void> {
		await this.connection.all(issues.putNote, { id: state.id, issue: state.issue, state: JSON.stringify(state) });
	}

	async append(events: readonly Omit<Event, "id">[]): Promise<Event[]> {
		const appended: Event[] = [];
		for (const event of events) {
			const agent = event.agent === null ? null : await this.#seqOf(event.agent);
			if (agent === undefined) throw new Error(`an event of ${event.agent}, which is not in the store`);
			const data = event.data === null ? null : JSON.stringify(event.data);
			const [row] = await this.connection.all(queries.insertEvent, { ...event, agent, data });
			if (row === undefined) throw new Error("an inserted event has no id");
			appended.push({ ...event, id: row.id });
		}
		return appended;
	}

	async putReceipt({ actor, key, fingerprint, answer, given, at }: StoredReceipt): Promise<void> {
		const words = given === undefined ? null : JSON.stringify(given);
		await this.connection.all(queries.putReceipt, {
			actor,
			key,
			fingerprint,
			answer: JSON.stringify(answer),
			given: words,
			at,
		});
	}

	/** Not part of a batch. What a command answered stays beside the words in which it was told. */
	async keepReceipts(receipts: readonly StoredReceipt[]): Promise<void> {
		for (const receipt of receipts) {
			if (receipt.given === undefined) await this.putReceipt(receipt);
			else {
				const { actor, key, fingerprint, at } = receipt;
				const texts = { answer: JSON.stringify(receipt.answer), given: JSON.stringify(receipt.given) };
				await this.connection.all(queries.noteGiven, { actor, key, fingerprint, ...texts, at });
			}
		}
	}

	/** Not part of a batch: the store calls it between two. */
	async index(eventsMax: number): Promise<number> {
		const [cursor] = await this.connection.all(search.indexedUpTo, {});
		const events = await this.connection.all(search.textsAfter, { after: cursor?.up_to ?? 0, limit: eventsMax });
		for (const { id, kind, text } of events) {
			const words = text === null || !isItem({ kind }) ? "" : searchWords(text).join(" ");
			if (words !== "") await this.connection.all(search.insertWords, { event: id, words });
		}
		const last = events.at(-1)?.id;
		if (last !== undefined) await this.connection.all(search.moveCursor, { upTo: last });
		return events.length;
	}

	async #seqOf(id: AgentId): Promise<number | undefined> {
		if (!this.#seqs.has(id)) await this.agent(id);
		return this.#seqs.get(id);
	}
}
