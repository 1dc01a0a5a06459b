// Finds items by their words. `contract/search-words.ts` splits texts into words, so that both databases agree; each
// has an index of its own kind.
import { sql } from "kysely";
import type { Actor, AgentId } from "#contract/ids.ts";
import type { Term } from "#contract/search-words.ts";
import { type Dialect, query } from "./prepared.ts";

/** All of the terms, in the language of the database's index. A term has letters and digits only. */
export function termsFor(dialect: Dialect, terms: readonly Term[]): string {
	return dialect === "sqlite"
		? terms.map(({ word, begins }) => `"${word}"${begins ? "*" : ""}`).join(" ")
		: terms.map(({ word, begins }) => `'${word}'${begins ? ":*" : ""}`).join(" & ");
}

interface FoundRow {
	id: number;
	agent: AgentId;
	turn: number | null;
	kind: string;
	at: number;
	actor: Actor;
	text: string | null;
}

/** Null stands for any agent or project, an empty text for those without a project. */
export const itemsFound = query<{ words: string; agent: AgentId | null; project: string | null; limit: number }>()(
	"items-found",
	(db, arg, dialect) => {
		const found =
			dialect === "sqlite"
				? sql`search join event on event.id = search.rowid and search match ${arg("words")}`
				: sql`search join event on event.id = search.event and search.words @@ cast(${arg("words")} as tsquery)`;
		return {
			compile: () =>
				sql<FoundRow>`select event.id, agent.id as agent, event.turn, event.kind, event.at, event.actor, event.text
				from ${found} join agent on agent.seq = event.agent
				where (cast(${arg("agent")} as text) is null or agent.id = ${arg("agent")})
					and (cast(${arg("project")} as text) is null or coalesce(agent.project, '') = ${arg("project")})
				order by ${dialect === "sqlite" ? sql`search.rowid` : sql`search.event`} desc limit ${arg("limit")}`.compile(
					db,
				),
		};
	},
);

/** How far the index goes. With several writers, the first reader locks it until the end of its transaction. */
export const indexedUpTo = query()("indexed-up-to", (db, _, dialect) => {
	const row = db.selectFrom("indexed").select("up_to");
	return dialect === "sqlite" ? row : row.forUpdate();
});

export const moveCursor = query<{ upTo: number }>()("move-cursor", (db, arg) =>
	db.updateTable("indexed").set({ up_to: arg("upTo") }),
);

export const textsAfter = query<{ after: number; limit: number }>()("texts-after", (db, arg) =>
	db
		.selectFrom("event")
		.select(["id", "kind", "text"])
		.where("id", ">", arg("after"))
		.orderBy("id")
		.limit(arg("limit")),
);

export const insertWords = query<{ event: number; words: string }>()("insert-words", (db, arg, dialect) =>
	dialect === "sqlite"
		? db
				.insertInto("search")
				.columns(["rowid", "words"])
				.expression(sql`values (${arg("event")}, ${arg("words")})`)
		: db
				.insertInto("search")
				.columns(["event", "words"])
				.expression(
					sql`select cast(${arg("event")} as bigint), array_to_tsvector(string_to_array(${arg("words")}, ' '))`,
				),
);
