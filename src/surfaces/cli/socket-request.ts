// One HTTP/1.1 request on the daemon's socket, one connection for each. `node:http` takes as long to load as everything
// else that a command does; this reads only what the daemon's own server writes.
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import type { Received, SentRequest } from "#client/client.ts";
import { expected } from "#contract/log.ts";

export interface SocketRequest {
	/** settles when the head of the response has arrived */
	answer: Promise<Received>;
	/** ends the request with this error */
	destroy(error: Error): void;
}

export function requestOnSocket(
	at: { socketPath: string; path: string; host: string },
	{ method, headers, body = "", signal }: SentRequest,
): SocketRequest {
	const socket = createConnection({ path: at.socketPath, ...(signal && { signal }) });
	// also between two steps of `answerOn`, when nobody listens
	socket.on("error", expected("whoever reads the answer gets the error"));
	const all = { host: at.host, connection: "close", ...headers, "content-length": String(Buffer.byteLength(body)) };
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, " ")}\r\n`);
	// not `end`: the server drops a request whose sender has closed its side
	socket.write(`${method} ${at.path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
	return { answer: answerOn(socket), destroy: (error) => void socket.destroy(error) };
}

async function answerOn(socket: Socket): Promise<Received> {
	await once(socket, "connect");
	const bytes = new Bytes(socket);
	const status = Number((await bytes.line()).split(" ")[1]);
	const headers = new Map<string, string>();
	for (let line = await bytes.line(); line !== ""; line = await bytes.line()) {
		const at = line.indexOf(":");
		headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
	}
	const chunks = bodyOf(bytes, headers, socket);
	return {
		ok: status >= 200 && status < 300,
		async text() {
			const parts: Uint8Array[] = [];
			for await (const chunk of chunks) parts.push(chunk);
			return Buffer.concat(parts).toString();
		},
		chunks,
	};
}

async function* bodyOf(
	bytes: Bytes,
	headers: ReadonlyMap<string, string>,
	socket: Socket,
): AsyncGenerator<Uint8Array, void> {
	try {
		if (headers.get("transfer-encoding") !== "chunked")
			return yield* bytes.some(Number(headers.get("content-length") ?? "0"));
		for (;;) {
			const size = Number.parseInt(await bytes.line(), 16);
			if (size === 0) return;
			yield* bytes.some(size);
			await bytes.line();
		}
	} finally {
		socket.destroy();
	}
}

/** Reads a socket by lines and by numbers of bytes. */
class Bytes {
	readonly #source: AsyncIterator<Buffer>;
	#buffer: Buffer = Buffer.alloc(0);

	constructor(source: AsyncIterable<Buffer>) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** Without its end. */
	async line(): Promise<string> {
		for (;;) {
			const end = this.#buffer.indexOf("\r\n");
			if (end >= 0) {
				const text = this.#buffer.toString("latin1", 0, end);
				this.#buffer = this.#buffer.subarray(end + 2);
				return text;
			}
			await this.#more();
		}
	}

	/** The next `count` bytes, as they arrive. */
	async *some(count: number): AsyncGenerator<Uint8Array, void> {
		for (let left = count; left > 0; ) {
			if (this.#buffer.length === 0) await this.#more();
			const part = this.#buffer.subarray(0, left);
			this.#buffer = this.#buffer.subarray(part.length);
			left -= part.length;
			yield part;
		}
	}

	async #more(): Promise<void> {
		const { value, done } = await this.#source.next();
		if (done === true) throw Object.assign(new Error("The daemon closed the connection."), { code: "ECONNRESET" });
		this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
	}
}
