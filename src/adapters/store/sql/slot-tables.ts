// The step that brought subscriptions and their leases.
import type { Kysely } from "kysely";
import { types } from "./columns.ts";
import type { Flavor } from "./prepared.ts";
import type { Tables } from "./tables.ts";

export function slotTables(db: Kysely<Tables>, flavor: Flavor) {
	const { schema } = db;
	const { int, text } = types(flavor);
	return [
		schema
			.createTable("subscription")
			.addColumn("name", text, (column) => column.primaryKey())
			.addColumn("state", text, (column) => column.notNull()),
		// the key keeps a turn from having two
		schema
			.createTable("lease")
			.addColumn("turn", int, (column) => column.primaryKey().references("event.id"))
			.addColumn("agent", int, (column) => column.notNull().references("agent.seq"))
			.addColumn("subscription", text)
			.addColumn("at", int, (column) => column.notNull()),
	];
}
