// Requests of the command line. Node's `fetch` takes longer to load than most commands take to run, and `node:http` and
// `node:crypto` still as long as all the rest: they are loaded only where the daemon's socket cannot be used. They are
// not imported, because an `import` reads every export, and `WebSocket` among them loads all of `fetch`.
//
// The token is sent only to the home's own daemon. The socket in the home is proof enough: nobody else can create one
// there. Without the socket, the program on the port first has to prove that it knows the token, and the request uses
// that same connection.
import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import path from "node:path";
import { type Received, Refused, type Send, type SentRequest } from "#client/client.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import { proofText } from "#contract/proof.ts";
import { refuse } from "#contract/refusal.ts";
import { requestOnSocket } from "./socket-request.ts";

const http = (): typeof import("node:http") => process.getBuiltinModule("node:http");
const https = (): typeof import("node:https") => process.getBuiltinModule("node:https");

/** Nobody listens there, or another program does. */
export class WrongDaemon extends Error {
	override readonly name = "WrongDaemon";
}

/**
 * Sends to a given address: a daemon on this machine that the caller trusts, or one that its certificate identifies.
 */
export const send: Send = async (url, request) => {
	const { protocol, hostname } = new URL(url);
	if (protocol !== "https:" && !loopback.includes(hostname)) {
		const message = `${url} is on another machine, and a token is not sent there unencrypted: use https, or forward the port with ssh.`;
		throw new Refused(refuse("VALIDATION_ERROR", message));
	}
	try {
		return await exchange(targetOf(url), request);
	} catch (error) {
		if (protocol !== "https:" || !isCertificateError(error)) throw error;
		const message = `${hostname} is not trusted: ${error.message}. BROOD_CA may name a file with the certificate of its authority.`;
		throw new Refused(refuse("UNAUTHORIZED", message));
	}
};

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** An error of the certificate, not of the connection. */
const isCertificateError = (error: unknown): error is Error =>
	error instanceof Error && "code" in error && /CERT|SIGNATURE|ISSUER/.test(String(error.code));

/** Sends to the daemon of a home and to no other program. */
export const sendTo = (home: string): Send => {
	const socketPath = path.join(home, "socket");
	return async (url, request) => {
		const { host, path: target } = targetOf(url);
		try {
			return await onSocket({ socketPath, path: target, host: new URL(url).host }, request);
		} catch (error) {
			if (!isUnreachable(error)) throw error;
		}
		return await sendAfterProof(url, request, host);
	};
};

/** Sends only on the socket in the home. */
export const sendOnSocket = (home: string): Send => {
	const socketPath = path.join(home, "socket");
	return async (url, request) =>
		await onSocket({ socketPath, path: targetOf(url).path, host: new URL(url).host }, request);
};

async function onSocket(
	at: { socketPath: string; path: string; host: string },
	request: SentRequest,
): Promise<Received> {
	const { answer, destroy } = requestOnSocket(at, request);
	const settled = new AbortController();
	watch({ ...at, headers: { host: at.host } }, settled.signal, destroy);
	try {
		return await answer;
	} finally {
		settled.abort();
	}
}

async function sendAfterProof(url: string, request: SentRequest, host: string): Promise<Received> {
	const { createHmac, randomUUID, timingSafeEqual } = process.getBuiltinModule("node:crypto");
	const { host: address } = new URL(url);
	const agent = oneConnection();
	const token = request.headers["authorization"]?.replace(/^Bearer /, "") ?? "";
	const nonce = randomUUID();
	const target = { ...targetOf(url), agent };
	const answer = await exchange({ ...target, path: `/api/proof?nonce=${nonce}` }, { method: "GET", headers: {} });
	const expected = createHmac("sha256", token).update(proofText(address, nonce)).digest();
	if (!timingSafeEqual(expected, proofIn(await answer.text(), expected.length)))
		throw new WrongDaemon(`Another program than the daemon listens on ${host}.`);
	return await exchange(target, request);
}

/** Never opens a second connection: another program could answer it. */
function oneConnection(): Agent {
	const agent = new (http().Agent)({ keepAlive: true, maxSockets: 1 });
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

type HttpTarget = RequestOptions & { path: string; ca?: string };

function targetOf(url: string): HttpTarget & { host: string } {
	const { protocol, hostname, port, pathname, search } = new URL(url);
	const ca = protocol === "https:" ? extraAuthority() : undefined;
	return {
		...(protocol === "https:" && { protocol, ...(ca && { ca }) }),
		...{ host: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search },
	};
}

/** For certificates that no authority of this machine has signed. */
function extraAuthority(): string | undefined {
	const file = process.env["BROOD_CA"];
	if (file === undefined) return undefined;
	try {
		return process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
	} catch (error) {
		const why = messageOf(error);
		throw new Refused(refuse("VALIDATION_ERROR", `BROOD_CA names ${file}, which cannot be read: ${why}`));
	}
}

const requestTo = (target: HttpTarget): ReturnType<typeof http>["request"] =>
	target.protocol === "https:" ? https().request : http().request;

function exchange(target: HttpTarget, { method, headers, body, signal }: SentRequest): Promise<Received> {
	return new Promise((resolve, reject) => {
		const settled = new AbortController();
		const all = { ...Object(target.headers), ...headers, "content-length": Buffer.byteLength(body ?? "") };
		const out = requestTo(target)({ ...target, method, headers: all, ...(signal && { signal }) }, (response) => {
			settled.abort();
			resolve(sent(response));
		});
		const { agent: _own, ...plain } = target;
		watch(plain, settled.signal, (error) => out.destroy(error));
		out.on("close", () => settled.abort());
		out.on("error", reject).end(body);
	});
}

function sent(response: IncomingMessage): Received {
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
 * Many requests take long, so the time alone proves nothing: this asks the daemon from time to time whether it still
 * answers, until the request has settled.
 */
function watch(
	target: HttpTarget,
	settled: AbortSignal,
	destroy: (error: Error) => void,
	waitMs = probeAfterMs(),
): void {
	const timer = setTimeout(() => {
		probe(target, settled, destroy);
		watch(target, settled, destroy, timeoutMs());
	}, waitMs).unref();
	settled.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

function probe(target: HttpTarget, settled: AbortSignal, destroy: (error: Error) => void): void {
	const asked = requestTo(target)(
		{ ...target, path: "/api/health", method: "GET", timeout: timeoutMs() - probeAfterMs() },
		(response) => response.resume(),
	);
	asked.on("timeout", () => {
		asked.destroy();
		const message = `The daemon has not answered for ${timeoutMs() / 1000} s: it is frozen or overloaded.`;
		const suggestions = ["brood logs", "brood down"];
		// unlike a timeout that the daemon says, this one leaves open what became of the request
		destroy(new Refused(refuse("TIMEOUT", message, { suggestions, details: { unanswered: true } })));
	});
	asked.on("error", expected("the request itself reports a broken connection")).end();
	settled.addEventListener("abort", () => asked.destroy(), { once: true });
}

/** How long to wait for a daemon that does not answer. */
function timeoutMs(): number {
	const seconds = Number(process.env["BROOD_TIMEOUT"]);
	return seconds > 0 ? seconds * 1000 : 20_000;
}

const probeAfterMs = (): number => Math.min(5000, timeoutMs() / 2);
