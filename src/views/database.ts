// What is wrong with the database that several nodes share.
import type { Problem } from "#contract/wire.ts";

interface Examined {
	receivesNotifications: boolean;
	unsafe: readonly string[];
	losesAtFailover: boolean;
	connectionsFree: number;
	idleInTransactionS: number;
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
		examined.idleInTransactionS > idleSecondsMax && {
			text: `somebody has left a transaction open for ${examined.idleInTransactionS} s: it may keep locks, and the server cannot clean up`,
			fix: "end it, and set idle_in_transaction_session_timeout in postgresql.conf",
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
