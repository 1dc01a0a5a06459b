// The store's file: created completely or not at all, inspected before it is opened, and never replaced.
//
// An empty, foreign, damaged or missing file is reported and left as it is. Its header is read before SQLite opens the
// file, so that a refusal does not change a byte of it.
import {
	chmodSync,
	closeSync,
	existsSync,
	fsyncSync,
	linkSync,
	openSync,
	readdirSync,
	readSync,
	rmSync,
	statSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import path from "node:path";
import { StoreFault } from "#engine/ports/store.ts";
import { isSameSchema, migrations, recordedName, schemaVersion } from "../sql/migrations.ts";
import { SqliteConnection } from "./connection.ts";
import { lastAcknowledged, signOfStore } from "./last-event-file.ts";

/**
 * "Brod" in the four bytes that SQLite keeps for the program a file belongs to; "Brob" in a backup, which was made to
 * be older than the store.
 */
const applicationId = 0x42726f64;
const backupId = 0x42726f62;
const applicationIdAt = 68;
const magic = "SQLite format 3\0";

/** Opens the store for writing, making it if this home never had one, and brings its tables up to date. */
export function openForWriting(file: string): SqliteConnection {
	if (!examine(file)) make(file);
	const connection = new SqliteConnection(file, { readOnly: false });
	try {
		connection.secure();
		// a restored backup becomes the store
		if (connection.value("pragma application_id") === backupId)
			connection.script(`pragma application_id = ${applicationId}`);
		migrate(connection);
		checkPages(connection, pagesMax.start);
		leaveTrace(file);
		removeLeftovers(file);
		return connection;
	} catch (error) {
		connection[Symbol.dispose]();
		throw error;
	}
}

/** Throws what is wrong with the store, which is not changed. False if there never was one. */
export function examine(file: string): boolean {
	const exists = inspect(file);
	if (exists) {
		lookAtSchema(file);
		lookAtJournal(file);
	}
	return exists;
}

/** True if there is a store that this program may open, false if there never was one. */
function inspect(file: string): boolean {
	// looked for before the file itself, which is created first: another process may be creating both now
	const trace = [`${file}-wal`, traceOf(file)].find((other) => existsSync(other));
	const sign = trace === undefined ? signOfStore(file) : path.basename(trace);
	if (!existsSync(file)) {
		if (sign === null) return false;
		throw missing(file, sign);
	}
	const header = headerOf(file);
	if (header.length < 100) throw damaged(file, header.length === 0 ? "it is empty" : "it is cut off");
	if (header.toString("latin1", 0, magic.length) !== magic) throw damaged(file, "its header is not SQLite's");
	const program = header.readUInt32BE(applicationIdAt);
	if (program === backupId && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
		throw damaged(file, `it is a backup, but ${path.basename(file)}-wal is the log of another store; move that away`);
	if (program !== applicationId && program !== backupId)
		throw new StoreFault("broken", `${file} is a database of another program. It was not touched.`);
	refuseNewer(file, header.readUInt32BE(60));
	return true;
}

function refuseNewer(file: string, version: number): void {
	if (version <= schemaVersion) return;
	throw new StoreFault(
		"broken",
		`${file} was written by a newer Brood (schema ${version}; this one knows ${schemaVersion}). It was not touched. Use the newer Brood, or another BROOD_HOME.`,
	);
}

function damaged(file: string, how: string): StoreFault {
	return new StoreFault(
		"broken",
		`The store ${file} is damaged: ${how}. It was not touched and no new one was made. Restore it from a backup.`,
	);
}

function missing(file: string, sign: string): StoreFault {
	const words = `The store ${file} is missing: it is gone, but ${sign} shows that it was here. No new one was made.`;
	return new StoreFault("broken", `${words} Restore it from a backup, or use another BROOD_HOME to begin anew.`);
}

/** A newer store was refused by its header; here only the steps are left that this program knows. */
function lookAtSchema(file: string): void {
	using connection = new SqliteConnection(file, { readOnly: true });
	const recorded = connection.value(
		"select json_group_array(json_object('version', version, 'name', name)) from migration",
	);
	if (isSameSchema(JSON.parse(String(recorded)), "sqlite")) return;
	throw new StoreFault(
		"broken",
		`${file} was made by an unreleased Brood, and its tables differ from those of this one. It was not touched. Use the Brood that made it, or another BROOD_HOME to begin anew.`,
	);
}

/**
 * Compares the journal with the last acknowledged event, before anything is changed. The connection is read-only, so
 * that a damaged log stays for inspection; a writing one would copy its readable part and remove the rest.
 */
function lookAtJournal(file: string): void {
	const acknowledged = lastAcknowledged(file);
	if (acknowledged === 0 || headerOf(file).readUInt32BE(applicationIdAt) === backupId) return;
	using connection = new SqliteConnection(file, { readOnly: true });
	const last = lastEvent(connection);
	if (last >= acknowledged) return;
	throw new StoreFault(
		"broken",
		`The store ${file} is damaged: event ${acknowledged} was acknowledged, but the journal ends at event ${last}. ` +
			`Its log (${path.basename(file)}-wal) was lost or damaged, or an older ${path.basename(file)} was put in its place. ` +
			`It was not touched. Restore it from a backup, or remove last-event in the same folder to go on without the lost events.`,
	);
}

/** 0 for an empty journal. */
export const lastEvent = (connection: SqliteConnection): number =>
	Number(connection.value("select max(id) from event") ?? 0);

/** Marks a copy of the store as one. */
export function markBackup(file: string): void {
	const descriptor = openSync(file, "r+");
	try {
		const id = Buffer.alloc(4);
		id.writeUInt32BE(backupId);
		writeSync(descriptor, id, 0, 4, applicationIdAt);
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

function headerOf(file: string): Buffer {
	const descriptor = openSync(file, "r");
	try {
		const header = Buffer.alloc(100);
		return header.subarray(0, readSync(descriptor, header, 0, 100, 0));
	} finally {
		closeSync(descriptor);
	}
}

/** Builds the file under another name and links it into place: the first of several processes wins. */
function make(file: string): void {
	const fresh = `${file}.new-${process.pid}-${process.hrtime.bigint()}`;
	try {
		using connection = new SqliteConnection(fresh, { readOnly: false });
		connection.script(`pragma application_id = ${applicationId}`);
		connection.secure();
		migrate(connection);
	} catch (error) {
		removeFresh(fresh);
		throw error;
	}
	try {
		// SQLite gives its log the same mode
		chmodSync(fresh, 0o600);
		flush(fresh);
		linkSync(fresh, file);
	} catch (error) {
		if (!existsSync(file)) throw error;
	} finally {
		removeFresh(fresh);
	}
	flush(path.dirname(file));
}

/** Files of a process that was killed while it created a store. */
function removeLeftovers(file: string): void {
	const folder = path.dirname(file);
	for (const name of readdirSync(folder)) {
		const [, pid] = /\.new-(\d+)-\d+(-\w+)?$/.exec(name) ?? [];
		if (pid !== undefined && name.startsWith(path.basename(file)) && !existsSync(`/proc/${pid}`))
			rmSync(path.join(folder, name), { force: true });
	}
}

function removeFresh(fresh: string): void {
	for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${fresh}${suffix}`, { force: true });
}

function flush(target: string): void {
	const descriptor = openSync(target, "r");
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}

const traceOf = (file: string): string => `${file}.made`;

/** Marks that this home has a store, so that a lost one is reported and not replaced by an empty one. */
function leaveTrace(file: string): void {
	if (existsSync(traceOf(file))) return;
	writeFileSync(
		traceOf(file),
		"This home has a store, brood.db. If that file is missing, restore it from a backup.\n",
		{ mode: 0o600 },
	);
	flush(path.dirname(file));
}

function migrate(connection: SqliteConnection): void {
	connection.script("begin immediate");
	try {
		const version = Number(connection.value("pragma user_version"));
		refuseNewer("The store", version);
		for (const migration of migrations.slice(version)) {
			connection.script(migration.sql("sqlite").join(";\n"));
			connection.script(
				`insert into migration (version, name, at) values (${migration.version}, '${recordedName(migration, "sqlite")}', unixepoch() * 1000)`,
			);
			connection.script(`pragma user_version = ${migration.version}`);
		}
		connection.script("commit");
		// the version has to be in the file's header, which an older program reads before it opens the file
		if (version < schemaVersion) connection.value("pragma wal_checkpoint(truncate)");
	} catch (error) {
		if (connection.inTransaction) connection.script("rollback");
		throw error;
	}
}

/** For `brood doctor`, which may take longer than a start: throws if there are damaged pages. */
export function examinePages(file: string): void {
	using connection = new SqliteConnection(file, { readOnly: true });
	checkPages(connection, pagesMax.examined);
}

/** Reading every page of a large store takes seconds: a start only checks small ones, up to 32 MiB. */
const pagesMax = { start: 8192, examined: 524_288 };

function checkPages(connection: SqliteConnection, atMost: number): void {
	if (Number(connection.value("pragma page_count")) > atMost) return;
	const verdict = connection.value("pragma quick_check(1)");
	if (verdict !== "ok")
		throw new StoreFault(
			"broken",
			`The store is damaged: ${verdict}. It was not changed and no new one was made. Restore it from a backup.`,
		);
}
