// How a database that several nodes share is set up, for `brood doctor`.
import { setTimeout as pause } from "node:timers/promises";
import type { SharedDatabase } from "#engine/ports/store-nodes.ts";
import type { SideConnection } from "./side-connection.ts";

const settings = `select
	array(select name || ' = ' || setting from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off') as unsafe,
	(select count(*) from pg_stat_replication) > 0 and current_setting('synchronous_standby_names') = '' as loses,
	current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
		- (select count(*) from pg_stat_activity where backend_type = 'client backend') as free,
	(select coalesce(max(extract(epoch from now() - state_change)), 0)::bigint from pg_stat_activity
		where datname = current_database() and state like 'idle in transaction%') as idle`;

const notificationMs = 1000;

export async function examineServer(connection: SideConnection): Promise<SharedDatabase> {
	const [row] = await connection.rows<{ unsafe: string[]; loses: boolean; free: number; idle: number }>({
		text: settings,
		values: [],
	});
	return {
		receivesNotifications: await receivesNotifications(connection),
		unsafe: row?.unsafe ?? [],
		losesAtFailover: row?.loses === true,
		connectionsFree: row?.free ?? 0,
		idleInTransactionS: Number(row?.idle ?? 0),
	};
}

/** Behind a pooler that gives each transaction another connection no notification arrives. */
async function receivesNotifications(connection: SideConnection): Promise<boolean> {
	const [row] = await connection.rows<{ payload: string }>({ text: "select gen_random_uuid() as payload", values: [] });
	const payload = row?.payload ?? "";
	const notified = connection.notified(payload);
	await connection.rows({ text: "select pg_notify($1, $2)", values: ["brood", payload] });
	return await Promise.race([notified.then(() => true), pause(notificationMs, false)]);
}
