// What is wrong with the database that several nodes share.
import type { Problem } from "#contract/wire.ts";

interface Examined {
	receivesNotifications: boolean;
	unsafe: readonly string[];
	losesAtFailover: boolean;
	connectionsFree: number;
	idleInTransactionS: number;
	idleInTransactionPid: number | null;
	writerLock: { pid: number; user: string; waitsForStandby: boolean } | null;
	sessionsUnseen: number;
}

/** a node takes up to 16 connections, and one for its beats */
const connectionsOfNode = 17;
const offsetMsMax = 2000;
/** a batch is ended by the server after 2 s */
const idleSecondsMax = 10;

export function databaseProblems(
	examined: Examined | null,
	measured: { clockOffsetMs: number | null } | null,
	limitsIgnored: readonly string[],
): Problem[] {
	if (examined === null) return [];
	const offset = measured?.clockOffsetMs ?? 0;
	return [
		!examined.receivesNotifications && {
			text: "LISTEN does not work, so other nodes are heard of only once a second: is a pooler in transaction mode in between?",
			fix: "let the daemon connect to PostgreSQL itself, or use a pooler in session mode",
		},
		examined.unsafe.length > 0 && {
			text: `${examined.unsafe.join(", ")}: a crash of the server may lose or damage what was acknowledged`,
			fix: "turn it on in postgresql.conf",
		},
		examined.losesAtFailover && {
			text: "there is a standby and synchronous_standby_names is empty: a failover may lose what was acknowledged",
			fix: "set synchronous_standby_names in postgresql.conf",
		},
		examined.connectionsFree < connectionsOfNode && {
			text: `${examined.connectionsFree} connections are free; a node needs up to ${connectionsOfNode}`,
			fix: "raise max_connections in postgresql.conf",
		},
		lockProblem(examined.writerLock),
		examined.idleInTransactionS > idleSecondsMax && {
			text: `session ${examined.idleInTransactionPid ?? "?"} has left a transaction open for ${examined.idleInTransactionS} s: it may keep locks, and the server cannot clean up`,
			fix: `select pg_terminate_backend(${examined.idleInTransactionPid ?? "PID"}), and set idle_in_transaction_session_timeout in postgresql.conf`,
		},
		examined.sessionsUnseen > 0 && {
			text: `cannot see what ${examined.sessionsUnseen === 1 ? "1 session of another role does" : `${examined.sessionsUnseen} sessions of other roles do`}: a transaction that one has left open is not noticed`,
			fix: "grant pg_read_all_stats to the role of the daemon",
		},
		limitsIgnored.length > 0 && {
			text: `the limits ${limitsIgnored.join(", ")} of this machine differ from those that all nodes share, which count`,
			fix: "make `limits` the same in the config.yaml of every machine; the first one that starts sets them",
		},
		Math.abs(offset) > offsetMsMax && {
			text: `this machine's clock is ${Math.abs(offset) / 1000} s ${offset > 0 ? "behind" : "ahead of"} the database's`,
			fix: "turn on time synchronisation (timedatectl set-ntp true)",
		},
	].flatMap((found) => (found === false ? [] : { what: "database", ...found }));
}

function lockProblem(lock: Examined["writerLock"]): Omit<Problem, "what"> | false {
	if (lock === null) return false;
	const { pid, user, waitsForStandby } = lock;
	return waitsForStandby
		? {
				text: `nothing can be written: a COMMIT (session ${pid}) waits for a synchronous standby that does not answer`,
				fix: "start the standby, or take it out of synchronous_standby_names and reload the server",
			}
		: {
				text: `nothing can be written: session ${pid} of role ${user} keeps the lock that each write of Brood needs`,
				fix: `end that session's transaction: select pg_terminate_backend(${pid})`,
			};
}
