// The listening socket: loopback only, on a port of its own choosing.
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Hono } from "hono";

export interface Listening extends AsyncDisposable {
	readonly url: string;
}

export async function listen(routes: Hono): Promise<Listening> {
	const { promise, resolve } = Promise.withResolvers<AddressInfo>();
	const server = serve({ fetch: routes.fetch, hostname: "127.0.0.1", port: 0 }, resolve);
	const { port } = await promise;
	return {
		url: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			await new Promise((closed) => {
				server.close(closed);
				if ("closeAllConnections" in server) server.closeAllConnections();
			});
		},
	};
}
