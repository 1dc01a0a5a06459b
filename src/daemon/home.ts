// The daemon's home: locks it against other daemons, and announces this one to clients.
import { once } from "node:events";
import { connect } from "node:net";
import path from "node:path";
import { persistMonotonicClock, saveMonotonicClock, systemClock } from "#adapters/system/clock.ts";
import { attempt } from "#adapters/system/errors.ts";
import { forgetReplaced, lastPort, removeDaemonFile, writeDaemonFile, writeLastPort } from "#adapters/system/home.ts";
import { HomeLocked, lockHome } from "#adapters/system/home-lock.ts";
import { type HomeWatch, watchHome } from "#adapters/system/home-watch.ts";
import { messageOf } from "#contract/message-of.ts";
import { contractVersion } from "#contract/version.ts";
import { holdersOf } from "#local/lock-holders.ts";
import { type LocalListener, listen } from "#server/listen.ts";
import { version } from "#src/version.ts";

/** Locks the home, and continues the monotonic time of the last daemon. */
export async function lockedHome(home: string): Promise<AsyncDisposable> {
	await using held = new AsyncDisposableStack();
	held.use(await lockHome(home));
	refuseSecond(home);
	const clock = path.join(home, "clock.json");
	persistMonotonicClock(clock);
	// a home that was removed has no next daemon
	held.defer(() => attempt(() => saveMonotonicClock(clock), undefined));
	return held.move();
}

/** A daemon whose lock file was removed still uses the home until it notices. */
function refuseSecond(home: string): void {
	const [pid] = holdersOf(home, { lockRemoved: true }) ?? [];
	if (pid !== undefined) throw new HomeLocked(`A daemon (pid ${pid}) still uses ${home}, though its lock was removed.`);
}

/** On the last port, if possible: the tabs of browsers are open there. */
export async function listenIn(home: string, wanted: number, failed: (error: unknown) => void): Promise<LocalListener> {
	const last = lastPort(home, wanted);
	const server = await listen({ port: wanted, last, socket: path.join(home, "socket"), failed });
	const bound = Number(new URL(server.url).port);
	if (bound !== last) writeLastPort(home, { wanted, bound });
	return server;
}

/** Lets clients find the daemon as long as it has the home. */
export async function announce(
	home: string,
	{ url, socket, token }: { url: string; socket: string | null; token(): string },
): Promise<HomeWatch> {
	const daemon = { pid: process.pid, startedAt: systemClock.now(), url, socket, version, contract: contractVersion };
	await reach(url);
	writeDaemonFile(home, daemon);
	forgetReplaced(home);
	const watch = await watchHome({ home, daemon, token });
	return {
		lost: watch.lost,
		async [Symbol.asyncDispose]() {
			await watch[Symbol.asyncDispose]();
			removeDaemonFile(home, process.pid);
		},
	};
}

/**
 * Connects to the daemon's own port. Agents and browsers have no other way in, and a port that was bound has been seen
 * without a listener: such a daemon must not start.
 */
async function reach(url: string): Promise<void> {
	const { hostname, port } = new URL(url);
	const connection = connect({ host: hostname, port: Number(port) });
	try {
		await once(connection, "connect");
	} catch (error) {
		throw new Error(`The daemon does not reach its own port ${port} (${messageOf(error)}). Start it again.`, {
			cause: error,
		});
	} finally {
		connection.destroy();
	}
}
