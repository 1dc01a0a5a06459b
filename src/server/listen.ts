// The listening socket: loopback only, on the port that was asked for or the next one that is free.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { expected } from "#contract/log.ts";

export interface Listening extends AsyncDisposable {
	readonly url: string;
	/** `host:port` as this machine's own programs may call it */
	readonly hosts: readonly string[];
	/** lets requests in; until then they wait */
	open(handlers: { fetch(request: Request): Response | Promise<Response>; raw(request: IncomingMessage, response: ServerResponse): boolean }): void;
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
/** connections that a stranger may keep open must leave descriptors for everything else */
const connectionsMax = 1024;

/** `failed` is told what a request made go wrong outside of the handlers. */
export async function listen(port: number, failed: (error: unknown) => void): Promise<Listening> {
	const opened = Promise.withResolvers<Answering>();
	const server = createServer(serving, (request, response) => void answer(opened.promise, request, response, failed));
	server.maxConnections = connectionsMax;
	const bound = await bind(server, port);
	// a connection that could not be accepted (no descriptors, no memory) is that connection's trouble
	server.on("error", failed);
	return {
		url: `http://127.0.0.1:${bound}`,
		hosts: ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${bound}`),
		open: ({ fetch, raw }) => opened.resolve({ listener: getRequestListener(fetch), raw }),
		async [Symbol.asyncDispose]() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

interface Answering {
	listener: ReturnType<typeof getRequestListener>;
	raw: Parameters<Listening["open"]>[0]["raw"];
}

/** Never rejects: whatever a request makes go wrong ends with that request. */
async function answer(opened: Promise<Answering>, request: IncomingMessage, response: ServerResponse, failed: (error: unknown) => void): Promise<void> {
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

async function bind(server: ReturnType<typeof createServer>, wanted: number): Promise<number> {
	for (let port = wanted; ; port++) {
		try {
			return await new Promise<number>((resolve, reject) => {
				server.once("error", reject);
				server.listen(port, "127.0.0.1", () => {
					server.off("error", reject);
					const address = server.address();
					resolve(typeof address === "object" && address !== null ? address.port : port);
				});
			});
		} catch (error) {
			const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
			if (!taken || port >= wanted + portsTried) throw error;
		}
	}
}
