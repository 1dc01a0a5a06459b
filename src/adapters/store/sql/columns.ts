// The names of both databases for the same things: 64-bit keys, and text compared byte by byte.
import { sql } from "kysely";
import type { Flavor } from "./prepared.ts";

export const types = (flavor: Flavor) =>
	flavor === "sqlite"
		? { key: sql`integer primary key`, int: sql`integer`, text: sql`text` }
		: { key: sql`bigint generated always as identity primary key`, int: sql`bigint`, text: sql`text collate "C"` };
