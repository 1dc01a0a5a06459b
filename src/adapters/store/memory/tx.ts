// A batch in memory, with a way back: every change notes how to undo it.
import type { AgentState } from "#contract/agent.ts";
import type { ApprovalState } from "#contract/approval.ts";
import type { Event } from "#contract/event.ts";
import type { IssueState, NoteState, RunState } from "#contract/issue.ts";
import type { MailState } from "#contract/mail.ts";
import type { ProjectState } from "#contract/project.ts";
import type { PromptState } from "#contract/prompt.ts";
import type { StoredReceipt } from "#contract/receipt.ts";
import type { LeaseState, SubscriptionState } from "#contract/subscription.ts";
import type { TurnState } from "#contract/turn.ts";
import type { WaitState } from "#contract/wait.ts";
import type { Tx } from "#engine/ports/store.ts";
import { MemoryReads } from "./reads.ts";
import { nameOf, type Rows } from "./rows.ts";

export class MemoryTx extends MemoryReads implements Tx {
	#undo: (() => void)[] = [];
	#savedAt = 0;

	constructor(rows: Rows) {
		super(rows, async () => {});
	}

	async lock(): Promise<void> {}

	failsBatch(): boolean {
		return false;
	}

	async savepoint(): Promise<void> {
		this.#savedAt = this.#undo.length;
	}

	async release(): Promise<void> {}

	async rollback(): Promise<void> {
		for (const undo of this.#undo.splice(this.#savedAt).reverse()) undo();
	}

	/** Takes back the whole batch. */
	abandon(): void {
		for (const undo of this.#undo.splice(0).reverse()) undo();
	}

	async putAgent(state: AgentState): Promise<void> {
		this.#put(this.rows.agents, state.id, state);
	}

	async putProject(state: ProjectState): Promise<void> {
		this.#put(this.rows.projects, state.slug, state);
	}

	async putSubscription(state: SubscriptionState): Promise<void> {
		this.#put(this.rows.subscriptions, state.name, state);
	}

	async putLease(state: LeaseState): Promise<void> {
		this.#put(this.rows.leases, state.turn, state);
	}

	async dropLease(turn: number): Promise<void> {
		this.#remove(this.rows.leases, turn);
	}

	async putPrompt(state: PromptState): Promise<void> {
		this.#put(this.rows.prompts, state.id, state);
	}

	async putApproval(state: ApprovalState): Promise<void> {
		this.#put(this.rows.approvals, state.id, state);
	}

	async putWait(state: WaitState): Promise<void> {
		this.#put(this.rows.waits, state.id, state);
	}

	async removePrompt(id: number): Promise<void> {
		this.#remove(this.rows.prompts, id);
	}

	async putTurn(state: TurnState): Promise<void> {
		this.#put(this.rows.turns, state.id, state);
	}

	async putMail(state: MailState): Promise<void> {
		this.#put(this.rows.mails, state.id, state);
	}

	async putIssue(state: IssueState): Promise<void> {
		this.#put(this.rows.issues, state.id, state);
	}

	async putRun(state: RunState): Promise<void> {
		this.#put(this.rows.runs, state.id, state);
	}

	async putNote(state: NoteState): Promise<void> {
		this.#put(this.rows.notes, state.id, state);
	}

	async putReceipt(receipt: StoredReceipt): Promise<void> {
		this.#put(this.rows.receipts, nameOf(receipt.actor, receipt.key), receipt);
	}

	async append(events: readonly Omit<Event, "id">[]): Promise<Event[]> {
		const { length } = this.rows.events;
		const appended = events.map((event, at) => ({ ...event, id: length + at + 1 }));
		this.rows.events.push(...appended);
		this.#undo.push(() => this.rows.events.splice(length));
		return appended;
	}

	#remove<K, V>(map: Map<K, V>, key: K): void {
		const before = map.get(key);
		map.delete(key);
		if (before !== undefined) this.#undo.push(() => map.set(key, before));
	}

	#put<K, V>(map: Map<K, V>, key: K, value: V): void {
		const before = map.get(key);
		map.set(key, value);
		this.#undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
	}
}
