// The listening socket: loopback only, on the port that was asked for or the next one that is free.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";

export interface Listening extends AsyncDisposable {
	readonly url: string;
	/** `host:port` as this machine's own programs may call it */
	readonly hosts: readonly string[];
	/** lets requests in; until then they wait */
	open(handlers: { fetch(request: Request): Response | Promise<Response>; raw(request: IncomingMessage, response: ServerResponse): boolean }): void;
}

const portsTried = 100;

export async function listen(port: number): Promise<Listening> {
	const opened = Promise.withResolvers<Parameters<Listening["open"]>[0]>();
	const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 30_000, maxHeaderSize: 16_384 }, (request, response) => {
		void opened.promise.then(({ fetch, raw }) => {
			if (!raw(request, response)) void getRequestListener(fetch)(request, response);
		});
	});
	const bound = await bind(server, port);
	return {
		url: `http://127.0.0.1:${bound}`,
		hosts: ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${bound}`),
		open: opened.resolve,
		async [Symbol.asyncDispose]() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
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
