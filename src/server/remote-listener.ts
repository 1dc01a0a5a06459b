// The listener for other machines: TLS only, and only for persons with tokens of their own. Neither the owner's token
// nor those of agents' processes are accepted here, so whoever has a copy of the home's token still has to be on this
// machine.
//
// A request has to name the listener as its certificate does: a page that has another name resolved to this address
// gets nothing.
import { X509Certificate } from "node:crypto";
import type { Server } from "node:https";
import { isIPv6 } from "node:net";
import { messageOf } from "#contract/message-of.ts";
import { answering, close, connectionsMax, type Listener, listening, serving } from "./listen.ts";

export interface RemoteListenerOptions {
	/** `address:port` */
	listen: string;
	cert: string;
	key: string;
	/** those of the certificate if absent */
	names?: readonly string[] | undefined;
	/** how long a caller may take for the TLS handshake; until then its connection counts, and nothing else ends it */
	handshakeMs?: number;
	/** reports errors outside of the handlers */
	failed(error: unknown): void;
}

/** The listener cannot be opened as it is configured; the message says why. */
export class RemoteListenerError extends Error {
	override readonly name = "RemoteListenerError";
}

export async function openRemoteListener({
	listen,
	cert,
	key,
	failed,
	handshakeMs = serving.headersTimeout,
	...given
}: RemoteListenerOptions): Promise<Listener> {
	const names = given.names ?? namesIn(cert);
	const [name] = names;
	if (name === undefined)
		throw new RemoteListenerError("The certificate names no host: list the listener's names under `tls.names`.");
	const { answer, open } = answering(failed);
	const server = serverOf({ cert, key, handshakeTimeout: handshakeMs }, answer);
	const at = listen.lastIndexOf(":");
	const [host, wanted] = [listen.slice(0, at).replace(/^\[|\]$/g, ""), Number(listen.slice(at + 1))];
	try {
		await listening(server, { host, port: wanted });
	} catch (error) {
		throw new RemoteListenerError(`Nobody can listen on ${listen}: ${messageOf(error)}.`);
	}
	server.on("error", failed);
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : wanted;
	const hostOf = (each: string): string => (isIPv6(each) ? `[${each}]` : each.toLowerCase());
	return {
		url: new URL(`https://${hostOf(name)}:${port}`).origin,
		// browsers leave the scheme's own port out
		hosts: names.flatMap((each) => [`${hostOf(each)}:${port}`, ...(port === 443 ? [hostOf(each)] : [])]),
		open,
		close: () => close(server),
		[Symbol.asyncDispose]: () => (server.listening ? close(server) : Promise.resolve()),
	};
}

function serverOf(
	tls: { cert: string; key: string; handshakeTimeout: number },
	answer: ReturnType<typeof answering>["answer"],
): Server {
	try {
		// few daemons have this listener
		const { createServer } = process.getBuiltinModule("node:https");
		const server = createServer({ ...serving, ...tls, minVersion: "TLSv1.2" }, answer);
		server.maxConnections = connectionsMax;
		return server.on("checkContinue", answer);
	} catch (error) {
		throw new RemoteListenerError(`The certificate and its key cannot be used: ${messageOf(error)}.`);
	}
}

/** The hosts that a certificate is for. A wildcard names none: which hosts it stands for has to be listed. */
function namesIn(cert: string): string[] {
	try {
		const { subjectAltName = "" } = new X509Certificate(cert);
		const names = [...subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address):([^,\s]+)/g)].map(([, each = ""]) => each);
		return names.filter((each) => !each.includes("*"));
	} catch (error) {
		throw new RemoteListenerError(`The certificate cannot be read: ${messageOf(error)}.`);
	}
}
