// The listening sockets. A Unix socket in the home is for this machine's own clients: only the home's owner can put one
// there, so whoever finds it knows whom it leads to. The port is for browsers and other programs: loopback only, on the
// port that was asked for or the next one that is free.
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { expected } from "#contract/log.ts";

export interface Listening extends AsyncDisposable {
	readonly url: string;
	/** where the Unix socket is; null where there can be none */
	readonly socket: string | null;
	/** `host:port` as this machine's own programs may call it */
	readonly hosts: readonly string[];
	/** lets requests in; until then they wait */
	open(handlers: {
		fetch(request: Request): Response | Promise<Response>;
		raw(request: IncomingMessage, response: ServerResponse): boolean;
	}): void;
}

export interface ListenOptions {
	port: number;
	/** where the Unix socket goes; null for none */
	socket: string | null;
	/** told what a request made go wrong outside of the handlers */
	failed(error: unknown): void;
}

const portsTried = 100;

const serving = {
	requestTimeout: 30_000,
	headersTimeout: 10_000,
	keepAliveTimeout: 30_000,
	/** how often the times above are looked at */
	connectionsCheckingInterval: 5000,
	maxHeaderSize: 16_384,
};
/** open connections must leave file descriptors for everything else */
const connectionsMax = 1024;

export async function listen({ port, socket, failed }: ListenOptions): Promise<Listening> {
	const opened = Promise.withResolvers<Answering>();
	const serve = (): Server => {
		const server = createServer(serving, (request, response) => void answer(opened.promise, request, response, failed));
		server.maxConnections = connectionsMax;
		return server;
	};
	const [outside, inside] = [serve(), serve()];
	const bound = await bind(outside, port);
	const path = socket !== null && (await bindSocket(inside, socket)) ? socket : null;
	// a connection that could not be accepted (no descriptors, no memory) fails alone
	for (const server of [outside, inside]) server.on("error", failed);
	return {
		url: `http://127.0.0.1:${bound}`,
		socket: path,
		hosts: ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${bound}`),
		open: ({ fetch, raw }) => opened.resolve({ listener: getRequestListener(fetch), raw }),
		async [Symbol.asyncDispose]() {
			await Promise.all([outside, inside].filter(({ listening }) => listening).map(close));
		},
	};
}

async function close(server: Server): Promise<void> {
	const closed = new Promise((resolve) => server.close(resolve));
	server.closeAllConnections();
	await closed;
}

interface Answering {
	listener: ReturnType<typeof getRequestListener>;
	raw: Parameters<Listening["open"]>[0]["raw"];
}

/** Never rejects: whatever a request makes go wrong ends with that request. */
async function answer(
	opened: Promise<Answering>,
	request: IncomingMessage,
	response: ServerResponse,
	failed: (error: unknown) => void,
): Promise<void> {
	// a caller that left meanwhile is an error of its line, which nobody else has to hear of
	for (const end of [request, response]) end.on("error", expected("whoever asked has gone"));
	try {
		const { listener, raw } = await opened;
		if (response.destroyed || raw(request, response)) return;
		await listener(request, response);
	} catch (error) {
		failed(error);
		response.destroy();
	}
}

async function bind(server: Server, wanted: number): Promise<number> {
	for (let port = wanted; ; port++) {
		try {
			await listening(server, { port, host: "127.0.0.1" });
			const address = server.address();
			return typeof address === "object" && address !== null ? address.port : port;
		} catch (error) {
			const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
			if (!taken || port >= wanted + portsTried) throw error;
		}
	}
}

/** How long the name of a socket may be, by what the kernel keeps of it. */
const pathBytesMax = process.platform === "linux" ? 107 : 103;

/** False where the name is too long or the file system has no sockets: then clients ask for a proof instead. */
async function bindSocket(server: Server, path: string): Promise<boolean> {
	if (Buffer.byteLength(path) > pathBytesMax) return false;
	try {
		// the last daemon's, if that was killed: the home is ours by now
		rmSync(path, { force: true });
		await listening(server, { path });
		chmodSync(path, 0o600);
		return true;
	} catch {
		return false;
	}
}

function listening(server: Server, at: { port: number; host: string } | { path: string }): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(at, () => {
			server.off("error", reject);
			resolve();
		});
	});
}
