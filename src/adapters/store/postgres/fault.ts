// What PostgreSQL's errors mean for the commands of a batch.
import { messageOf } from "#contract/message-of.ts";
import { StoreFault } from "#engine/ports/store.ts";

/**
 * Two transactions met: the loser did nothing and runs again on the rows that the winner left. A unique constraint is
 * none of them: there is one writer at a time, so it is a bug of one command.
 */
const clashes = new Set(["40001", "40P01", "55P03"]);
const diskFull = "53100";

export function isSerializationFailure(error: unknown): boolean {
	return clashes.has(codeOf(error));
}

/** The server went away, is starting, is shutting down, or is a standby that may be promoted. */
export function isConnectionLoss(error: unknown): boolean {
	const code = codeOf(error);
	if (isReadOnly(error)) return true;
	if (/^(08|57P0|25P0[34]|53300)/.test(code) || /^E(CONN|PIPE|HOST|NET|ADDR|NOTFOUND|TIMEDOUT|AI_|NOENT)/.test(code))
		return true;
	return (
		error instanceof Error &&
		/connection terminated|error establishing an SSL connection|connection timeout|timeout expired|query read timeout|timeout exceeded when trying to connect|not queryable|client was closed/i.test(
			error.message,
		)
	);
}

/** The server is a standby that was not promoted, or may not be written to for another reason. */
const isReadOnly = (error: unknown): boolean =>
	codeOf(error) === "25006" || (error instanceof Error && /read-write mode during recovery/.test(error.message));

/** The server answers, and refuses this user, this password, this database or its tables; or no password was given. */
function isDenied(error: unknown): boolean {
	const noPassword = error instanceof Error && /client password must be a (non-empty )?string/.test(error.message);
	return noPassword || /^28|^3D000$|^42501$/.test(codeOf(error));
}

/** A statement that was prepared is not there, or another one is: each transaction has another connection. */
const isPooled = (error: unknown): boolean => /^(42P05|26000)$/.test(codeOf(error));

/** Whoever answers has no certificate, or one that proves nothing here. */
const isUnproved = (error: unknown): boolean =>
	/CERT|SIGNATURE|ISSUER/.test(codeOf(error)) ||
	(error instanceof Error && /server does not support SSL/.test(error.message));

/** Of a certificate or key; a socket that is missing is one that nobody listens at. */
const isUnreadable = (error: unknown): boolean =>
	error instanceof Error && "syscall" in error && error.syscall === "open";

export function faultOf(error: unknown): StoreFault {
	if (error instanceof StoreFault) return error;
	const text = messageOf(error);
	if (isPooled(error))
		return new StoreFault(
			"denied",
			`A pooler in transaction mode is between Brood and the database, and does not keep prepared statements (${text}). Let the daemon connect to PostgreSQL itself, or use a pooler in session mode.`,
			error,
		);
	if (codeOf(error) === diskFull)
		return new StoreFault(
			"full",
			"The database's disk is full: nothing was changed. Free some space and try again.",
			error,
		);
	if (isUnproved(error))
		return new StoreFault(
			"denied",
			`The database does not prove who it is: ${text.replace(/; if the root CA.*/, "").replace(/\.$/, "")}. \`sslrootcert=FILE\` in its address may name the certificate of its authority.`,
			error,
		);
	if (isDenied(error))
		return new StoreFault(
			"denied",
			`The database refuses access: ${text}. Check the user, the user's rights, the password and the database's name in BROOD_DATABASE_URL, or in \`database\` of config.yaml.`,
			error,
		);
	if (isUnreadable(error))
		return new StoreFault("denied", `A file that the database's address names cannot be read: ${text}.`, error);
	if (isSerializationFailure(error))
		return new StoreFault(
			"unavailable",
			`Other transactions in the database did not let this one through: ${text}. Nothing was changed.`,
			error,
		);
	if (isReadOnly(error))
		return new StoreFault(
			"unavailable",
			`The database cannot be written to; is it a standby? ${text.replace(/^c/, "C")}. Nothing was changed.`,
			error,
		);
	if (isConnectionLoss(error))
		return new StoreFault("unavailable", `The database cannot be reached: ${text}. Nothing was changed.`, error);
	return new StoreFault("rejected", `The store could not carry out the command: ${text}.`, error);
}

/** As opposed to a constraint or a bug that one command ran into. */
export function concernsDatabase(error: unknown): boolean {
	return (
		error instanceof StoreFault ||
		[isSerializationFailure, isConnectionLoss, isDenied, isPooled, isUnproved, isUnreadable].some((is) => is(error)) ||
		codeOf(error) === diskFull
	);
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
