// How a batch begins: one round trip takes the writer's lock and asks for everything that the batch's commands name.
import type { Envelope } from "#contract/command.ts";
import { agentOf } from "#contract/ids.ts";
import type { Loaded } from "./batch-connection.ts";
import type { PostgresConnection } from "./connection.ts";
import type { Row } from "./pending-writes.ts";

/** "brood" as a number: whoever has this advisory lock is the one writer; migrations take it as well. */
export const writerLock = 0x62726f6f64;

/**
 * `idleMs`: a node that freezes in a batch blocks the others for this long. `lockMs`: the longest wait for the lock.
 * `wholeMs`: the longest batch.
 */
const timeouts = { idleMs: 2000, lockMs: 5000, wholeMs: 10_000 };
const transactionTimeoutSince = 170_000;

/**
 * Rows are looked up by their keys. A plan is kept as long as its connection, also one that was made while a table was
 * almost empty, and then reads the whole table for each batch.
 */
const byKey = ["seqscan", "hashjoin", "mergejoin"].map((way) => `set local enable_${way} = off`);

export const beginBatch = (serverVersion: number): string =>
	[
		"begin isolation level read committed read write",
		`set local idle_in_transaction_session_timeout = ${timeouts.idleMs}`,
		`set local lock_timeout = ${timeouts.lockMs}`,
		...(serverVersion < transactionTimeoutSince ? [] : [`set local transaction_timeout = ${timeouts.wholeMs}`]),
		...byKey,
		`select pg_advisory_xact_lock(${writerLock})`,
	].join("; ");

/**
 * Says which batch this is, so that a lost answer to COMMIT can be asked for; `batch` is null if this life of the node
 * is over. The server's own setting may trade durability for speed; an acknowledgement must not.
 */
const batchRow = ({ writer, batch, fence }: BatchStamp) => ({
	name: "batch-row",
	text: `with written as (
		insert into writer (id, batch, at) select $1, $2::bigint, extract(epoch from now()) * 1000
		where $3::text is null or exists (select from node where id = $3 and epoch = $4::bigint and active = 1)
		on conflict (id) do update set batch = excluded.batch, at = excluded.at returning batch)
		select (select batch from written) as batch, (select coalesce(max(id), 0) from event) as last,
			case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', true) end`,
	values: [writer, batch, fence?.node ?? null, fence?.epoch ?? null],
});

const agentsOf = (ids: string[]) => ({
	name: "agents-by-id",
	text: "select id, seq, state from agent where id = any($1::text[])",
	values: [ids],
});

const receiptsOf = (keyed: readonly { actor: string; key: string }[]) => ({
	name: "receipts-by-key",
	text: `select actor, key, fingerprint, outcome, answer from receipt
		where (actor, key) in (select * from unnest($1::text[], $2::text[]))`,
	values: [keyed.map(({ actor }) => actor), keyed.map(({ key }) => key)],
});

export interface BatchStamp {
	/** the name of this store, as long as it is open */
	writer: string;
	batch: number;
	/** the life of the node that writes; null in an engine that is not a node */
	fence: { node: string; epoch: number } | null;
}

/** Null if the fence holds the batch back. All statements are written at once, and run one after the other. */
export async function loadBatch(
	connection: PostgresConnection,
	begin: string,
	stamp: BatchStamp,
	batch: readonly Envelope[],
): Promise<Loaded | null> {
	const keyed = batch.flatMap(({ actor, key }) => (key === null ? [] : [{ actor, key }]));
	const named = agentsNamed(batch);
	const [, [written], agents, receipts] = await connection.inOneWrite(() =>
		Promise.all([
			connection.exec(begin),
			connection.rows<{ batch: number | null; last: number }>(batchRow(stamp)),
			named.length === 0 ? [] : connection.rows<Loaded["agents"][number]>(agentsOf(named)),
			keyed.length === 0 ? [] : connection.rows<Row>(receiptsOf(keyed)),
		]),
	);
	if (written === undefined || written.batch === null) return null;
	const found = new Map(receipts.map((row) => [`${row["actor"]}\n${row["key"]}`, row]));
	return {
		lastEvent: written.last,
		agents,
		receipts: keyed.map(({ actor, key }) => ({ actor, key, found: found.get(`${actor}\n${key}`) ?? null })),
	};
}

/** The agents that the commands are about, and those that send them. */
function agentsNamed(batch: readonly Envelope[]): string[] {
	const named = batch.flatMap(({ actor, command }) => [
		agentOf(actor),
		"agent" in command ? command.agent : null,
		"by" in command ? command.by : null,
		"to" in command ? command.to : null,
	]);
	return [...new Set(named.filter((id) => typeof id === "string"))];
}
