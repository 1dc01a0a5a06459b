// A batch on PostgreSQL, where several nodes write at once.
//
// Locks are taken in one order: agents by id, issues by id, projects by name, slots by subscription, then the journal.
// The journal's lock comes last, directly before the first insert, and is held until COMMIT: ids are given in the order
// in which transactions become visible.
import { type SqlTx, sqlTx } from "../sql/tx.ts";
import type { PostgresConnection } from "./connection.ts";

/** "brood" as a number: the advisory lock of the journal, and of migrations. */
export const journalLock = 0x62726f6f64;
/** The first half of an advisory lock on a name; the second half is the name's hash. */
const namedLocks = { projects: 0x70726f6a, slots: 0x736c6f74 };

export function postgresTx(connection: PostgresConnection): SqlTx {
	const tx = sqlTx(connection);
	let ownsJournal = false;
	return {
		...tx,
		async lock({ agents, issues, projects, slots }) {
			for (const id of agents) await connection.value("select seq from agent where id = $1 for update", [id]);
			for (const id of issues) await connection.value("select id from issue where id = $1 for update", [id]);
			// a project that is about to be added has no row to lock; slots are counted, not rows
			const names = [
				...projects.map((slug) => [namedLocks.projects, slug]),
				...slots.map((name) => [namedLocks.slots, name]),
			];
			for (const name of names) await connection.value("select pg_advisory_xact_lock($1, hashtext($2))", name);
		},
		async rollback() {
			// a lock that was taken after the savepoint is released with it
			ownsJournal = false;
			await tx.rollback();
		},
		async append(events) {
			if (!ownsJournal && events.length > 0) {
				await connection.value("select pg_advisory_xact_lock($1)", [journalLock]);
				ownsJournal = true;
			}
			return await tx.append(events);
		},
	};
}
