// Long texts and partial output in the database, where every node can read them; `pg_dump` is then a whole backup.
import { createHash } from "node:crypto";
import type pg from "pg";
import { PartialOutputs } from "#contract/turn.ts";
import type { Blobs, Partials } from "#engine/ports/blobs.ts";
import { PostgresConnection } from "./connection.ts";
import { faultOf } from "./fault.ts";
import { silenceMs } from "./writer.ts";

const nameRule = /^[0-9a-f]{64}$/;
const partBytes = 1024 * 1024;
/** a bundle of 64 MiB takes longer than the rows of a batch */
const longTextMs = 6 * silenceMs;

const nameOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export function postgresBlobs(pool: pg.Pool): Blobs {
	const ask = async <R extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<R[]> => {
		const query = { text, values, query_timeout: longTextMs };
		return (await pool.query<R>(query).catch(thrown)).rows;
	};
	return {
		async put(text) {
			const bytes = Buffer.from(text);
			const parts = Array.from({ length: Math.max(1, Math.ceil(bytes.length / partBytes)) }, (_, at) =>
				bytes.subarray(at * partBytes, (at + 1) * partBytes),
			);
			const name = nameOf(bytes);
			await ask(
				`insert into blob (name, part, bytes)
					select $1, part, bytes from unnest($2::bigint[], $3::bytea[]) as u (part, bytes) on conflict do nothing`,
				[name, parts.map((_, at) => at), parts],
			);
			return name;
		},
		async get(name) {
			if (!nameRule.test(name)) return null;
			const rows = await ask<{ bytes: Buffer }>("select bytes from blob where name = $1 order by part", [name]);
			const bytes = Buffer.concat(rows.map((row) => row.bytes));
			return rows.length > 0 && nameOf(bytes) === name ? bytes.toString() : null;
		},
		async drop(name) {
			await ask("delete from blob where name = $1", [name]);
		},
		// the database is backed up as a whole
		copyTo: async () => {},
	};
}

export function postgresPartials(pool: pg.Pool): Partials {
	const connection = new PostgresConnection(pool, silenceMs);
	const run = async (name: string, text: string, values: (string | number)[]): Promise<unknown[]> =>
		await connection.rows({ name, text, values }).catch(thrown);
	return {
		// a crash of the server may take the last second with it; a crash of the node does not
		async keep(turn, outputs) {
			await run(
				"keep-partial",
				`with quick as (select set_config('synchronous_commit', 'off', true))
					insert into partial (turn, outputs) select $1, $2 from quick
					on conflict (turn) do update set outputs = excluded.outputs`,
				[turn, JSON.stringify(outputs)],
			);
		},
		async kept(turn) {
			const [row] = await connection
				.rows<{ outputs: string }>({
					name: "kept-partial",
					text: "select outputs from partial where turn = $1",
					values: [turn],
				})
				.catch(thrown);
			return row === undefined ? [] : (PartialOutputs.safeParse(JSON.parse(row.outputs)).data ?? []);
		},
		async drop(turn) {
			await run("drop-partial", "delete from partial where turn = $1", [turn]);
		},
		// open turns may be another node's
		async dropAll() {
			await run(
				"drop-partials",
				"delete from partial where not exists (select from turn where turn.id = partial.turn and turn.open = 1)",
				[],
			);
		},
	};
}

function thrown(error: unknown): never {
	throw faultOf(error);
}
