// The listening sockets. The Unix socket in the home is for this machine's own clients: only the home's owner can
// create it, so clients need no proof of who answers. The TCP port is for browsers and other programs: loopback only,
// on the port of the last daemon, else on the requested one or the next free one.
import { chmodSync, rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import { expected } from "#contract/log.ts";
import type { App } from "./app.ts";
import { requestOf, send } from "./exchange.ts";

// see `exchange.ts`
const { createServer } = process.getBuiltinModule("node:http");

/** One way in, whoever uses it. */
export interface Listener extends AsyncDisposable {
	readonly url: string;
	/** the `Host` headers that its callers send */
	readonly hosts: readonly string[];
	/** starts to answer requests; until then they wait */
	open(handlers: RequestHandlers): void;
	/** cuts the open connections; called before what answers them is taken down */
	close(): Promise<void>;
}

/** The listener for this machine. */
export interface LocalListener extends Listener {
	/** the Unix socket's path; null where there can be none */
	readonly socket: string | null;
}

export interface ListenOptions {
	port: number;
	/** tried before `port`; null for none */
	last: number | null;
	/** the Unix socket's path; null for none */
	socket: string | null;
	/** reports errors outside of the handlers */
	failed(error: unknown): void;
}

const portsTried = 100;

export const serving = {
	requestTimeout: 30_000,
	headersTimeout: 10_000,
	keepAliveTimeout: 30_000,
	/** how often the timeouts above are checked */
	connectionsCheckingInterval: 5000,
	maxHeaderSize: 16_384,
};
/** open connections must leave file descriptors for everything else */
export const connectionsMax = 1024;

export async function listen({ port, last, socket, failed }: ListenOptions): Promise<LocalListener> {
	const { answer, open } = answering(failed);
	const serve = (): Server => {
		const server = createServer(serving, answer);
		server.maxConnections = connectionsMax;
		// without it, Node asks every caller for the body, also one that is refused
		return server.on("checkContinue", answer);
	};
	const [outside, inside] = [serve(), serve()];
	const bound = await bind(outside, port, last);
	const path = socket !== null && (await bindSocket(inside, socket)) ? socket : null;
	// a connection that cannot be accepted (no descriptors, no memory) must not end the daemon
	for (const server of [outside, inside]) server.on("error", failed);
	const closeAll = async (): Promise<void> =>
		void (await Promise.all([outside, inside].filter(({ listening }) => listening).map(close)));
	return {
		url: `http://127.0.0.1:${bound}`,
		socket: path,
		hosts: ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${bound}`),
		open,
		close: closeAll,
		[Symbol.asyncDispose]: closeAll,
	};
}

export async function close(server: Server | SecureServer): Promise<void> {
	const closed = new Promise((resolve) => server.close(resolve));
	server.closeAllConnections();
	await closed;
}

export interface RequestHandlers {
	app: App;
	/** true if it answers the request, without the app */
	raw(request: IncomingMessage, response: ServerResponse): boolean;
}

/** A listener whose requests wait until the listener is open. */
export function answering(failed: (error: unknown) => void) {
	const opened = Promise.withResolvers<RequestHandlers>();
	/** Never rejects: an error ends only its own request. */
	const answered = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		// a caller that leaves early is an error of its own connection only
		for (const end of [request, response]) end.on("error", expected("the caller has left"));
		try {
			const { app, raw } = await opened.promise;
			if (response.destroyed || raw(request, response)) return;
			const asked = requestOf(request, response);
			await send(response, asked === null ? { status: 400, headers: {}, body: null } : await app(asked));
		} catch (error) {
			failed(error);
			response.destroy();
		}
	};
	return {
		answer: (request: IncomingMessage, response: ServerResponse): void => void answered(request, response),
		open: (handlers: RequestHandlers): void => opened.resolve(handlers),
	};
}

async function bind(server: Server, wanted: number, last: number | null): Promise<number> {
	if (last !== null && (await tryBind(server, last))) return last;
	for (let port = wanted; port <= wanted + portsTried; port++) {
		if (!(await tryBind(server, port))) continue;
		const address = server.address();
		return typeof address === "object" && address !== null ? address.port : port;
	}
	throw new Error(`The ports ${wanted} to ${wanted + portsTried} are all taken.`);
}

/** False if another program has the port. */
async function tryBind(server: Server, port: number): Promise<boolean> {
	try {
		await listening(server, { port, host: "127.0.0.1" });
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return false;
		throw error;
	}
}

/** The kernel's limit for a socket's path. */
const pathBytesMax = process.platform === "linux" ? 107 : 103;

/** False where the path is too long or the file system has no sockets: then clients ask for a proof instead. */
async function bindSocket(server: Server, path: string): Promise<boolean> {
	if (Buffer.byteLength(path) > pathBytesMax) return false;
	try {
		// left by a daemon that was killed; the home is locked by this one
		rmSync(path, { force: true });
		await listening(server, { path });
		chmodSync(path, 0o600);
		return true;
	} catch {
		return false;
	}
}

export function listening(
	server: Server | SecureServer,
	at: { port: number; host: string } | { path: string },
): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(at, () => {
			server.off("error", reject);
			resolve();
		});
	});
}
