// Requests over plain HTTP: Node's `fetch` takes longer to load than most commands take to run.
import { request } from "node:http";
import type { Send } from "#client/client.ts";

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
