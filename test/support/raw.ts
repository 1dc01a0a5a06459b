// Requests as no client would send them: drawn from a seed, bytes on a socket.
import { type AddressInfo, connect, type Socket } from "node:net";

/** How one attempt is made: what is sent, and how the line is left. */
export interface Attempt {
	bytes: Buffer;
	/** in pieces of about this size; 0 for all at once */
	pieces: number;
	/** `answer`: wait until the other side answers or hangs up; `reset`: leave without a word once it is sent */
	leave: "answer" | "reset" | "end";
}

/** whoever has not been answered after this long is most likely not to be answered at all */
const answerMs = 300;

type Draw = <T>(from: readonly T[]) => T;

/** The same seed draws the same. */
export function drawing(seed: number): { draw: Draw; below(limit: number): number } {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const below = (limit: number): number => Math.floor(next() * limit);
	const draw: Draw = (from) => {
		const drawn = from[below(from.length)];
		if (drawn === undefined) throw new Error("there is nothing to draw from");
		return drawn;
	};
	return { draw, below };
}

const targets = [
	...[
		"/",
		"//",
		"///",
		"//[",
		"//[::1",
		"//a:b:c/",
		"//:99999/",
		"http://",
		"http://[",
		"http://a b/",
		"https://x:y@z:99999/api/events",
		"*",
		"?",
		"#",
	],
	...[
		"",
		" ",
		"/\\",
		"\\\\",
		"/%",
		"/%zz",
		"/%00",
		"/%c0%af",
		"/api/agents/%ff",
		"/api/agents/%",
		"/api/events?after=%",
		"//api/events",
		"/api//events",
	],
	...[
		"/api/events",
		"/api/events?after=-1",
		"/api/events?after=1e400",
		"/api/events?deltas=maybe",
		"/api/health",
		"/api/proof?nonce=",
		"/mcp",
		"/api/agents",
	],
	...[
		"/api/../../etc/passwd",
		"/api/events/..;/",
		"file:///etc/passwd",
		"javascript:alert(1)",
		"data:,",
		"//\u0000",
		"/é",
		"/\u{1f389}",
		"//%zz:0",
	],
	`/${"a".repeat(9000)}`,
	`//${"[".repeat(3000)}`,
	`/api/agents/${"%2e".repeat(2000)}`,
];
const methods = [
	"GET",
	"POST",
	"PUT",
	"DELETE",
	"HEAD",
	"OPTIONS",
	"PATCH",
	"TRACE",
	"CONNECT",
	"PROPFIND",
	"PRI",
	"M-SEARCH",
	"get",
	"",
	"G\u0000T",
	"QUERY",
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "http/1.1", "", "HTTP/9999.1"];
const headers = [
	...[
		"Host: 127.0.0.1",
		"Host: 127.0.0.1:1",
		"Host:",
		"Host: a\r\nHost: b",
		"Host: [",
		"Host: //",
		"Host: a/b?c#d@e",
		"Host: \u0001",
		"host : x",
	],
	...[
		"Connection: close",
		"Connection: keep-alive",
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AA==\r\nSec-WebSocket-Version: 13",
	],
	...[
		"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ",
		"Upgrade: x",
		"Expect: 100-continue",
		"Expect: nonsense",
		"TE: trailers",
	],
	...[
		"Content-Length: 0",
		"Content-Length: 5",
		"Content-Length: -1",
		"Content-Length: 99999999999999999999",
		"Content-Length: 5\r\nContent-Length: 6",
	],
	...[
		"Transfer-Encoding: chunked",
		"Transfer-Encoding: chunked\r\nContent-Length: 3",
		"Transfer-Encoding: gzip, chunked",
		"Transfer-Encoding: x",
	],
	...[
		"Authorization: Bearer",
		"Authorization: Bearer x",
		"Authorization: \u0000",
		"Origin: null",
		"Origin: http://[",
		"Last-Event-ID: x",
		"Last-Event-ID: \u00ff",
	],
	...[
		"Content-Type: application/json",
		"Content-Type: \u0080",
		"Cookie: a=b",
		"Range: bytes=0-1",
		"Trailer: x",
		"Idempotency-Key: \u0007",
		": empty",
		"no colon",
		"\u0000: x",
	],
	...[
		"X-Folded: a\r\n b",
		`X-Big: ${"x".repeat(7000)}`,
		`X-Huge: ${"x".repeat(40_000)}`,
		Array.from({ length: 300 }, (_, at) => `X-${at}: y`).join("\r\n"),
	],
];
const bodies = [
	"",
	"{}",
	"hello",
	"{ not json",
	"0\r\n\r\n",
	"5\r\nhello\r\n0\r\n\r\n",
	"zz\r\nhello",
	"ffffffffffffffffff\r\n",
	"3\r\nab",
	"\u0000".repeat(100),
	"x".repeat(70_000),
];

