// Brings the tables up to date, once, also when many nodes start at the same moment.
import type pg from "pg";
import { expected } from "#contract/log.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { migrations, schemaVersion } from "../sql/migrations.ts";
import { PostgresConnection } from "./connection.ts";
import { journalLock } from "./tx.ts";

export async function migrate(pool: pg.Pool): Promise<void> {
	const client = await pool.connect();
	const connection = new PostgresConnection(client);
	try {
		await connection.exec("begin");
		await connection.value("select pg_advisory_xact_lock($1)", [journalLock]);
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
