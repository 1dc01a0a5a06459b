// Errands: asked once, taken by one life of a node, answered once.
import { type RawBuilder, sql } from "kysely";
import type { NodeId } from "#contract/node.ts";
import type { StoreErrands } from "#engine/ports/store-errands.ts";
import type { Connection } from "./connection.ts";
import { query, textsIn } from "./prepared.ts";
import { raw } from "./state-queries.ts";

/** Outside of batches; each is one statement, or two that may come apart. */
export const sqlErrands = (connection: Pick<Connection, "all">): StoreErrands => ({
	async ask({ id, node, epoch, asker, request, at }) {
		const [made] = await connection.all(askErrand, { id, node, epoch, asker, request, at });
		return (made ?? (await connection.all(errandById, { id }))[0]) !== undefined;
	},
	async take({ node, epoch }) {
		await connection.all(takeErrands, { node, epoch });
		return await connection.all(takenErrands, { node, epoch });
	},
	answer: async (id, answer) => void (await connection.all(answerErrand, { id, answer })),
	withdraw: async (id) => (await connection.all(withdrawErrand, { id })).length > 0,
	answers: (ids) => connection.all(errandAnswers, { ids: JSON.stringify(ids) }),
	drop: async (before, atMost) => (await connection.all(dropErrands, { before, atMost })).length,
});

/** A value in the list of a select has no column that would give it its type. */
const typed = (type: "text" | "bigint", value: RawBuilder<unknown>) => sql`cast(${value} as ${sql.raw(type)})`;

/**
 * Waits for a fall that is being committed: an errand asked before is answered by it, one asked after is not accepted.
 */
const askErrand = query<{
	id: string;
	node: NodeId;
	epoch: number;
	asker: NodeId | null;
	request: string;
	at: number;
}>()("ask-errand", (db, arg, dialect) =>
	raw(
		db,
		sql<{ id: string }>`insert into errand (id, node, epoch, asker, request, state, at)
			select ${typed("text", arg("id"))}, id, epoch, ${typed("text", arg("asker"))}, ${typed("text", arg("request"))},
				'asked', ${typed("bigint", arg("at"))}
			from node where id = ${arg("node")} and epoch = ${arg("epoch")} and active = 1
			${dialect === "postgres" ? sql`for share` : sql``}
			on conflict (id) do nothing returning id`,
	),
);

const errandById = query<{ id: string }>()("errand-by-id", (db, arg) =>
	raw(db, sql<{ id: string }>`select id from errand where id = ${arg("id")}`),
);

/** Rows that another statement is changing are taken by the next look. */
const takeErrands = query<{ node: NodeId; epoch: number }>()("take-errands", (db, arg, dialect) =>
	raw(
		db,
		sql<never>`update errand set state = 'taken' where id in (
			select id from errand where node = ${arg("node")} and epoch = ${arg("epoch")} and state = 'asked'
				and exists (select 1 from node where id = errand.node and epoch = errand.epoch and active = 1)
			${dialect === "postgres" ? sql`for update skip locked` : sql``})`,
	),
);

const takenErrands = query<{ node: NodeId; epoch: number }>()("taken-errands", (db, arg) =>
	raw(
		db,
		sql<{ id: string; request: string }>`select id, request from errand
			where node = ${arg("node")} and epoch = ${arg("epoch")} and state = 'taken' order by id`,
	),
);

const answerErrand = query<{ id: string; answer: string }>()("answer-errand", (db, arg) =>
	raw(
		db,
		sql<never>`update errand set state = 'done', answer = ${arg("answer")}
			where id = ${arg("id")} and state = 'taken'`,
	),
);

const withdrawErrand = query<{ id: string }>()("withdraw-errand", (db, arg) =>
	raw(db, sql<{ id: string }>`delete from errand where id = ${arg("id")} and state = 'asked' returning id`),
);

const errandAnswers = query<{ ids: string }>()("errand-answers", (db, arg, dialect) =>
	raw(
		db,
		sql<{ id: string; answer: string }>`select id, answer from errand
			where id in (${textsIn(dialect, arg("ids"))}) and state = 'done'`,
	),
);

export const endErrands = query<{ node: NodeId; answer: string }>()("end-errands", (db, arg) =>
	raw(
		db,
		sql<never>`update errand set state = 'done', answer = ${arg("answer")}
			where node = ${arg("node")} and state <> 'done'`,
	),
);

const dropErrands = query<{ before: number; atMost: number }>()("drop-errands", (db, arg) =>
	raw(
		db,
		sql<{ id: string }>`delete from errand where id in (
			select id from errand where at < ${arg("before")} and state = 'done' limit ${arg("atMost")}) returning id`,
	),
);
