// Migrations that rewrite rows, on rows as an earlier version wrote them.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrations } from "#adapters/store/sql/migrations.ts";

test("a session's powers become its capabilities, and a text that looks alike stays", () => {
	using database = new DatabaseSync(":memory:");
	const migrate = (from: number, to: number): void => {
		for (const { sql } of migrations.slice(from, to)) for (const statement of sql("sqlite")) database.exec(statement);
	};
	migrate(0, 2);
	const systemPrompt = 'say "powers":["x"]';
	const insert = database.prepare("insert into agent (id, handle, life, state) values (?, ?, 'live', ?)");
	const before = [{ session: { powers: ["load"] }, systemPrompt }, { session: null }];
	for (const [at, state] of before.entries()) insert.run(String(at), `a${at}`, JSON.stringify(state));
	migrate(2, 3);
	const after = database.prepare("select state from agent order by seq").all();
	expect(after.map(({ state }) => JSON.parse(String(state)))).toEqual([
		{ session: { capabilities: ["load"] }, systemPrompt },
		{ session: null },
	]);
});