/** Some of them have the token, so that the handlers hear of them as well. */
export function attempts(seed: number, count: number, { host, token }: { host: string; token: string }): Attempt[] {
	const { draw, below } = drawing(seed);
	/** nothing fits together */
	const odd = (): string => {
		const lines = [`${draw(methods)} ${draw(targets)} ${draw(versions)}`, ...(below(2) === 0 ? [`Host: ${host}`] : [])];
		for (let more = below(4); more > 0; more--) lines.push(draw(headers));
		return `${lines.join(draw(["\r\n", "\r\n", "\n"]))}\r\n\r\n${draw(bodies)}`;
	};
	/** a whole request with something odd in it, which the handlers hear of */
	const whole = (): string => {
		// between the others, what everybody asks for
		if (below(8) === 0) return `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
		const method = draw(["GET", "GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS"]);
		const body = method === "GET" || method === "HEAD" ? "" : draw(bodies);
		const lines = [
			`${method} ${draw(targets)} HTTP/1.1`,
			`Host: ${host}`,
			`Content-Length: ${Buffer.byteLength(body)}`,
		];
		if (below(2) === 0) lines.push(`Authorization: Bearer ${token}`);
		if (below(3) === 0) lines.push(draw(headers));
		return `${lines.join("\r\n")}\r\n\r\n${body}`;
	};
	return Array.from({ length: count }, () => {
		const text = Array.from({ length: draw([1, 1, 1, 1, 2, 5]) }, draw([odd, whole, whole])).join("");
		const bytes = Buffer.from(text, draw(["utf8", "utf8", "latin1"]));
		const noise = Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256)));
		return {
			bytes: draw([
				bytes,
				bytes,
				bytes,
				bytes,
				bytes,
				bytes.subarray(0, below(bytes.length)),
				noise,
				Buffer.concat([bytes, noise]),
			]),
			pieces: draw([0, 0, 0, 1 + below(40)]),
			leave: draw(["answer", "answer", "answer", "end", "reset"]),
		};
	});
}

/** Makes an attempt and answers with the first bytes that came back. */
export async function attempt(
	{ bytes, pieces, leave }: Attempt,
	at: Pick<AddressInfo, "port"> | { path: string },
): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<string>();
	const socket = connect("port" in at ? { port: at.port, host: "127.0.0.1" } : at);
	let heard = "";
	socket.on("data", (chunk) => {
		heard += chunk.toString("latin1");
		socket.destroy();
	});
	socket.on("error", () => {}).on("close", () => resolve(heard));
	socket.once("connect", () => void send(socket, bytes, pieces, leave));
	return await promise;
}

async function send(socket: Socket, bytes: Buffer, pieces: number, leave: Attempt["leave"]): Promise<void> {
	const size = pieces === 0 ? bytes.length : Math.max(pieces, Math.ceil(bytes.length / 50));
	for (let from = 0; from < bytes.length && !socket.destroyed; from += size) {
		const { promise, resolve } = Promise.withResolvers<void>();
		socket.write(bytes.subarray(from, from + size), () => resolve());
		await promise;
	}
	if (leave === "reset") socket.resetAndDestroy();
	else if (leave === "end") socket.end();
	// what is not a whole request is never answered
	else setTimeout(() => socket.end(), answerMs).unref();
}
