// The connection of one batch, below the queries that all stores share. Writes are deferred in memory, and rows that
// the batch has read or written are answered from there. So a batch of commands that only touch what was loaded at its
// beginning asks the database nothing.
//
// A read of anything else first sends what is pending, in the same round trip. From then on the command has a real
// savepoint, after what the commands before it had decided; before that a savepoint is only in memory.
import { expected } from "#contract/log.ts";
import type { Connection } from "../sql/connection.ts";
import type { Query, Value } from "../sql/prepared.ts";
import * as queries from "../sql/queries.ts";
import { bulkWrites, type ColumnTypes } from "./bulk.ts";
import type { PostgresConnection } from "./connection.ts";
import { concernsDatabase } from "./fault.ts";
import { KnownRows, PendingWrites, type Row } from "./pending-writes.ts";

/** What a batch knows when it begins. */
export interface Loaded {
	/** the newest event's id; only this batch gives new ones until it ends */
	lastEvent: number;
	agents: readonly { id: string; seq: number; state: string }[];
	/** for each request of the batch that has a key; `found` is null if it is new */
	receipts: readonly { actor: string; key: string; found: Row | null }[];
}

/** Pending rows could not be written: it is not known which command's they are. */
export class PendingWriteFault extends Error {
	override readonly name = "PendingWriteFault";
}

interface BatchOptions extends Loaded {
	types: ColumnTypes;
	/** writes each command's rows at its end, so that a fault is that command's alone; slower */
	isCareful: boolean;
}

export class BatchConnection implements Connection {
	readonly dialect = "postgres";
	readonly #to: PostgresConnection;
	readonly #types: ColumnTypes;
	readonly #isCareful: boolean;
	/** of the commands before this one, and of this one */
	#earlier = new PendingWrites();
	#own = new PendingWrites();
	readonly #agents = new KnownRows<{ seq: number; state: string }>();
	readonly #agentIds = new Map<number, string>();
	readonly #receipts = new KnownRows<{ found: Row | null }>();
	#last: number;
	#lastBefore: number;
	#hasSavepoint = false;

	constructor(to: PostgresConnection, { types, isCareful, lastEvent, agents, receipts }: BatchOptions) {
		this.#to = to;
		this.#types = types;
		this.#isCareful = isCareful;
		this.#last = lastEvent;
		this.#lastBefore = lastEvent;
		for (const { id, seq, state } of agents) this.#learn(id, { seq, state });
		for (const { actor, key, found } of receipts) this.#receipts.set(receiptName(actor, key), { found });
		this.#agents.release();
		this.#receipts.release();
	}

	failsBatch(error: unknown): boolean {
		return error instanceof PendingWriteFault || concernsDatabase(error);
	}

	async all<P extends Record<string, Value>, R>(query: Query<P, R>, args: P): Promise<R[]> {
		const known = this.#fromMemory(query.name, args) ?? (query.writes && this.#defer(query, args));
		if (known !== null) {
			// biome-ignore lint/suspicious/noExplicitAny: these are the rows that the query itself would have given
			const typed: any = known;
			return typed;
		}
		const rows = await this.#afterWrites(() => this.#to.all(query, args));
		this.#note(query.name, args, rows[0]);
		return rows;
	}

	async exec(statement: string): Promise<void> {
		if (statement === "savepoint command") this.#begin();
		else if (statement === "rollback to savepoint command") this.#rollback(statement);
		else if (statement === "release savepoint command") await this.#release(statement);
		else await this.#afterWrites(() => this.#to.exec(statement));
	}

	/** Sends everything that is pending; the caller waits for the answers. */
	flush(): Promise<unknown>[] {
		this.#earlier.add(this.#own);
		this.#own = new PendingWrites();
		return this.#send("#earlier");
	}

