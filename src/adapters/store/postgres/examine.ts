// How a database that several nodes share is set up, for `brood doctor`.
import { setTimeout as pause } from "node:timers/promises";
import type { SharedDatabase } from "#engine/ports/store-nodes.ts";
import { writerLock } from "./begin.ts";
import type { SideConnection } from "./side-connection.ts";

// a role without pg_read_all_stats sees of others' sessions that they are there, and no type or state
const settings = `select
	array(select name || ' = ' || setting from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off') as unsafe,
	(select count(*) from pg_stat_replication) > 0 and current_setting('synchronous_standby_names') = '' as loses,
	current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
		- (select count(*) from pg_stat_activity
			where datid is not null and coalesce(backend_type, 'client backend') = 'client backend') as free,
	(select count(*) from pg_stat_activity where datname = current_database() and backend_type is null) as unseen`;

const idle = `select pid, extract(epoch from now() - state_change)::bigint as seconds from pg_stat_activity
	where datname = current_database() and state like 'idle in transaction%' order by state_change limit 1`;

/** `transaction` is another one in each batch. Everybody sees all locks. */
const holder = {
	text: `select l.pid, l.virtualtransaction as transaction, coalesce(a.usename, '?') as user,
		coalesce(a.wait_event = 'SyncRep', false) as waits
		from pg_locks l left join pg_stat_activity a using (pid)
		where l.locktype = 'advisory' and l.granted and l.objsubid = 1
			and l.database = (select oid from pg_database where datname = current_database())
			and (l.classid::bigint << 32) + l.objid::bigint = $1::bigint`,
	values: [writerLock],
};

const notificationMs = 1000;
/** a node that stands still in a batch loses the lock after two seconds */
const lockMs = 3000;

export async function examineServer(connection: SideConnection): Promise<SharedDatabase> {
	const [[row], [open], lock] = [
		await connection.rows<{ unsafe: string[]; loses: boolean; free: number; unseen: number }>({
			text: settings,
			values: [],
		}),
		await connection.rows<{ pid: number; seconds: number }>({ text: idle, values: [] }),
		await keptLock(connection),
	];
	return {
		receivesNotifications: await receivesNotifications(connection),
		unsafe: row?.unsafe ?? [],
		losesAtFailover: row?.loses === true,
		connectionsFree: row?.free ?? 0,
		idleInTransactionS: Number(open?.seconds ?? 0),
		idleInTransactionPid: open?.pid ?? null,
		writerLock: lock,
		sessionsUnseen: Number(row?.unseen ?? 0),
	};
}

/** The session that has had the writer's lock in one transaction for longer than any batch may. */
async function keptLock(connection: SideConnection): Promise<SharedDatabase["writerLock"]> {
	const look = async () =>
		(await connection.rows<{ pid: number; transaction: string; user: string; waits: boolean }>(holder))[0];
	const first = await look();
	for (const since = performance.now(); first !== undefined; await pause(100)) {
		const { pid, transaction, user, waits } = (await look()) ?? {};
		if (pid === undefined || user === undefined || pid !== first.pid || transaction !== first.transaction) return null;
		if (performance.now() - since >= lockMs) return { pid, user, waitsForStandby: waits === true };
	}
	return null;
}

/** Behind a pooler that gives each transaction another connection no notification arrives. */
async function receivesNotifications(connection: SideConnection): Promise<boolean> {
	const [row] = await connection.rows<{ payload: string }>({ text: "select gen_random_uuid() as payload", values: [] });
	const payload = row?.payload ?? "";
	const notified = connection.notified(payload);
	await connection.rows({ text: "select pg_notify($1, $2)", values: ["brood", payload] });
	return await Promise.race([notified.then(() => true), pause(notificationMs, false)]);
}
