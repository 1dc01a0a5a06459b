// Stands between a client and PostgreSQL and can lose the answer to a COMMIT: the server does it, the client never
// hears.
import { mkdtempSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

export interface LossyProxy extends AsyncDisposable {
	readonly url: string;
	/** the next COMMITs that are passed on without an answer coming back */
	loseCommits(count: number): void;
	readonly lost: number;
}

export async function lossyProxy(url: string): Promise<LossyProxy> {
	const target = path.join(new URL(url).searchParams.get("host") ?? "", ".s.PGSQL.5432");
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-proxy-"));
	let toLose = 0;
	let lost = 0;
	const open = new Set<net.Socket>();
	const server = net.createServer((client) => {
		const upstream = net.connect(target);
		let deaf = false;
		for (const socket of [client, upstream]) {
			open.add(socket);
			socket.on("error", () => {});
			socket.on("close", () => open.delete(socket));
		}
		client.on("data", (chunk) => {
			// a simple query message: 'Q', its length, the text
			if (toLose > 0 && chunk[0] === 0x51 && chunk.toString("latin1", 5) === "commit\0") {
				toLose--;
				lost++;
				deaf = true;
			}
			upstream.write(chunk);
		});
		upstream.on("data", (chunk) => {
			if (deaf) client.destroy();
			else client.write(chunk);
		});
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.destroy());
	});
	await new Promise<void>((resolve) => server.listen(path.join(folder, ".s.PGSQL.5432"), resolve));
	const proxied = new URL(url);
	proxied.searchParams.set("host", folder);
	return {
		url: proxied.href,
		loseCommits: (count) => {
			toLose = count;
		},
		get lost() {
			return lost;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
