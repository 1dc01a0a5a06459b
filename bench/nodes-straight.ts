// What PostgreSQL itself takes for the rows that the nodes' bench writes: the writer's lock, the statements of the
// store and COMMIT, for 64 commands at once, without an engine. What the store asks at the beginning of a batch is left
// out.
import { randomUUID } from "node:crypto";
import { beginBatch } from "#adapters/store/postgres/begin.ts";
import { bulkWrites, columnTypes } from "#adapters/store/postgres/bulk.ts";
import { openPool, PostgresConnection } from "#adapters/store/postgres/connection.ts";
import { PendingWrites } from "#adapters/store/postgres/pending-writes.ts";
import * as queries from "#adapters/store/sql/queries.ts";
import { human } from "#contract/ids.ts";
import { type Kind, text } from "./writing.ts";

const together = 64;

/** On a database in which an engine has made its tables, and that nobody else writes to. */
export async function straightPerSecond(url: string, kind: Kind, total: number): Promise<number> {
	const pool = openPool(url);
	const client = await pool.connect();
	const connection = new PostgresConnection(client);
	const types = await columnTypes(connection);
	const begin = beginBatch(Number(await connection.value("select current_setting('server_version_num')")));
	let last = Number(await connection.value("select coalesce(max(id), 0) from event"));
	const agents = await connection.rows<{ seq: number; state: string }>({
		name: "agents",
		text: "select seq, state from agent order by seq limit $1",
		values: [together],
	});
	const start = performance.now();
	for (let done = 0; done < total; done += together) {
		const pending = new PendingWrites();
		for (const { seq, state } of agents) writeOne(pending, kind, { id: ++last, seq, state });
		await connection.inOneWrite(() =>
			Promise.all([
				connection.exec(begin),
				...bulkWrites(pending, types).map((write) => connection.rows(write)),
				connection.exec("commit"),
			]),
		);
	}
	const took = performance.now() - start;
	client.release();
	await pool.end();
	return (total / took) * 1000;
}

function writeOne(
	pending: PendingWrites,
	kind: Kind,
	{ id, seq, state }: { id: number; seq: number; state: string },
): void {
	const [at, key] = [Date.now(), randomUUID()];
	const event = { id, agent: seq, turn: null, at, actor: human, command: key };
	if (kind === "items") pending.events.push({ ...event, kind: "assistant", text, data: null });
	else {
		pending.events.push({ ...event, kind: "agent.held", text: null, data: '{"hold":"user","reason":""}' });
		pending.updateAgent(seq, { seq, state });
		const { writes } = queries.putReceipt;
		const receipt = { actor: human, key, fingerprint: "f".repeat(43), outcome: `{"subject":{}}`, answer: null, at };
		if (writes !== null) pending.write(writes, receipt);
	}
}
