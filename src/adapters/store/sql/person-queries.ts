// People who have a token of their own.
import { query } from "./prepared.ts";
import { upsert } from "./state-queries.ts";

export const allPersons = query()("all-persons", (db) => db.selectFrom("person").select("state").orderBy("name"));

export const putPerson = upsert("person", { columns: ["name", "state"], key: ["name"], changes: ["state"] });
