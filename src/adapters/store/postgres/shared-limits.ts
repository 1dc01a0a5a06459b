// The limits that all nodes of a database share, in one row: a decision must not depend on which node makes it. The
// node that starts while no other one is up sets them from its configuration; every later one takes them.
import type pg from "pg";
import { limits as known, type Limits } from "#contract/limits.ts";
import { PostgresConnection } from "./connection.ts";
import { silenceMs } from "./writer.ts";

/** About one machine: how much it runs, and which processes it keeps between turns. */
const own = ["turnsMax", "idleProcessMs", "idleProcessesMax", "idleBytesMax"] satisfies (keyof Limits)[];

const setOrGet = `with alone as (select not exists (select from node where active = 1 and id <> $2) as is_so),
	put as (
		insert into cluster (id, limits) select 1, $1 from alone where is_so
		on conflict (id) do update set limits = excluded.limits returning limits
	)
	select limits from put union all select limits from cluster where not (select is_so from alone)`;

export async function sharedLimits(pool: pg.Pool, node: string, wanted: Limits): Promise<Limits> {
	const connection = new PostgresConnection(pool, silenceMs);
	const values = [JSON.stringify(wanted), node];
	const [row] = await connection.rows<{ limits: string }>({ name: "limits", text: setOrGet, values });
	const shared: Partial<Record<string, number>> = row === undefined ? {} : JSON.parse(row.limits);
	const taken = Object.keys(known).flatMap((name): [string, number][] => {
		const value = shared[name];
		return value === undefined || own.some((each) => each === name) ? [] : [[name, value]];
	});
	return { ...wanted, ...Object.fromEntries(taken) };
}
