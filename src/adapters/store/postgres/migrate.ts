// Brings the tables up to date, once, also when many nodes start at the same moment.
import type pg from "pg";
import { expected } from "#contract/log.ts";
import { StoreFault } from "#engine/ports/store.ts";
import { isSameSchema, type Migration, migrations, recordedName, schemaVersion } from "../sql/migrations.ts";
import { writerLock } from "./begin.ts";
import { openPool, PostgresConnection } from "./connection.ts";

interface Migrating {
	/** with `rollback` it is only tried */
	end: "commit" | "rollback";
	/** a node that will have left by then */
	leaving: string | null;
}

/**
 * With `ownerUrl` the tables belong to that role, and the daemon's own may use them, but not change the journal.
 */
export async function migrate(
	pool: pg.Pool,
	ownerUrl?: string,
	how: Migrating = { end: "commit", leaving: null },
): Promise<void> {
	if (ownerUrl === undefined) return await bringUpToDate(pool, async () => {}, how);
	const role = String(await new PostgresConnection(pool).value("select quote_ident(current_user)"));
	const ownerPool = openPool(ownerUrl);
	try {
		await bringUpToDate(
			ownerPool,
			async (connection) => {
				for (const grant of grantsTo(role)) await connection.exec(grant);
			},
			how,
		);
	} finally {
		await ownerPool.end();
	}
}

const grantsTo = (role: string): string[] => [
	`grant select, insert, update, delete on all tables in schema public to ${role}`,
	`grant usage on all sequences in schema public to ${role}`,
	`revoke update, delete, truncate on event from ${role}`,
];

async function bringUpToDate(
	pool: pg.Pool,
	after: (connection: PostgresConnection) => Promise<void>,
	{ end, leaving }: Migrating,
): Promise<void> {
	const client = await pool.connect();
	const connection = new PostgresConnection(client);
	try {
		await connection.exec("begin");
		await connection.value("select pg_advisory_xact_lock($1)", [writerLock]);
		const { version, writesFrom } = await versionOf(connection);
		if (writesFrom > schemaVersion) {
			throw new StoreFault(
				"broken",
				`This database was written by a newer Brood (schema ${version}; this one knows ${schemaVersion}). It was not touched. Use the newer Brood, or another database.`,
			);
		}
		if (version > 0) await refuseUnreleased(connection);
		for (const migration of migrations.slice(version)) {
			if (version > 0) await refuseBeside(connection, migration, leaving);
			for (const statement of migration.sql("postgres")) await connection.exec(statement);
			await connection.value(
				"insert into migration (version, name, at, writes_from) values ($1, $2, extract(epoch from now()) * 1000, $3)",
				[migration.version, recordedName(migration, "postgres"), migration.writesFrom ?? writesFrom],
			);
		}
		await after(connection);
		await connection.exec(end);
	} catch (error) {
		await connection
			.exec("rollback")
			.catch(expected("the error that led here is thrown, and the connection with it is closed"));
		throw error;
	} finally {
		client.release();
	}
}

/** A program that is older than its database may write to it as long as no step since then forbids it. */
async function versionOf(connection: PostgresConnection): Promise<{ version: number; writesFrom: number }> {
	const exists = await connection.value("select to_regclass('migration') is not null");
	if (exists !== true) return { version: 0, writesFrom: 1 };
	return {
		version: Number(await connection.value("select max(version) from migration")),
		writesFrom: Number(await connection.value("select max(writes_from) from migration")),
	};
}

async function refuseUnreleased(connection: PostgresConnection): Promise<void> {
	const recorded = await connection.rows<{ version: string; name: string }>({
		...{ name: "recorded-steps", text: "select version, name from migration", values: [] },
	});
	const steps = recorded.map(({ version, name }) => ({ version: Number(version), name }));
	if (isSameSchema(steps, "postgres")) return;
	throw new StoreFault(
		"broken",
		"This database was made by an unreleased Brood, and its tables differ from those of this one. It was not touched. Use the Brood that made it, or another database.",
	);
}

/** A step after which older programs may not write waits until none of them is up. */
async function refuseBeside(
	connection: PostgresConnection,
	{ writesFrom = 1 }: Migration,
	leaving: string | null,
): Promise<void> {
	const older = await connection.rows<{ name: string }>({
		name: "older-nodes",
		text: `select state::json ->> 'name' as name from node
			where active = 1 and (state::json ->> 'schema')::bigint < $1 and id <> $2 order by 1`,
		values: [writesFrom, leaving ?? ""],
	});
	if (older.length === 0) return;
	const names = older.map(({ name }) => name).join(", ");
	throw new StoreFault(
		"denied",
		`This Brood changes the database so that older ones cannot write to it, and these nodes are up with an older one: ${names}. Stop them first with \`brood down\` on their machines. If one of these machines is off for good, run \`brood node fall\` with the older Brood at another node.`,
	);
}
