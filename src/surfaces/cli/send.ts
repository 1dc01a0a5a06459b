// Requests over plain HTTP: Node's `fetch` takes longer to load than most commands take to run. An `import` of
// `node:http` looks at everything that it has, and with its `WebSocket` loads the whole of `fetch` after all.
//
// The daemon of a home is only ever told the token once it is known whom it goes to. The socket in the home is such a
// place: nobody else can put one there. Where there is no socket, the program on the port has to show first that it has
// the token itself, and the request goes over the very connection on which it did.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import path from "node:path";
import { Refused, type Send, type Sent } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import { proofText } from "#contract/proof.ts";
import { refuse } from "#contract/refusal.ts";

const http = process.getBuiltinModule("node:http");

type HttpRequest = Parameters<Send>[1];

/** Nobody listens there, or not the daemon that is meant. */
export class WrongDaemon extends Error {
	override readonly name = "WrongDaemon";
}

/** To an address that was given: whoever gave it says whom it leads to. */
export const send: Send = (url, request) => exchange(targetOf(url), request);

/** To the daemon of a home, and to nobody else. */
export const sendTo = (home: string): Send => {
	const socketPath = path.join(home, "socket");
	return async (url, request) => {
		const { host, path: target } = targetOf(url);
		try {
			return await exchange({ socketPath, path: target, headers: { host: new URL(url).host } }, request);
		} catch (error) {
			if (!isUnreachable(error)) throw error;
		}
		return await throughProof(url, request, host);
	};
};

async function throughProof(url: string, request: HttpRequest, host: string): Promise<Sent> {
	const { host: address } = new URL(url);
	const agent = oneConnection();
	const token = request.headers["authorization"]?.replace(/^Bearer /, "") ?? "";
	const nonce = randomUUID();
	const target = { ...targetOf(url), agent };
	const asked = await exchange({ ...target, path: `/api/proof?nonce=${nonce}` }, { method: "GET", headers: {} });
	const expected = createHmac("sha256", token).update(proofText(address, nonce)).digest();
	if (!timingSafeEqual(expected, proofIn(await asked.text(), expected.length)))
		throw new WrongDaemon(`Another program than the daemon listens on ${host}.`);
	return await exchange(target, request);
}

/** Never a second connection: nobody knows who would be at its other end. */
function oneConnection(): Agent {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const connect = agent.createConnection.bind(agent);
	let made = false;
	agent.createConnection = (options, callback) => {
		if (made) throw new WrongDaemon("The daemon closed the connection.");
		made = true;
		return connect(options, callback);
	};
	return agent;
}

function proofIn(text: string, length: number): Buffer {
	try {
		const proof = Buffer.from(String(JSON.parse(text).data.proof), "base64url");
		return proof.length === length ? proof : Buffer.alloc(length);
	} catch {
		return Buffer.alloc(length);
	}
}

const isUnreachable = (error: unknown): boolean =>
	error instanceof Error &&
	"code" in error &&
	["ENOENT", "ECONNREFUSED", "EINVAL", "ENAMETOOLONG", "ENOTSOCK"].includes(String(error.code));

type HttpTarget = RequestOptions & { path: string };

function targetOf(url: string): HttpTarget & { host: string } {
	const { hostname, port, pathname, search } = new URL(url);
	return { host: hostname, port, path: pathname + search };
}

function exchange(target: HttpTarget, { method, headers, body, signal }: HttpRequest): Promise<Sent> {
	return new Promise((resolve, reject) => {
		const all = { ...Object(target.headers), ...headers, "content-length": Buffer.byteLength(body ?? "") };
		const out = http.request({ ...target, method, headers: all, ...(signal && { signal }) }, (response) => {
			clearTimeout(watching);
			resolve(sent(response));
		});
		let watching = setTimeout(() => (watching = watch(out, target)), lookAfterMs());
		out.on("close", () => clearTimeout(watching));
		out.on("error", reject).end(body);
	});
}

function sent(response: IncomingMessage): Sent {
	const { statusCode = 0 } = response;
	return {
		ok: statusCode >= 200 && statusCode < 300,
		async text() {
			const chunks: Buffer[] = [];
			for await (const chunk of response) chunks.push(chunk);
			return Buffer.concat(chunks).toString();
		},
		chunks: response,
	};
}

/**
 * Many requests take long, so the time alone says nothing: from time to time the daemon is asked whether it is there at
 * all.
 */
function watch(out: ClientRequest, target: HttpTarget): NodeJS.Timeout {
	const { agent: _own, ...plain } = target;
	const seconds = timeoutMs() / 1000;
	const asking = http.request(
		{ ...plain, path: "/api/health", method: "GET", timeout: timeoutMs() - lookAfterMs() },
		(response) => response.resume(),
	);
	asking.on("timeout", () => {
		asking.destroy();
		const words = `The daemon has not answered for ${seconds} s: it is stopped or overloaded.`;
		out.destroy(new Refused(refuse("TIMEOUT", words, { suggestions: ["brood logs", "brood down"] })));
	});
	asking.on("error", expected("the request itself tells what became of the line")).end();
	out.on("close", () => asking.destroy());
	return setTimeout(() => void watch(out, target), timeoutMs()).unref();
}

/** How long to wait for a daemon that does not answer. */
function timeoutMs(): number {
	const seconds = Number(process.env["BROOD_TIMEOUT"]);
	return seconds > 0 ? seconds * 1000 : 20_000;
}

const lookAfterMs = (): number => Math.min(5000, timeoutMs() / 2);
