// Reads wait for a database that is away, as batches do. A read changes nothing, so it is simply asked again.
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { Connection } from "../sql/connection.ts";
import { PostgresConnection } from "./connection.ts";
import { concernsDatabase, faultOf, isConnectionLoss } from "./fault.ts";

const retryMs = 50;

/** Repeats the read until the database answers or `forMs` have passed; all errors are `StoreFault`s. */
export async function retryRead<T>(read: () => Promise<T>, forMs: number): Promise<T> {
	const deadline = performance.now() + forMs;
	for (;;) {
		try {
			return await read();
		} catch (error) {
			if (!isConnectionLoss(error) || performance.now() > deadline) throw faultOf(error);
		}
		await pause(retryMs);
	}
}

/** `timeoutMs` ends a query to a server that has gone silent. */
export function waitingReads(pool: pg.Pool, { timeoutMs, forMs }: { timeoutMs: number; forMs: number }): Connection {
	const connection = new PostgresConnection(pool, timeoutMs);
	return {
		dialect: "postgres",
		all: (query, args) => retryRead(() => connection.all(query, args), forMs),
		exec: (statement) => connection.exec(statement),
		failsBatch: concernsDatabase,
	};
}