	/** The rows that the query would give, if memory has them; null if not. */
	#fromMemory(query: string, args: Row): unknown[] | null {
		switch (query) {
			case queries.insertEvent.name:
				this.#own.events.push({ ...args, id: ++this.#last });
				return [{ id: this.#last }];
			case queries.agentById.name: {
				const agent = this.#agents.get(String(args["id"]));
				return agent === undefined ? null : [agent];
			}
			case queries.updateAgentState.name:
			case queries.updateAgent.name: {
				const [seq, state] = [Number(args["seq"]), String(args["state"])];
				this.#own.updateAgent(seq, args);
				this.#learn(this.#agentIds.get(seq), { seq, state });
				return [];
			}
			case queries.receiptByKey.name: {
				const receipt = this.#receipts.get(receiptName(args["actor"], args["key"]));
				return receipt === undefined ? null : [receipt.found].filter((row) => row !== null);
			}
			default:
				return null;
		}
	}

	#defer({ name, writes }: Pick<Query<never, unknown>, "name" | "writes">, args: Row): [] {
		if (writes !== null) this.#own.write(writes, args);
		if (name === queries.putReceipt.name) this.#receipts.set(receiptName(args["actor"], args["key"]), { found: args });
		return [];
	}

	/** Remembers agents that the database was asked for, or given. */
	#note(query: string, args: Row, row: unknown): void {
		const { seq, state }: { seq?: unknown; state?: unknown } = { ...args, ...(row ?? {}) };
		if (typeof seq !== "number" || typeof state !== "string") return;
		if (query === queries.agentById.name || query === queries.insertAgent.name)
			this.#learn(String(args["id"]), { seq, state });
	}

	#learn(id: string | undefined, agent: { seq: number; state: string }): void {
		if (id === undefined) return;
		this.#agents.set(id, agent);
		this.#agentIds.set(agent.seq, id);
	}

	#begin(): void {
		this.#keep();
		this.#hasSavepoint = false;
	}

	#rollback(statement: string): void {
		if (this.#hasSavepoint) this.#sendOnly(statement);
		this.#own = new PendingWrites();
		this.#agents.rollback();
		this.#receipts.rollback();
		this.#last = this.#lastBefore;
	}

	async #release(statement: string): Promise<void> {
		if (this.#isCareful && !this.#own.isEmpty) await this.#afterWrites(async () => {});
		if (this.#hasSavepoint) this.#sendOnly(statement);
		this.#hasSavepoint = false;
		this.#keep();
	}

	/** What the command did so far is not taken back any more. */
	#keep(): void {
		this.#earlier.add(this.#own);
		this.#own = new PendingWrites();
		this.#agents.release();
		this.#receipts.release();
		this.#lastBefore = this.#last;
	}

	/** Asks after everything that is pending was sent, without waiting in between. */
	async #afterWrites<T>(ask: () => Promise<T>): Promise<T> {
		const [first, second, answer] = await this.#to.inOneWrite(() => {
			const earlier = this.#hasSavepoint ? [] : this.#send("#earlier");
			const own = this.#hasSavepoint ? [] : [this.#to.exec("savepoint command")];
			this.#hasSavepoint = true;
			own.push(...this.#send("#own").map(async (each) => void (await each)));
			return Promise.allSettled([Promise.all(earlier), Promise.all(own), ask()]);
		});
		if (first.status === "rejected" && !concernsDatabase(first.reason))
			throw new PendingWriteFault("rows of a batch could not be written", { cause: first.reason });
		for (const each of [first, second, answer]) if (each.status === "rejected") throw each.reason;
		if (answer.status === "rejected") throw answer.reason;
		return answer.value;
	}

	#send(which: "#earlier" | "#own"): Promise<unknown>[] {
		const pending = which === "#earlier" ? this.#earlier : this.#own;
		if (which === "#earlier") this.#earlier = new PendingWrites();
		else this.#own = new PendingWrites();
		return bulkWrites(pending, this.#types).map((write) => this.#to.rows(write));
	}

	/** What follows on the connection fails if this does. */
	#sendOnly(statement: string): void {
		this.#to.exec(statement).catch(expected("everything that follows on the connection fails as well"));
	}
}

const receiptName = (actor: Value | undefined, key: Value | undefined): string => `${actor}\n${key}`;
