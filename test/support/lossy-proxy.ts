// Stands between a client and PostgreSQL: loses the answer to a COMMIT (the server does it, the client never hears),
// holds back bytes in one direction or both, delays them, and resets connections.
import { chmodSync, mkdtempSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export type Direction = "to the server" | "to the client";

export interface LossyProxy extends AsyncDisposable {
	readonly url: string;
	/**
	 * The next COMMITs that are passed on without an answer coming back, also in the middle of a pipeline. `onLoss` is
	 * called before the client notices.
	 */
	loseCommits(count: number, onLoss?: () => void): void;
	readonly lost: number;
	/** From now on nothing passes, in these directions; new connections are accepted and hang. */
	cut(...directions: Direction[]): void;
	/** What was held back goes on its way. */
	heal(): void;
	/** Every piece takes so long from now on. */
	slow(ms: number): void;
	/** Ends all connections at once. */
	reset(): void;
	/** New connections go to the server of this address; those that are open end. */
	turnTo(url: string): void;
}

export async function lossyProxy(url: string): Promise<LossyProxy> {
	let target = socketOf(url);
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-proxy-"));
	const faults = {
		toLose: 0,
		lost: 0,
		onLoss: () => {},
		cut: new Set<Direction>(),
		healed: Promise.withResolvers<void>(),
		delayMs: 0,
	};
	const open = new Set<net.Socket>();
	const server = net.createServer((client) => {
		const upstream = net.connect(target);
		const asked = new Frames({ hasStartup: true });
		const answered = new Frames({ hasStartup: false });
		let losing = false;
		for (const socket of [client, upstream]) {
			open.add(socket);
			socket.on("error", () => {});
			socket.on("close", () => open.delete(socket));
		}
		const pass = async (direction: Direction, to: net.Socket, chunk: Buffer): Promise<void> => {
			if (faults.delayMs > 0) await pause(faults.delayMs);
			while (faults.cut.has(direction)) await faults.healed.promise;
			to.write(chunk);
		};
		inOrder(client, async (chunk) => {
			const commits = asked.add(chunk).some((frame) => frame === "Qcommit\0");
			if (commits && faults.toLose > 0) {
				faults.toLose--;
				losing = true;
			}
			await pass("to the server", upstream, chunk);
		});
		inOrder(upstream, async (chunk) => {
			// not before the server has done it: it gives up a transaction whose client is gone
			const isDone = answered.add(chunk).some((frame) => frame === "CCOMMIT\0");
			if (losing && isDone) {
				faults.lost++;
				faults.onLoss();
				client.destroy();
			} else await pass("to the client", client, chunk);
		});
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.destroy());
	});
	const own = path.join(folder, ".s.PGSQL.5432");
	await new Promise<void>((resolve) => server.listen(own, resolve));
	// a standby, which is not root, connects as well
	chmodSync(folder, 0o755);
	chmodSync(own, 0o777);
	const proxied = new URL(url);
	proxied.searchParams.set("host", folder);
	const heal = (): void => {
		faults.cut.clear();
		faults.healed.resolve();
		faults.healed = Promise.withResolvers();
	};
	const reset = (): void => {
		for (const socket of open) socket.destroy();
	};
	return {
		url: proxied.href,
		loseCommits: (count, onLoss = () => {}) => {
			faults.toLose = count;
			faults.onLoss = onLoss;
		},
		get lost() {
			return faults.lost;
		},
		cut: (...directions) => {
			for (const each of directions) faults.cut.add(each);
		},
		heal,
		slow: (ms) => {
			faults.delayMs = ms;
		},
		reset,
		turnTo: (other) => {
			target = socketOf(other);
			reset();
		},
		async [Symbol.asyncDispose]() {
			heal();
			reset();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

const socketOf = (url: string): string => path.join(new URL(url).searchParams.get("host") ?? "", ".s.PGSQL.5432");

/** Handles one piece after the other. */
function inOrder(socket: net.Socket, handle: (chunk: Buffer) => Promise<void>): void {
	let before = Promise.resolve();
	socket.on("data", (chunk) => {
		before = before.then(() => handle(Buffer.from(chunk)));
	});
}

/** The messages of one direction: a letter, a length, a body; a client's first message has no letter. */
class Frames {
	#rest: Buffer = Buffer.alloc(0);
	#hasStartup: boolean;

	constructor({ hasStartup }: { hasStartup: boolean }) {
		this.#hasStartup = hasStartup;
	}

	/** the letter and the body of each message that is complete now, if it is short */
	add(chunk: Buffer): string[] {
		this.#rest = Buffer.concat([this.#rest, chunk]);
		const found: string[] = [];
		for (;;) {
			const letter = this.#hasStartup ? 0 : 1;
			if (this.#rest.length < letter + 4) return found;
			const length = letter + this.#rest.readInt32BE(letter);
			if (this.#rest.length < length) return found;
			if (length < 64)
				found.push(this.#rest.toString("latin1", 0, letter) + this.#rest.toString("latin1", letter + 4, length));
			this.#rest = this.#rest.subarray(length);
			this.#hasStartup = false;
		}
	}
}
