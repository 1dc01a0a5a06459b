// Requests over plain HTTP: Node's `fetch` takes longer to load than most commands take to run. An `import` of `node:http` looks at
// everything that it has, and with its `WebSocket` loads the whole of `fetch` after all.
import type { Send } from "#client/client.ts";

const { request } = process.getBuiltinModule("node:http");

export const send: Send = (url, { method, headers, body }) =>
	new Promise((resolve, reject) => {
		const out = request(url, { method, headers: { ...headers, "content-length": Buffer.byteLength(body ?? "") } }, (response) => {
			let text = "";
			response
				.setEncoding("utf8")
				.on("data", (chunk: string) => {
					text += chunk;
				})
				.on("end", () => resolve(text))
				.on("error", reject);
		});
		out.on("error", reject).end(body);
	});
