// A batch on PostgreSQL, where several nodes write at once.
//
// Locks are taken in one order: agents by id, issues by id, projects by name, slots by subscription, then the journal.
// The journal's lock comes last, directly before the first insert, and is held until COMMIT: ids are given in the order
// in which transactions become visible.
import type { Event } from "#contract/event.ts";
import type { Locks } from "#engine/ports/store.ts";
import { SqlTx } from "../sql/tx.ts";
import type { PostgresConnection } from "./connection.ts";

/** "brood" as a number: the advisory lock of the journal, and of migrations. */
export const journalLock = 0x62726f6f64;
/** The first half of the lock of a project; the second is its name's hash. */
const projectLocks = 0x70726f6a;

/** The same for the slots of a subscription, and for the places on the machine. */
const slotLocks = 0x736c6f74;

export class PostgresTx extends SqlTx {
	readonly #client: PostgresConnection;
	#ownsJournal = false;

	constructor(connection: PostgresConnection) {
		super(connection);
		this.#client = connection;
	}

	override async lock({ agents, issues, projects, slots }: Locks): Promise<void> {
		for (const id of agents) await this.#client.value("select seq from agent where id = $1 for update", [id]);
		for (const id of issues) await this.#client.value("select id from issue where id = $1 for update", [id]);
		// a project that is about to be added has no row to lock yet
		for (const slug of projects)
			await this.#client.value("select pg_advisory_xact_lock($1, hashtext($2))", [projectLocks, slug]);
		// counting what is taken and taking one more must not be torn apart by another batch
		for (const name of slots)
			await this.#client.value("select pg_advisory_xact_lock($1, hashtext($2))", [slotLocks, name]);
	}

	override async rollback(): Promise<void> {
		// a lock taken after the savepoint is given back with it
		this.#ownsJournal = false;
		await super.rollback();
	}

	override async append(events: readonly Omit<Event, "id">[]): Promise<Event[]> {
		if (!this.#ownsJournal && events.length > 0) {
			await this.#client.value("select pg_advisory_xact_lock($1)", [journalLock]);
			this.#ownsJournal = true;
		}
		return await super.append(events);
	}
}
