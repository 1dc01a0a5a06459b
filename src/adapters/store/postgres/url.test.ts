import { userInfo } from "node:os";
import pg from "pg";
import { expect, test } from "vitest";
import { databaseAddress } from "./url.ts";

test.each([
	["postgres://me@localhost/brood", "postgres://me@localhost/brood"],
	["postgres://me@127.0.0.1:5433/brood", "postgres://me@127.0.0.1:5433/brood"],
	["postgres://me@[::1]/brood", "postgres://me@[::1]/brood"],
	["postgres://me@localhost/brood?host=%2Frun%2Fpg", "postgres://me@localhost/brood?host=%2Frun%2Fpg"],
	["postgresql:///brood?host=/run/pg", "postgresql:///brood?host=/run/pg"],
	["postgres://me:word@db.example/brood", "postgres://me:word@db.example/brood?sslmode=verify-full"],
	["postgres://db.example/brood?sslmode=disable", "postgres://db.example/brood?sslmode=disable"],
])("%s is used as %s", (given, used) => {
	expect(databaseAddress(given, { USER: "me" })).toEqual({ url: used });
});

test("the host and the user are those that are used, wherever they come from", () => {
	const used = (text: string, environment: NodeJS.ProcessEnv) => {
		const found = databaseAddress(text, environment);
		const { host, user, ssl } = new pg.Client({ connectionString: "url" in found ? found.url : "" });
		return { host, user, isProved: ssl !== false };
	};
	const me = userInfo().username;
	expect([
		used("postgres:///brood?user=ada", { PGHOST: "192.0.2.2" }),
		used("postgres:///brood?user=ada", { PGHOST: "/run/pg" }),
		used("postgres://ada@localhost/brood", { PGHOST: "192.0.2.2" }),
		used("postgres://%2Frun%2Fpg/brood", {}),
		used("postgres://ada@localhost/brood?host=/run/pg&host=192.0.2.2", {}),
		used("postgres://localhost/brood", {}),
	]).toEqual([
		{ host: "192.0.2.2", user: "ada", isProved: true },
		{ host: "/run/pg", user: "ada", isProved: false },
		{ host: "localhost", user: "ada", isProved: false },
		{ host: "/run/pg", user: me, isProved: false },
		{ host: "192.0.2.2", user: "ada", isProved: true },
		{ host: "localhost", user: me, isProved: false },
	]);
});

test.each([
	["mysql://me:word@localhost/brood", "it has to be a URL that begins with postgres://"],
	["brood", "it has to be a URL that begins with postgres://"],
	[
		"postgres://me:word@db.example/brood?sslmode=require",
		"sslmode=require does not make sure that db.example is your database: use sslmode=verify-full, or sslmode=disable if the network is yours alone",
	],
])("%s is refused, and its password is not repeated", (given, problem) => {
	expect(databaseAddress(given)).toEqual({ problem });
	expect(problem).not.toContain("word");
});
