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
	expect(databaseAddress(given)).toEqual({ url: used });
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
