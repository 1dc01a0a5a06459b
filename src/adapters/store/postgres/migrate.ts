// Brings the tables up to date, once, also when many nodes start at the same moment.
import type pg from "pg";
import { expected } from "#contract/log.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { migrations, schemaVersion } from "../sql/migrations.ts";
import { writerLock } from "./begin.ts";
import { openPool, PostgresConnection } from "./connection.ts";

/** With `ownerUrl` the tables belong to that role, and the daemon's own may use them, but not change the journal. */
export async function migrate(pool: pg.Pool, ownerUrl?: string): Promise<void> {
	if (ownerUrl === undefined) return await bringUpToDate(pool, async () => {});
	const role = String(await new PostgresConnection(pool).value("select quote_ident(current_user)"));
	const owners = openPool(ownerUrl);
	try {
		await bringUpToDate(owners, async (connection) => {
			for (const grant of grantsTo(role)) await connection.exec(grant);
		});
	} finally {
		await owners.end();
	}
}

const grantsTo = (role: string): string[] => [
	`grant select, insert, update, delete on all tables in schema public to ${role}`,
	`grant usage on all sequences in schema public to ${role}`,
	`revoke update, delete, truncate on event from ${role}`,
];

async function bringUpToDate(pool: pg.Pool, after: (connection: PostgresConnection) => Promise<void>): Promise<void> {
	const client = await pool.connect();
	const connection = new PostgresConnection(client);
	try {
		await connection.exec("begin");
		await connection.value("select pg_advisory_xact_lock($1)", [writerLock]);
		const version = await versionOf(connection);
		if (version > schemaVersion) {
			throw new StoreFault(
				"broken",
				`This database was written by a newer Brood (schema ${version}; this one knows ${schemaVersion}). It was not touched. Use the newer Brood, or another database.`,
			);
		}
		for (const migration of migrations.slice(version)) {
			for (const statement of migration.sql("postgres")) await connection.exec(statement);
			await connection.value(
				"insert into migration (version, name, at) values ($1, $2, extract(epoch from now()) * 1000)",
				[migration.version, migration.name],
			);
		}
		await after(connection);
		await connection.exec("commit");
	} catch (error) {
		await connection
			.exec("rollback")
			.catch(expected("the error that led here is thrown, and the connection with it is closed"));
		throw error;
	} finally {
		client.release();
	}
}

async function versionOf(connection: PostgresConnection): Promise<number> {
	const exists = await connection.value("select to_regclass('migration') is not null");
	return exists === true ? Number(await connection.value("select max(version) from migration")) : 0;
}
